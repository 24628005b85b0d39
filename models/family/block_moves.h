// SPDX-License-Identifier: Apache-2.0
// The three moves of blocks that collectives are built from: van de Geijn's building blocks.
#pragma once

#include "models/family/plan.h"

namespace ecube {

/// Step `number`, 0 .. dim-1, of every part of the blocks, on one node. Labels are relative to the problem's root for
/// the moves that have one. A binomial tree in each part: who has the blocks of a subcube gives half of them to the
/// other half of that subcube.
void scatter_step(const CollectiveProblem& problem, NodeId node, unsigned number,
                  std::vector<PlannedTransfer>& transfers);
/// The same backwards: blocks come together on the root.
void gather_step(const CollectiveProblem& problem, NodeId node, unsigned number,
                 std::vector<PlannedTransfer>& transfers);
/// Neighbours exchange all blocks that they have, twice as many in every step.
void all_gather_step(const CollectiveProblem& problem, NodeId node, unsigned number,
                     std::vector<PlannedTransfer>& transfers);
/// Neighbours exchange the halves that they do not keep, half as many in every step, and combine the others.
void reduce_scatter_step(const CollectiveProblem& problem, NodeId node, unsigned number,
                         std::vector<PlannedTransfer>& transfers);

/// The plan of a collective that is one of these moves.
template <auto move>
[[nodiscard]] std::unique_ptr<CollectivePlan> plan_of_move(const CollectiveProblem& problem) {
  class Plan final : public CollectivePlan {
   public:
    using CollectivePlan::CollectivePlan;
    [[nodiscard]] unsigned steps() const override { return this->problem().dim; }
    void step(NodeId node, unsigned number, std::vector<PlannedTransfer>& transfers) const override {
      move(this->problem(), node, number, transfers);
    }
  };
  return make_plan<Plan>(problem);
}

}  // namespace ecube
