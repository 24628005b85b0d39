// SPDX-License-Identifier: Apache-2.0
// Blocks by the bits of their numbers: those that agree with a label in the dimensions crossed are sent and received.
#include "models/family/plan.h"

#include <utility>

namespace ecube {

std::uint64_t items_in(const ItemRanges& ranges) {
  std::uint64_t items = 0;
  for (const Items& range : ranges) items += range.count;
  return items;
}

void append(ItemRanges& ranges, const Items& items) {
  if (items.count == 0) return;
  if (!ranges.empty() && ranges.back().first + ranges.back().count == items.first) {
    ranges.back().count += items.count;
  } else {
    ranges.push_back(items);
  }
}

NodeId VectorBlocks::crossed(unsigned part, unsigned step) const {
  NodeId bits = 0;
  for (unsigned before = 0; before < step; ++before) bits |= NodeId{1} << direction(part, before);
  return bits;
}

ItemRanges VectorBlocks::agreeing(NodeId node, NodeId mask, unsigned part) const {
  const NodeId all = static_cast<NodeId>((std::uint64_t{1} << dim_) - 1);
  const NodeId free = all & ~mask;
  const NodeId first = node & mask;
  ItemRanges ranges;
  if (parts() == 1 && (free & (free + 1)) == 0) {  // neighbouring blocks are one range
    const Items low = block(first);
    const Items high = block(first | free);
    append(ranges, {low.first, high.first + high.count - low.first});
    return ranges;
  }
  NodeId chosen = 0;
  do {
    append(ranges, piece_of(block(first | chosen), part, parts()));
    chosen = (chosen - free) & free;
  } while (chosen != 0);
  return ranges;
}

void add_transfer(PlannedTransfers& transfers, PlannedTransfer transfer) {
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
               PlannedTransfers& transfers) {
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

void scatter_step(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) {
  tree_step(problem, node, number, true, transfers);
}

void gather_step(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) {
  tree_step(problem, node, problem.dim - 1 - number, false, transfers);
}

void all_gather_step(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) {
  const VectorBlocks blocks = problem.blocks();
  for (unsigned part = 0; part < blocks.parts(); ++part) {
    const Crossing at(blocks, node, part, problem.dim - 1 - number);
    add_transfer(transfers, {.partner = at.partner,
                             .lane = part,
                             .outgoing = blocks.agreeing(node, at.after, part),
                             .incoming = blocks.agreeing(at.partner, at.after, part)});
  }
}

void reduce_scatter_step(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) {
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
