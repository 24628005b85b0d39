// SPDX-License-Identifier: Apache-2.0
// Words that name nodes, and their images under a translation of the cube.
#pragma once

#include <cstdint>

#include "models/machine/cube.h"

namespace ecube {

/// A word that names two nodes, a source and a destination, and a tag modulo 2^11. Its highest bit tells it from words
/// that name nothing.
[[nodiscard]] constexpr std::uint64_t name_of_pair(NodeId from, NodeId to, std::uint32_t tag = 0) {
  static_assert(max_simulated_dim == 20, "a label takes 20 bits");
  return std::uint64_t{1} << 63 | std::uint64_t{tag & 0x7FF} << 52 | std::uint64_t{from} << 26 | to;
}

/// The image of a word under the translation of the cube that takes node 0 to node `by`: the nodes x that it names
/// become x XOR `by`. A word that names nothing does not change.
[[nodiscard]] constexpr std::uint64_t translated(std::uint64_t word, NodeId by) {
  return word >> 63 == 0 ? word : word ^ (std::uint64_t{by} << 26 | by);
}

}  // namespace ecube
