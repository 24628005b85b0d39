// SPDX-License-Identifier: Apache-2.0
// Which blocks a node sends and receives: those that agree with a label in the dimensions crossed.
#include "models/family/block_moves.h"

#include <utility>

namespace ecube {
namespace {

/// One part at the crossing of its dimension number `crossing`.
struct Crossing {
  Crossing(const VectorBlocks& blocks, NodeId node, unsigned part_number, unsigned crossing)
      : part(part_number),
        bit(NodeId{1} << blocks.direction(part, crossing)),
        before(blocks.crossed(part, crossing)),
        after(before | bit),
        partner(node ^ bit) {}

  unsigned part;
  NodeId bit;
  NodeId before;  ///< dimensions crossed before
  NodeId after;
  NodeId partner;
};

/// One crossing of a tree: of two partners the one nearer to the root sends, or, towards the root, receives.
void tree_step(const CollectiveProblem& problem, NodeId node, unsigned crossing, bool away,
               std::vector<PlannedTransfer>& transfers) {
  const VectorBlocks blocks = problem.blocks();
  const NodeId label = node ^ problem.root;
  for (unsigned part = 0; part < blocks.parts(); ++part) {
    const Crossing at(blocks, node, part, crossing);
    const NodeId uncrossed = (problem.nodes() - 1) & ~at.after;
    if ((label & uncrossed) != 0) continue;  // in no subcube that has its blocks yet
    const bool near = (label & at.bit) == 0;
    PlannedTransfer transfer{.partner = at.partner, .lane = part};
    ItemRanges& moved = near == away ? transfer.outgoing : transfer.incoming;
    moved = blocks.agreeing(near ? at.partner : node, at.after, part);
    add_transfer(transfers, std::move(transfer));
  }
}

}  // namespace

void scatter_step(const CollectiveProblem& problem, NodeId node, unsigned number,
                  std::vector<PlannedTransfer>& transfers) {
  tree_step(problem, node, number, true, transfers);
}

void gather_step(const CollectiveProblem& problem, NodeId node, unsigned number,
                 std::vector<PlannedTransfer>& transfers) {
  tree_step(problem, node, problem.dim - 1 - number, false, transfers);
}

void all_gather_step(const CollectiveProblem& problem, NodeId node, unsigned number,
                     std::vector<PlannedTransfer>& transfers) {
  const VectorBlocks blocks = problem.blocks();
  for (unsigned part = 0; part < blocks.parts(); ++part) {
    const Crossing at(blocks, node, part, problem.dim - 1 - number);
    add_transfer(transfers, {.partner = at.partner,
                             .lane = part,
                             .outgoing = blocks.agreeing(node, at.after, part),
                             .incoming = blocks.agreeing(at.partner, at.after, part)});
  }
}

void reduce_scatter_step(const CollectiveProblem& problem, NodeId node, unsigned number,
                         std::vector<PlannedTransfer>& transfers) {
  const VectorBlocks blocks = problem.blocks();
  for (unsigned part = 0; part < blocks.parts(); ++part) {
    const Crossing at(blocks, node, part, number);
    add_transfer(transfers, {.partner = at.partner,
                             .lane = part,
                             .outgoing = blocks.agreeing(at.partner, at.after, part),
                             .incoming = blocks.agreeing(node, at.after, part),
                             .arrival = Arrival::combined});
  }
}

}  // namespace ecube
