// SPDX-License-Identifier: Apache-2.0
// Blocks up a binomial tree.
#include "models/gather/gather.h"

#include <array>

#include "models/family/block_moves.h"

namespace ecube {
namespace {

double gather_us(const CollectiveProblem& problem, const CombineParameters& parameters) {
  const FormulaTerms f(problem, parameters);
  return f.d * f.alpha_one_way + (1 - 1 / f.p) * f.n / f.k * f.beta_one_way;
}

constexpr std::array<CollectiveAlgorithm, 1> gather_algorithms{{
    {.name = "doubling",
     .help = "binomial tree: all blocks at hand towards the root",
     .source = "van de Geijn 1991, building blocks",
     .formula = "d alpha + (1 - 1/p) n beta / k",
     .plan = plan_of_move<gather_step>,
     .published_us = gather_us},
}};

constexpr Collective gather_described{.name = "gather",
                                      .help = "Gather: block i of every node i together on one node",
                                      .rooted = true,
                                      .before = Holding::block,
                                      .after = Holding::all_on_root,
                                      .meaning = Meaning::moved,
                                      .algorithms = gather_algorithms};

}  // namespace

const Collective& gather() { return gather_described; }

}  // namespace ecube
