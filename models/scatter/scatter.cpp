// SPDX-License-Identifier: Apache-2.0
// Blocks down a binomial tree.
#include "models/scatter/scatter.h"

#include <array>

#include "models/family/block_moves.h"

namespace ecube {
namespace {

class ScatterPlan final : public CollectivePlan {
 public:
  using CollectivePlan::CollectivePlan;
  [[nodiscard]] unsigned steps() const override { return problem().dim; }
  void step(NodeId node, unsigned number, std::vector<PlannedTransfer>& transfers) const override {
    scatter_step(problem(), node, number, transfers);
  }
};

std::unique_ptr<CollectivePlan> make_scatter(const CollectiveProblem& problem) {
  return std::make_unique<ScatterPlan>(problem);
}

double scatter_us(const CollectiveProblem& problem, const CombineParameters& parameters) {
  const FormulaTerms f(problem, parameters);
  return f.d * f.alpha_one_way + (1 - 1 / f.p) * f.n / f.k * f.beta_one_way;
}

constexpr std::array<CollectiveAlgorithm, 1> scatter_algorithms{{
    {.name = "halving",
     .help = "binomial tree: half of the blocks at hand in every direction",
     .source = "van de Geijn 1991, building blocks",
     .formula = "d alpha + (1 - 1/p) n beta / k",
     .plan = make_scatter,
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
