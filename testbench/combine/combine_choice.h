// SPDX-License-Identifier: Apache-2.0
// The strategy and number of ports with which a combine takes least time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/combine/combine_request.h"

namespace ecube {

/// The fastest strategy over one number of ports, version 1 included.
struct CombineChoice {
  CombineProblem problem;
  Strategy strategy = Strategy::full(1);
  bool tree = false;  ///< version 1
  CombineTerms terms{};
  bool was_run = false;
  std::optional<double> measured_us{};  ///< none where the strategy was not run, or did not finish
};

/// The choice for every number of ports up to the machine's, the machine's own number first.
[[nodiscard]] std::vector<CombineChoice> combine_choices(const CombineQuestion& question);

/// The fastest choice; of equals the first.
[[nodiscard]] const CombineChoice& least_of(const std::vector<CombineChoice>& choices);

/// Measured candidates beside the equation; empty where the equation describes the machine.
struct TriedCombines {
  std::vector<std::string> leaves_out;
  std::vector<CombineChoice> candidates;  ///< run on the machine, the fastest first; none where there would be too many
};

/// Runs candidates on `bench`, which is for the dimension up to max_tried_dim, where the equation leaves out something
/// and the candidates together send few enough messages.
[[nodiscard]] TriedCombines tried_combines(const CombineArguments& arguments, const CombineQuestion& question,
                                           TestBench& bench);

}  // namespace ecube
