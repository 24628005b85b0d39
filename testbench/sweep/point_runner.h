// SPDX-License-Identifier: Apache-2.0
// Runs points of a study in this process, one after the other, on one elaborated machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testbench/run/experiment.h"

namespace ecube {

/// What became of one run.
struct PointOutcome {
  int status = 0;                          ///< as the program's exit status
  std::string error{};                     ///< what it said, when the status is not 0
  nlohmann::ordered_json result{};         ///< its JSON object; null when it has none
  double wall_s = 0;                       ///< of the host
  bool wants_another_elaboration = false;  ///< it has not run: another process has to run it
};

/// What a run would take.
struct PointSize {
  int status = 0;       ///< 2 when its input is bad
  std::string error{};  ///< why
  RunSize size{};
};

class PointRunner {
 public:
  /// For machines of up to `dim` dimensions.
  explicit PointRunner(unsigned dim) : benches_(dim) {}

  /// `arguments` are those of `ecube run`, its name left out. Never throws for what they say.
  [[nodiscard]] PointOutcome run(const std::vector<std::string>& arguments);

 private:
  Benches benches_;
};

/// Says what points would take; runs none of them.
class PointSizer {
 public:
  [[nodiscard]] PointSize size(const std::vector<std::string>& arguments);

 private:
  Benches benches_{0, Benches::Use::sizes};
};

}  // namespace ecube
