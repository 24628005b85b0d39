// SPDX-License-Identifier: Apache-2.0
// The binary cube: node labels, e-cube routes and subcubes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
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

/// The node at the other end of a node's link in `dimension`.
[[nodiscard]] constexpr NodeId neighbour(NodeId node, unsigned dimension) {
  return node ^ NodeId { 1 } << dimension;
}

/// One link is one direction of a cable: it leaves `node` by the output `dimension`: in a cube, that bit of the label
/// changes; elsewhere the topology says where the output leads.
struct LinkId {
  NodeId node = 0;
  unsigned dimension = 0;
  friend constexpr bool operator==(const LinkId&, const LinkId&) = default;
};

/// The links of the e-cube route between two nodes, lowest differing dimension first: a range of LinkId.
class Route {
 public:
  class Iterator {
   public:
    using value_type = LinkId;
    using difference_type = std::ptrdiff_t;

    constexpr Iterator() = default;
    constexpr Iterator(NodeId at, NodeId remaining) : at_(at), remaining_(remaining) {}
    /// The link taken next, unless the route has arrived.
    constexpr LinkId operator*() const { return {at_, static_cast<unsigned>(std::countr_zero(remaining_))}; }
    constexpr Iterator& operator++() {
      const NodeId rest = remaining_ & (remaining_ - 1);
      at_ ^= remaining_ ^ rest;
      remaining_ = rest;
      return *this;
    }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    /// The node from which the next link leaves; the last one when the route has arrived.
    [[nodiscard]] constexpr NodeId node() const { return at_; }
    friend constexpr bool operator==(const Iterator& place, std::default_sentinel_t) { return place.remaining_ == 0; }

   private:
    NodeId at_ = 0;
    NodeId remaining_ = 0;
  };

  constexpr Route(NodeId from, NodeId to) : first_(from, from ^ to) {}
  [[nodiscard]] constexpr Iterator begin() const { return first_; }
  [[nodiscard]] constexpr std::default_sentinel_t end() const { return std::default_sentinel; }

 private:
  Iterator first_;
};

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
