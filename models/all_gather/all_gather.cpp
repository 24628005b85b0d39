// SPDX-License-Identifier: Apache-2.0
// Blocks doubled in every direction.
#include "models/all_gather/all_gather.h"

#include <array>

#include "models/family/block_moves.h"

namespace ecube {
namespace {

double all_gather_us(const CollectiveProblem& problem, const CombineParameters& parameters) {
  const FormulaTerms f(problem, parameters);
  return f.d * f.alpha + (1 - 1 / f.p) * f.n / f.k * f.beta;
}

constexpr std::array<CollectiveAlgorithm, 1> all_gather_algorithms{{
    {.name = "doubling",
     .help = "neighbours exchange all blocks at hand",
     .source = "van de Geijn 1991, building blocks",
     .formula = "d alpha + (1 - 1/p) n beta / k",
     .plan = plan_of_move<all_gather_step>,
     .published_us = all_gather_us},
}};

constexpr Collective all_gather_described{.name = "all-gather",
                                          .help = "All-gather: block i of every node i to all nodes",
                                          .rooted = false,
                                          .before = Holding::block,
                                          .after = Holding::all,
                                          .meaning = Meaning::moved,
                                          .algorithms = all_gather_algorithms};

}  // namespace

const Collective& all_gather() { return all_gather_described; }

}  // namespace ecube
