// SPDX-License-Identifier: Apache-2.0
// Points of a study in this process, one after the other, on one elaborated machine; and the worker process around it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testbench/run/experiment.h"

namespace ecube {

/// Of a point that has run, or whose size was asked for.
struct PointOutcome {
  int status = 0;                          ///< as the program's exit status
  std::string error{};                     ///< the run's error message, when the status is not 0
  nlohmann::ordered_json result{};         ///< the run's JSON object; null when there is none
  double wall_s = 0;                       ///< of the host
  bool wants_another_elaboration = false;  ///< the point has not run: another process has to run it
  RunSize size{};                          ///< of size_of_point()
};

/// `arguments` are those of `ecube run`, its name left out. Wrong arguments never throw: they give status 2.
[[nodiscard]] PointOutcome run_point(const std::vector<std::string>& arguments, Benches& benches);
[[nodiscard]] PointOutcome size_of_point(const std::vector<std::string>& arguments, Benches& benches);

/// Reads points from standard input, a JSON object a line: number, arguments. Answers each with a line: number, status,
/// wall_s, error; or number and again = true for a point that needs another elaboration, and then ends. Behind it comes
/// a line with the run's own JSON object, or null. Returns the exit status.
[[nodiscard]] int run_worker(unsigned dim);

}  // namespace ecube
