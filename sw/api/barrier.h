// SPDX-License-Identifier: Apache-2.0
// The barrier: zero-byte exchanges over the dimensions.
#pragma once

#include "sw/api/node.h"

namespace ecube {

/// Of messages of a barrier over dimension 0, 1, ..
inline constexpr std::uint32_t barrier_type = 0x7FFF0000;
inline constexpr std::uint32_t barrier_types = 32;

/// No node leaves before every node has entered. Its messages are never lost, whatever the machine's protocol.
inline Task<> barrier(Node& node, std::uint16_t phase = 0) {
  for (unsigned dimension = 0; dimension < node.dim(); ++dimension) {
    co_await node.signal({.with = neighbour(node.id(), dimension), .type = barrier_type + dimension, .phase = phase});
  }
}

}  // namespace ecube
