// SPDX-License-Identifier: Apache-2.0
// Which strategy and number of ports a combine takes least time with.
#pragma once

#include <vector>

#include "models/combine_cost.h"

namespace ecube {

/// The fastest strategy over one number of ports, version 1 included.
struct CombineChoice {
  CombineProblem problem;
  Strategy strategy = Strategy::full(1);
  bool tree = false;  ///< version 1
  CombineTerms terms;
};

/// For every number of ports that the problem's machine has, its own first.
[[nodiscard]] std::vector<CombineChoice> combine_choices(const CombineProblem& problem,
                                                         const CombineParameters& parameters);

/// The fastest of them; of equals the first.
[[nodiscard]] const CombineChoice& least_of(const std::vector<CombineChoice>& choices);

}  // namespace ecube
