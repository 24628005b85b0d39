// SPDX-License-Identifier: Apache-2.0
// What `best` recommends: the ways to do a workload, by predicted or by measured time.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/machine/machine.h"

namespace ecube {

struct RunArguments;

/// A way to do a workload.
struct Candidate {
  std::string name;                 ///< "{3,3}"
  nlohmann::ordered_json choice{};  ///< what chooses it, and its own figures: {"partition": [3, 3]}
  std::string options{};            ///< what chooses it in a run: " --partition 3,3"
  Ports ports{};
  std::optional<double> predicted_us{};  ///< none without an equation
  bool was_run = false;
  std::optional<double> measured_us{};  ///< none where it was not run, or did not finish
  std::vector<std::string> cells{};     ///< under Recommendation::columns
  std::string remark{};                 ///< at the end of its line

  /// Measured where it was run, else predicted.
  [[nodiscard]] std::optional<double> us() const { return was_run ? measured_us : predicted_us; }
};

/// An answer of `best`.
struct Recommendation {
  std::string workload;                                     ///< "exchange"
  const RunArguments& run;                                  ///< options of the machine
  std::string options{};                                    ///< of a run, in which the candidates are alike
  bool runnable = true;                                     ///< by a command that is printed; not with --params
  std::string title{};                                      ///< the first line
  std::string kind{};                                       ///< title of the candidates' names: "partition"
  nlohmann::ordered_json about{};                           ///< members of the JSON object before the answer
  std::vector<std::string> columns{};                       ///< further ones of the table
  std::vector<Candidate> candidates{};                      ///< the best first
  std::optional<Candidate> by_equation{};                   ///< where the candidates were run
  std::vector<std::pair<std::string, Candidate>> beside{};  ///< named, to compare with: {"direct", ..}
  nlohmann::ordered_json more{};                            ///< members after the answer
  std::vector<std::string> leaves_out{};                    ///< of the equation
};

/// Prints the first line and the table, lets `notes` print, and ends with what the equation leaves out and the command
/// that runs the best candidate; or prints all as JSON.
int tell(const Recommendation& answer, bool json, const std::function<void()>& notes);

}  // namespace ecube
