// SPDX-License-Identifier: Apache-2.0
// From a point's arguments to its outcome; sizes of points, and a fit of the time they take.
#include <fmt/core.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <system_error>

#include "testbench/sweep/sweep_manager.h"
#include "testbench/system/open_files.h"
#include "testbench/text/text_file.h"
#include "testbench/workloads/workload_list.h"

namespace ecube {

namespace {

std::string as_line(const Json& json) {
  // Bytes that are no UTF-8 come from what the user typed.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Code of users leaves a process behind (ProgramGuard), so each of its runs has a child to leave it in.
void in_child(PointOutcome& outcome, const std::function<void()>& run) {
  const FileDescriptor answer(memfd_create("outcome", MFD_CLOEXEC));
  (void)std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "no process for a program");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const int ours : {SIGINT, SIGTERM}) (void)std::signal(ours, SIG_IGN);  // they end the parent
    run();
    std::ofstream(answer.path()) << as_line(
        {{"status", outcome.status}, {"error", outcome.error}, {"result", outcome.result}});
    _exit(0);
  }
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::ifstream stream(answer.path());
  const auto json = Json::parse(stream, nullptr, false);
  outcome = {.status = 1, .error = "its process ended without an answer"};
  if (!json.is_discarded()) outcome = {.status = json["status"], .error = json["error"], .result = json["result"]};
}

/// Runs `work` and puts into `outcome` why it failed.
void attempt(PointOutcome& outcome, const std::function<void()>& work) {
  try {
    work();
  } catch (const ContentError& problem) {
    outcome = {.status = 2, .error = problem.discreet()};
  } catch (const InputError& problem) {
    outcome = {.status = 2, .error = problem.what()};
  } catch (const AnotherElaboration&) {
    outcome.wants_another_elaboration = true;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& problem) {
    outcome = {.status = 1, .error = problem.what()};
  }
}

PointOutcome with_experiment(const std::vector<std::string>& arguments, Benches& benches,
                             const std::function<void(Experiment&, PointOutcome&)>& use) {
  PointOutcome outcome;
  std::vector<std::string> words = arguments;
  words.emplace_back("--quiet");
  attempt(outcome, [&] {
    const std::unique_ptr<RunRequest> request = run_request(words);
    const auto run = [&] { use(*request->experiment(benches), outcome); };
    if (!request->load_code()) return run();
    in_child(outcome, [&] { attempt(outcome, run); });
  });
  return outcome;
}

constexpr double budget_s = 1.5;   ///< for all runs
constexpr double longest_s = 2.0;  ///< of one run, which is then ended
constexpr unsigned most_runs = 9;
/// A node's interface, links and firmware: peak memory of runs without payload at d = 14 and 16, divided by nodes.
constexpr Bytes node_bytes = 4096;

struct Sample {
  double circuits = 0;
  double seconds = 0;
};

/// a + b circuits with a, b >= 0 and the least relative errors.
void fit(const std::vector<Sample>& samples, StudyEstimate& result) {
  double ones = 0;
  double x = 0;
  double xx = 0;
  double y = 0;
  double xy = 0;
  for (const Sample& sample : samples) {
    const double weight = 1 / (sample.seconds * sample.seconds);
    ones += weight;
    x += weight * sample.circuits;
    xx += weight * sample.circuits * sample.circuits;
    y += weight * sample.seconds;
    xy += weight * sample.circuits * sample.seconds;
  }
  if (samples.empty()) return;
  const double determinant = ones * xx - x * x;
  const bool differ = determinant > 1e-9 * ones * xx;  // in their circuits
  const double a = differ ? (xx * y - x * xy) / determinant : y / ones;
  const double b = differ ? (ones * xy - x * y) / determinant : 0;
  result.point_s = a < 0 ? 0 : b < 0 ? y / ones : a;
  result.circuit_s = a < 0 ? xy / xx : std::max(b, 0.0);
}

class Sampler {
 public:
  /// The time of a point on a machine that exists already; nothing when the point takes longer than `most_s`, or fails.
  std::optional<double> seconds(const StudyPoint& point, double most_s) {
    const unsigned dim = dim_of(point);
    if (worker_ && dim > dim_) worker_.reset();
    const bool fresh = !worker_;
    std::optional<WorkerProcess::Answer> answer = ask(point, dim, most_s);
    if (answer && answer->again) {
      worker_.reset();
      answer = ask(point, dim, most_s);
    }
    // The first run waits until the machine is built and its parameters are fitted.
    if (answer && fresh && answer->result.wall_s < most_s / 4) {
      std::optional<WorkerProcess::Answer> second = ask(point, dim, most_s);
      if (second && !second->again) answer = std::move(second);
    }
    return answer && answer->result.done ? std::optional(answer->result.wall_s) : std::nullopt;
  }

 private:
  static unsigned dim_of(const StudyPoint& point) {
    std::vector<StudyValue> values;
    for (std::size_t i = 0; i + 1 < point.arguments.size(); ++i) {
      const std::string& word = point.arguments[i];
      if (word == "--dim" || word == "--topology") values.push_back({word.substr(2), point.arguments[i + 1]});
    }
    return values.empty() ? 0 : network_of(values).label_bits();
  }
  std::optional<WorkerProcess::Answer> ask(const StudyPoint& point, unsigned dim, double most_s) {
    if (!worker_) {
      worker_.emplace(dim);
      dim_ = dim;
    }
    worker_->give({point});
    while (worker_->running_s() < most_s) {
      pollfd waiting{.fd = worker_->descriptor(), .events = POLLIN, .revents = 0};
      constexpr int ms = 20;
      if (poll(&waiting, 1, ms) > 0 && !worker_->receive()) break;
      if (std::optional<WorkerProcess::Answer> answer = worker_->answer()) return answer;
    }
    worker_.reset();
    return std::nullopt;
  }

