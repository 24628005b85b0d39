// SPDX-License-Identifier: Apache-2.0
// From a point's arguments to its outcome.
#include "testbench/sweep/point_runner.h"

#include <fmt/core.h>

#include <chrono>
#include <functional>

#include "testbench/program/program_guard.h"
#include "testbench/text/text_file.h"
#include "testbench/workloads/workload_list.h"

namespace ecube {

namespace {

/// Passes the experiment that `arguments` describe to `use`, and keeps the error in `outcome`.
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

}  // namespace ecube
