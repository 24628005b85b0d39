// SPDX-License-Identifier: Apache-2.0
// The binary cube: node labels, e-cube routes and subcubes.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace ecube {

using NodeId = std::uint32_t;
using Cycles = std::uint64_t;
using Bytes = std::uint64_t;

/// The edge of an event that never happens.
inline constexpr Cycles never = std::numeric_limits<Cycles>::max();

inline constexpr unsigned max_simulated_dim = 20;
inline constexpr unsigned max_predicted_dim = 10'000;

/// Links between two nodes on the e-cube route: the bits in which their labels differ.
[[nodiscard]] constexpr unsigned hops(NodeId from, NodeId to) {
  // std::popcount would be a call into the compiler's library: the oldest processors of Debian's amd64 cannot count
  // bits.
  std::uint32_t bits = from ^ to;
  bits -= bits >> 1 & 0x55555555U;
  bits = (bits & 0x33333333U) + (bits >> 2 & 0x33333333U);
  return ((bits + (bits >> 4)) & 0x0F0F0F0FU) * 0x01010101U >> 24;
}

/// Whether the bit of a label is 1.
[[nodiscard]] constexpr bool bit_of(NodeId label, unsigned dimension) { return (label >> dimension & 1U) != 0; }

/// The node at the other end of a node's link in `dimension`.
[[nodiscard]] constexpr NodeId neighbour(NodeId node, unsigned dimension) {
  return node ^ NodeId { 1 } << dimension;
}

/// One link is one direction of a cable: it leaves `node` by `output`, which in a cube is the bit of the label that
/// changes; elsewhere the topology says where an output leads.
struct LinkId {
  NodeId node = 0;
  unsigned output = 0;
  friend constexpr bool operator==(const LinkId&, const LinkId&) = default;
};

/// Calls action(LinkId) for each link of the e-cube route between two nodes, lowest differing dimension first.
template <class Action>
constexpr void along_route(NodeId from, NodeId to, const Action& action) {
  for (NodeId remaining = from ^ to; remaining != 0; remaining &= remaining - 1) {
    action(LinkId{from, static_cast<unsigned>(std::countr_zero(remaining))});
    from ^= remaining & (~remaining + 1);
  }
}

/// The dimension of the route's first link, by which a message leaves an n-port node; 0 for a message to itself.
[[nodiscard]] constexpr unsigned first_dimension(NodeId from, NodeId to) {
  return from == to ? 0 : static_cast<unsigned>(std::countr_zero(from ^ to));
}
/// The dimension of its last link, by which it arrives; 0 for a message to itself.
[[nodiscard]] constexpr unsigned last_dimension(NodeId from, NodeId to) {
  return from == to ? 0 : static_cast<unsigned>(std::bit_width(from ^ to)) - 1;
}

/// The node after `from` on the e-cube route to `to`; `to` itself when it has arrived.
[[nodiscard]] constexpr NodeId next_hop(NodeId from, NodeId to) {
  const NodeId remaining = from ^ to;
  return from ^ (remaining & (~remaining + 1));
}

/// The nodes that agree with one another outside bits [low .. low + dim - 1] of their labels.
struct Subcube {
  unsigned low = 0;
  unsigned dim = 0;

  [[nodiscard]] constexpr NodeId size() const { return NodeId{1} << dim; }
  [[nodiscard]] constexpr NodeId mask() const { return (size() - 1) << low; }
  /// The label of `node` within its subcube, 0 .. size() - 1.
  [[nodiscard]] constexpr NodeId index_of(NodeId node) const { return (node & mask()) >> low; }
  /// The node of the same subcube as `node` that has label `index` within it.
  [[nodiscard]] constexpr NodeId member(NodeId node, NodeId index) const { return (node & ~mask()) | (index << low); }
};

}  // namespace ecube
