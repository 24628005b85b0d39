// SPDX-License-Identifier: Apache-2.0
// Standard and Direct, without partitions and phases.
#include "sw/exchange/printed_exchange.h"

#include "sw/exchange/blocks.h"

namespace ecube {

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
