// SPDX-License-Identifier: Apache-2.0
// Standard and Direct, without partitions and phases.
#include "sw/exchange/printed_exchange.h"

#include <algorithm>
#include <vector>

namespace ecube {

namespace {

/// A perfect shuffle: the blocks of the two halves take turns.
void shuffle(std::span<std::byte> blocks, Bytes block) {
  const std::vector<std::byte> before(blocks.begin(), blocks.end());
  const auto at = [&](const std::byte* base, Bytes i) { return base + i * block; };
  const Bytes half = blocks.size() / block / 2;
  for (Bytes i = 0; i < half; ++i) {
    std::copy_n(at(before.data(), i), block, blocks.data() + 2 * i * block);
    std::copy_n(at(before.data(), half + i), block, blocks.data() + (2 * i + 1) * block);
  }
}

}  // namespace

Task<> standard_exchange(Node& node, std::span<std::byte> blocks) {
  const Bytes half = blocks.size() / 2;
  const Bytes block = blocks.size() >> node.dim();
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
    shuffle(blocks, block);
    co_await node.permute(blocks.size(), block, 1U << (node.dim() - 1));
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
