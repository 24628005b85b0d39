// SPDX-License-Identifier: Apache-2.0
// Holdings, and the letters of formulas.
#include "models/family/plan.h"

#include <utility>

namespace ecube {

void add_transfer(std::vector<PlannedTransfer>& transfers, PlannedTransfer transfer) {
  transfer.sends = !transfer.outgoing.empty();
  transfer.receives = !transfer.incoming.empty();
  if (transfer.sends || transfer.receives) transfers.push_back(std::move(transfer));
}

ItemRanges held_by(Holding holding, NodeId node, const CollectiveProblem& problem) {
  ItemRanges ranges;
  const VectorBlocks blocks = problem.blocks();
  if (holding == Holding::block) append(ranges, blocks.block(node));
  if (holding == Holding::all || (holding == Holding::all_on_root && node == problem.root)) {
    append(ranges, blocks.whole());
  }
  return ranges;
}

FormulaTerms::FormulaTerms(const CollectiveProblem& problem, const CombineParameters& parameters)
    : d(problem.dim),
      p(problem.nodes()),
      n(static_cast<double>(problem.items)),
      k(problem.ports_used()),
      packets(static_cast<double>(problem.packets)),
      alpha(parameters.exchange.alpha_us),
      beta(parameters.exchange.beta_us_per_item),
      alpha_one_way(parameters.one_way.alpha_us),
      beta_one_way(parameters.one_way.beta_us_per_item),
      gamma(parameters.gamma_us_per_item) {}

}  // namespace ecube
