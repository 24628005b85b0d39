// SPDX-License-Identifier: Apache-2.0
// From a point's arguments to its outcome.
#include "testbench/sweep/point_runner.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <system_error>

#include "testbench/system/open_files.h"
#include "testbench/text/text_file.h"
#include "testbench/workloads/workload_list.h"

namespace ecube {

namespace {

std::string as_line(const nlohmann::ordered_json& json) {
  // Bytes that are no UTF-8 come from what the user typed.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
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
  const auto json = nlohmann::ordered_json::parse(stream, nullptr, false);
  outcome = {.status = 1, .error = "its process ended without an answer"};
  if (!json.is_discarded()) outcome = {.status = json["status"], .error = json["error"], .result = json["result"]};
}

/// Runs `work` and puts into `outcome` why it failed.
void attempt(PointOutcome& outcome, const std::function<void()>& work) {
  const auto fails = [&outcome](int status, const char* why) {
    outcome.status = status;
    outcome.error = why;
  };
  try {
    work();
  } catch (const ContentError& problem) {
    fails(2, problem.discreet().c_str());
  } catch (const InputError& problem) {
    fails(2, problem.what());
  } catch (const AnotherElaboration&) {
    outcome.wants_another_elaboration = true;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& problem) {
    fails(1, problem.what());
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

PointOutcome size_of_point(const std::vector<std::string>& arguments, Benches& benches) {
  return with_experiment(arguments, benches,
                         [](const Experiment& one, PointOutcome& outcome) { outcome.size = one.size(); });
}

int run_worker(unsigned dim) {
  // The kernel ends the worker with its manager, however the manager ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd manager{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&manager, 1, 0) > 0 && (manager.revents & POLLHUP) != 0) return 0;  // the manager ended before that
  Benches benches(dim);
  for (std::string line; std::getline(std::cin, line);) {
    const auto point = nlohmann::ordered_json::parse(line, nullptr, false);
    if (point.is_discarded() || !point.contains("arguments")) return 2;
    const PointOutcome outcome = run_point(point["arguments"].get<std::vector<std::string>>(), benches);
    nlohmann::ordered_json answer = {{"number", point["number"]}};
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

}  // namespace ecube
