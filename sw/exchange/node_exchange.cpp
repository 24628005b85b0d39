// SPDX-License-Identifier: Apache-2.0
// Phases and steps on one node; the sorted list of partitions and its search.
#include "sw/exchange/node_exchange.h"

#include "sw/exchange/blocks.h"

namespace ecube {

/// Bokhari 1993, section 2.3, as CompleteExchange has it for all nodes at once.
Task<> NodeExchange::run_as(Node& node, NodeId label, NodeId (*node_of)(NodeId), std::span<std::byte> memory,
                            std::uint32_t tag) const {
  const Bytes block = memory.size() / phases_.front().nodes;
  for (const Phase& phase : phases_) {
    const Bytes bytes = block * phase.effective();
    for (NodeId step = 1; step < phase.size(); ++step) {
      const NodeId partner = phase.partner(label, step);
      const SlotRuns slots = phase.slots(phase.index_of(partner));
      const Region region{memory.data() + slots.first * block, slots.run * block, slots.stride * block, slots.runs};
      co_await node.exchange({.with = node_of(partner),
                              .tag = tag + phase.index,
                              .bytes = bytes,
                              .outgoing = region,
                              .incoming = region,
                              .phase = phase.index});
    }
    if (phase.is_identity()) continue;
    read_by_columns(memory.first(block * phase.nodes), block, phase.columns());
    co_await node.permute(memory.size(), block, phase.columns());
  }
}

ChosenExchange::ChosenExchange(const Hull& hull, BlockOrder order, Cycles comparison) : comparison_(comparison) {
  for (const HullFace& face : hull.faces()) {
    faces_.push_back({hull.block(face), NodeExchange(hull.partition(face), order)});
  }
}

ChosenExchange::Choice ChosenExchange::at(Bytes bytes) const {
  unsigned comparisons = 0;
  std::size_t first = 0;  // begins at or below `bytes`
  for (std::size_t count = faces_.size(); count > 1; ++comparisons) {
    const std::size_t half = count / 2;
    const bool beyond = faces_[first + half].from <= static_cast<Wide>(bytes);
    first += beyond ? half : 0;
    count = beyond ? count - half : half;
  }
  return {&faces_[first].exchange, comparisons};
}

Task<> ChosenExchange::tell(Node& node, Bytes& bytes, std::uint32_t tag) {
  const Region told = Region::of(bytes);
  for (unsigned i = node.dim(); i-- > 0;) {
    const NodeId bit = NodeId{1} << i;
    if ((node.id() & (bit - 1)) != 0) continue;  // is told later
    if ((node.id() & bit) != 0) {
      co_await node.receive({.from = node.id() ^ bit, .tag = tag, .bytes = sizeof bytes, .data = told});
    } else {
      co_await node.send({.to = node.id() ^ bit, .tag = tag, .bytes = sizeof bytes, .data = told});
    }
  }
}

Task<> standard_exchange(Node& node, std::span<std::byte> blocks) {
  const Bytes half = blocks.size() / 2;
  const Bytes block = blocks.size() >> node.dim();
  const NodeId columns = node.size() / 2;
  for (unsigned j = node.dim(); j-- > 0;) {
    const bool lower = (node.id() >> j & 1U) == 0;
    const Region sent = Region::contiguous(blocks.data() + (lower ? half : 0), half);
    const auto step = static_cast<std::uint16_t>(node.dim() - 1 - j);
    co_await node.exchange({.with = node.id() ^ NodeId{1} << j,
                            .tag = step,
                            .bytes = half,
                            .outgoing = sent,
                            .incoming = sent,
                            .phase = step});
    if (node.dim() == 1) continue;  // two blocks are in place
    // A perfect shuffle: the blocks of the two halves take turns.
    read_by_columns(blocks.first(block * node.size()), block, columns);
    co_await node.permute(blocks.size(), block, columns);
  }
}

Task<> direct_exchange(Node& node, std::span<std::byte> blocks) {
  const Bytes block = blocks.size() >> node.dim();
  for (NodeId i = 1; i < node.size(); ++i) {
    const NodeId partner = node.id() ^ i;
    const Region sent = Region::contiguous(blocks.data() + partner * block, block);
    co_await node.exchange({.with = partner, .bytes = block, .outgoing = sent, .incoming = sent});
  }
}

}  // namespace ecube
