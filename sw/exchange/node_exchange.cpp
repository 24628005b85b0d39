// SPDX-License-Identifier: Apache-2.0
// Phases and steps on one node.
#include "sw/exchange/node_exchange.h"

#include <cstring>

namespace ecube {

namespace {

/// Moves every block to its slot after `phase`.
void shuffle(std::span<std::byte> memory, Bytes block, const Phase& phase) {
  const std::vector<std::byte> before(memory.begin(), memory.end());
  for (NodeId slot = 0; slot < phase.nodes; ++slot) {
    std::memcpy(memory.data() + phase.slot_after(slot) * block, before.data() + slot * block, block);
  }
}

}  // namespace

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
    shuffle(memory, block, phase);
    co_await node.permute(memory.size(), block, phase.columns());
  }
}

}  // namespace ecube