  std::optional<WorkerProcess> worker_;
  unsigned dim_ = 0;
};

}  // namespace

PointOutcome run_point(const std::vector<std::string>& arguments, Benches& benches) {
  const auto begin = std::chrono::steady_clock::now();
  PointOutcome result = with_experiment(arguments, benches, [](Experiment& experiment, PointOutcome& outcome) {
    experiment.run();
    RunEnd end = end_of(experiment);
    outcome.status = end.status;
    while (!end.problems.empty() && end.problems.back() == '\n') end.problems.pop_back();
    outcome.error = std::move(end.problems);
    if (outcome.status != 0 && outcome.error.empty()) outcome.error = fmt::format("ended with status {}", end.status);
    if (experiment.measurement().result.status == RunResult::Status::finished) outcome.result = run_json(experiment);
  });
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

int run_worker(unsigned dim) {
  // The kernel ends the worker with its manager, however the manager ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd manager{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&manager, 1, 0) > 0 && (manager.revents & POLLHUP) != 0) return 0;  // the manager ended before that
  Benches benches(dim);
  for (std::string line; std::getline(std::cin, line);) {
    const auto point = Json::parse(line, nullptr, false);
    if (point.is_discarded() || !point.contains("arguments")) return 2;
    const PointOutcome outcome = run_point(point["arguments"].get<std::vector<std::string>>(), benches);
    Json answer = {{"number", point["number"]}};
    if (outcome.wants_another_elaboration) {
      answer["again"] = true;
    } else {
      answer["status"] = outcome.status;
      answer["wall_s"] = outcome.wall_s;
      if (outcome.status != 0) answer["error"] = outcome.error;
    }
    fmt::print("{}{}", as_line(answer), as_line(outcome.result));
    std::fflush(stdout);
    if (outcome.wants_another_elaboration) return 0;
  }
  return 0;
}

StudySizes size_study(const Study& study) {
  StudySizes result{.points = count_points(study)};
  TestBench bench(calibration_dim);  // nothing is run: just large enough to fit parameters on
  Benches benches(bench);
  const std::uint64_t stride = (result.points + most_looked_at - 1) / most_looked_at;
  for_each_point(study, [&](const StudyPoint& point) {
    if (point.number % stride != 0) return true;
    result.sized.push_back(
        {point, with_experiment(point.arguments, benches,
                                [](const Experiment& one, PointOutcome& outcome) { outcome.size = one.size(); })});
    const PointOutcome& size = result.sized.back().size;
    if (size.status != 0 && result.refused++ == 0) result.why_refused = error_as_written(study, point, size.error);
    return true;
  });
  return result;
}

StudyEstimate estimate_study(const Study& study, const StudySizes& sizes) {
  StudyEstimate result;
  const unsigned dim = largest_dim(study);
  Bytes data = 0;
  for (const SizedPoint& one : sizes.sized) data = std::max(data, one.size.size.data);
  std::vector<const SizedPoint*> by_size;
  for (const SizedPoint& one : sizes.sized) {
    if (one.size.status == 0) by_size.push_back(&one);
  }
  std::ranges::stable_sort(
      by_size, [](const SizedPoint* a, const SizedPoint* b) { return a->size.size.circuits < b->size.size.circuits; });
  std::vector<Sample> samples;
  Sampler sampler;
  double spent = 0;
  const std::size_t runs = std::min<std::size_t>(most_runs, by_size.size());
  for (std::size_t i = 0; i < runs && spent < budget_s; ++i) {
    const SizedPoint& one = *by_size[runs == 1 ? 0 : i * (by_size.size() - 1) / (runs - 1)];
    const auto circuits = static_cast<double>(one.size.size.circuits);
    // Stops before a point that would take too long, judged by the sample before it.
    if (!samples.empty() && samples.back().seconds * circuits / std::max(1.0, samples.back().circuits) > longest_s) {
      break;
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::optional<double> seconds = sampler.seconds(one.point, longest_s);
    spent += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (seconds && *seconds > 0) samples.push_back({circuits, *seconds});
  }
  fit(samples, result);
  result.ran = static_cast<unsigned>(samples.size());
  double looked_at_s = 0;
  double circuits = 0;
  for (const SizedPoint& one : sizes.sized) {
    looked_at_s += result.seconds_of(one);
    circuits += static_cast<double>(one.size.size.circuits);
  }
  const double scale =
      static_cast<double>(sizes.points) / static_cast<double>(std::max<std::size_t>(1, sizes.sized.size()));
  result.seconds = looked_at_s * scale;
  result.circuits = circuits * scale;
  constexpr Bytes program_bytes = Bytes{12} << 20;
  rusage peak{};
  getrusage(RUSAGE_SELF, &peak);
  result.memory = std::max(static_cast<Bytes>(peak.ru_maxrss) * 1024, program_bytes + (node_bytes << dim) + data);
  return result;
}

}  // namespace ecube
