// SPDX-License-Identifier: Apache-2.0
// Blocks down a binomial tree.
#include "models/scatter/scatter.h"

#include <array>

#include "models/family/block_moves.h"

namespace ecube {
namespace {

double scatter_us(const CollectiveProblem& problem, const CombineParameters& parameters) {
  const FormulaTerms f(problem, parameters);
  return f.d * f.alpha_one_way + (1 - 1 / f.p) * f.n / f.k * f.beta_one_way;
}

constexpr std::array<CollectiveAlgorithm, 1> scatter_algorithms{{
    {.name = "halving",
     .help = "binomial tree: half of the blocks at hand in every direction",
     .source = "van de Geijn 1991, building blocks",
     .formula = "d alpha + (1 - 1/p) n beta / k",
     .plan = plan_of_move<scatter_step>,
     .published_us = scatter_us},
}};

constexpr Collective scatter_described{.name = "scatter",
                                       .help = "Scatter: block i of one node's vector to node i",
                                       .rooted = true,
                                       .before = Holding::all_on_root,
                                       .after = Holding::block,
                                       .meaning = Meaning::moved,
                                       .algorithms = scatter_algorithms};

}  // namespace

const Collective& scatter() { return scatter_described; }

}  // namespace ecube
