// SPDX-License-Identifier: Apache-2.0
// The barrier: zero-byte exchanges over the bits of labels.
#pragma once

#include <bit>

#include "sw/api/node.h"

namespace ecube {

/// Of messages of a barrier in step 0, 1, ..
inline constexpr std::uint32_t barrier_tag = 0x7FFF0000;
inline constexpr std::uint32_t barrier_tags = 32;

/// Messages of a barrier of so many nodes.
[[nodiscard]] inline std::uint64_t barrier_messages(NodeId nodes) {
  const NodeId paired = std::bit_floor(nodes);
  return std::uint64_t{paired} * static_cast<unsigned>(std::bit_width(nodes) - 1) + 4 * std::uint64_t{nodes - paired};
}

/// No node leaves before every node has entered. Its messages are never lost, whatever the machine's protocol. Nodes
/// beyond the largest power of two have a partner among the others, which enters after them and lets them leave.
inline Task<> barrier(Node& node, std::uint16_t phase = 0) {
  const auto bits = static_cast<unsigned>(std::bit_width(node.size()) - 1);
  const NodeId partner = neighbour(node.id(), bits);
  const bool has_partner = partner < node.size();
  if (has_partner) co_await node.signal({.with = partner, .tag = barrier_tag + bits, .phase = phase});
  for (unsigned bit = 0; bit < bits && node.id() >> bits == 0; ++bit) {
    co_await node.signal({.with = neighbour(node.id(), bit), .tag = barrier_tag + bit, .phase = phase});
  }
  if (has_partner) co_await node.signal({.with = partner, .tag = barrier_tag + bits + 1, .phase = phase});
}

}  // namespace ecube
