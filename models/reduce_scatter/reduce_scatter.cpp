// SPDX-License-Identifier: Apache-2.0
// Blocks halved in every direction.
#include "models/reduce_scatter/reduce_scatter.h"

#include <array>

#include "models/family/block_moves.h"

namespace ecube {
namespace {

double reduce_scatter_us(const CollectiveProblem& problem, const CombineParameters& parameters) {
  const FormulaTerms f(problem, parameters);
  return f.d * f.alpha + (1 - 1 / f.p) * f.n * (f.beta / f.k + f.gamma);
}

constexpr std::array<CollectiveAlgorithm, 1> reduce_scatter_algorithms{{
    {.name = "halving",
     .help = "neighbours exchange the halves that they do not keep, and combine",
     .source = "van de Geijn 1991, building blocks",
     .formula = "d alpha + (1 - 1/p) n (beta / k + gamma)",
     .plan = plan_of_move<reduce_scatter_step>,
     .published_us = reduce_scatter_us},
}};

constexpr Collective reduce_scatter_described{
    .name = "reduce-scatter",
    .help = "Reduce-scatter: vectors combined item by item, block i of the result on node i",
    .rooted = false,
    .before = Holding::all,
    .after = Holding::block,
    .meaning = Meaning::combined,
    .algorithms = reduce_scatter_algorithms};

}  // namespace

const Collective& reduce_scatter() { return reduce_scatter_described; }

}  // namespace ecube
