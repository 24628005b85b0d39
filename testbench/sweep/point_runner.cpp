// SPDX-License-Identifier: Apache-2.0
// From a point's arguments to its outcome.
#include "testbench/sweep/point_runner.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <iostream>

#include "testbench/program/program_library.h"
#include "testbench/text/text_file.h"
#include "testbench/workloads/workload_list.h"

namespace ecube {

namespace {

void with_experiment(const std::vector<std::string>& arguments, Benches& benches, PointOutcome& outcome,
                     const std::function<void(Experiment&)>& use) {
  const auto fails = [&outcome](int status, const char* why) {
    outcome.status = status;
    outcome.error = why;
  };
  try {
    std::vector<std::string> words = arguments;
    words.emplace_back("--quiet");
    use(*run_request(words)->experiment(benches));
  } catch (const ContentError& problem) {
    fails(2, problem.discreet().c_str());
  } catch (const InputError& problem) {
    fails(2, problem.what());
  } catch (const AnotherElaboration&) {
    outcome.wants_another_elaboration = true;
  } catch (const Interrupted&) {
    throw;
  } catch (const ProgramCrash& problem) {
    fails(1, problem.what());
    outcome.last = true;
  } catch (const std::exception& problem) {
    fails(1, problem.what());
  }
}

}  // namespace

PointOutcome PointRunner::run(const std::vector<std::string>& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  PointOutcome outcome;
  if (crashed_) {
    outcome = {.status = 1, .error = "an earlier program has crashed in this process", .last = true};
    return outcome;
  }
  with_experiment(arguments, benches_, outcome, [&outcome](Experiment& experiment) {
    experiment.run();
    RunEnd end = end_of(experiment);
    outcome.status = end.status;
    while (!end.problems.empty() && end.problems.back() == '\n') end.problems.pop_back();
    outcome.error = std::move(end.problems);
    if (outcome.status != 0 && outcome.error.empty()) outcome.error = fmt::format("ended with status {}", end.status);
    if (experiment.measurement().result.status == RunResult::Status::finished) outcome.result = run_json(experiment);
  });
  crashed_ = outcome.last;
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

PointSize PointSizer::size(const std::vector<std::string>& arguments) {
  PointSize size;
  PointOutcome outcome;
  with_experiment(arguments, benches_, outcome,
                  [&size](const Experiment& experiment) { size.size = experiment.size(); });
  size.status = outcome.status;
  size.error = outcome.error;
  return size;
}

int run_worker(unsigned dim) {
  // The kernel ends the worker with its manager, however the manager ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd manager{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&manager, 1, 0) > 0 && (manager.revents & POLLHUP) != 0) return 0;  // the manager ended before that
  PointRunner runner(dim);
  const auto text = [](const nlohmann::ordered_json& json) {
    // Bytes that are no UTF-8 come from what the user typed.
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  };
  for (std::string line; std::getline(std::cin, line);) {
    const auto point = nlohmann::ordered_json::parse(line, nullptr, false);
    if (point.is_discarded() || !point.contains("arguments")) return 2;
    const PointOutcome outcome = runner.run(point["arguments"].get<std::vector<std::string>>());
    nlohmann::ordered_json answer = {{"number", point["number"]}};
    if (outcome.wants_another_elaboration) {
      answer["again"] = true;
    } else {
      answer["status"] = outcome.status;
      answer["wall_s"] = outcome.wall_s;
      if (!outcome.result.is_null()) answer["result"] = true;
      if (outcome.status != 0) answer["error"] = outcome.error;
      if (outcome.last) answer["last"] = true;
    }
    fmt::print("{}", text(answer));
    if (answer.contains("result")) fmt::print("{}", text(outcome.result));
    std::fflush(stdout);
    if (outcome.wants_another_elaboration) return 0;
    // Nothing is destroyed: the machine is in the middle of a cycle.
    if (outcome.last) _exit(0);
  }
  return 0;
}

}  // namespace ecube
