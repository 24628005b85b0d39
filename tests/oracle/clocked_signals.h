// SPDX-License-Identifier: Apache-2.0
// What travels on the wires of the clocked reference: one forward and one backward register stage for each link.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "tests/oracle/clocked_reference.h"

namespace ecube::oracle {

/// Network ports and node ports of the largest router (P = D).
inline constexpr std::size_t max_router_ports = std::size_t{2} * max_clocked_dim;

enum class Word : std::uint8_t { idle, probe, phit, tail };

/// Source to destination. `message` is a tag for the record; routers decide on `word` and `remaining` only.
struct Forward {
  Word word = Word::idle;
  NodeId remaining = 0;  ///< of a probe: the dimensions still to be crossed
  std::size_t message = 0;
};

/// Destination to source, against the direction of the link.
struct Backward {
  bool acknowledge = false;
  bool stop = false;  ///< with wormhole switching: nothing more until it goes away
  std::size_t message = 0;
};

using ForwardWires = std::array<Forward, max_router_ports>;
using BackwardWires = std::array<Backward, max_router_ports>;

/// D network ports followed by P node ports.
struct Shape {
  unsigned dim = 0;
  std::uint32_t node_ports = 1;
  [[nodiscard]] std::size_t router_ports() const { return dim + node_ports; }
};

/// A sentence of hw/README.md that the registers must bear out, e.g. that a link has one owner.
inline void require(bool holds, const char* sentence) {
  if (!holds) throw std::logic_error(sentence);
}

}  // namespace ecube::oracle
