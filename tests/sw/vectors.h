// SPDX-License-Identifier: Apache-2.0
// Vectors on nodes, and functions that combine their items.
#pragma once

#include <cstring>

#include "models/contract/node_ports.h"
#include "models/machine/random.h"

namespace ecube {

/// The item of a node's vector, all different.
inline std::uint32_t item(NodeId node, std::uint64_t place) {
  return static_cast<std::uint32_t>(mix(std::uint64_t{node} << 32 | place));
}

inline void fill(NodeId node, std::uint64_t first, std::uint64_t count, std::byte* items) {
  for (std::uint64_t i = 0; i < count; ++i, items += sizeof(std::uint32_t)) {
    const std::uint32_t value = item(node, first + i);
    std::memcpy(items, &value, sizeof value);
  }
}

/// x -> a x + b modulo 2^16, a in the upper half: the composition is associative, but not commutative.
inline std::uint32_t compose(std::uint32_t left, std::uint32_t right) {
  const std::uint32_t a = (left >> 16) * (right >> 16) & 0xFFFF;
  const std::uint32_t b = ((left >> 16) * (right & 0xFFFF) + left) & 0xFFFF;
  return a << 16 | b;
}

inline std::uint32_t add(std::uint32_t left, std::uint32_t right) { return left + right; }

using Function = std::uint32_t (*)(std::uint32_t, std::uint32_t);

}  // namespace ecube
