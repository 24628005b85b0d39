// SPDX-License-Identifier: Apache-2.0
// Extended-cube permutations: elements spread from a subcube over the whole cube, and back (Johnsson & Ho 1991,
// Corollary 2).
#include <algorithm>

#include "sw/shuffle/shuffle.h"

namespace ecube {

/// On n ports as many parts as there are dimensions to spread over, so that all of them are used at once, each part in
/// another.
std::vector<GeneralisedShuffle::Spread> GeneralisedShuffle::spreads_of(NodeId node) const {
  const unsigned extend = workload_.extend;
  const unsigned count = workload_.spread_parts();
  const std::uint64_t length = (local_elements() + count - 1) / count;
  std::vector<Spread> spreads;
  for (unsigned part = 0; part < count; ++part) {
    Spread& spread = spreads.emplace_back();
    for (unsigned i = 0; i < extend; ++i) spread.dims.push_back(dim_ - extend + (part + i) % extend);
    spread.begin = std::min(part * length, local_elements());
    spread.end = std::min(spread.begin + length, local_elements());
    if (node >> (dim_ - extend) == 0) spread.held.resize((spread.end - spread.begin) << extend);
  }
  return spreads;
}

/// The bits of its label in the order in which they are gone through, the first one highest: those that a node passes
/// on in a round are the upper half of what it holds.
NodeId GeneralisedShuffle::place_in(const Spread& spread, NodeId node) const {
  NodeId place = 0;
  for (const unsigned dim : spread.dims) place = place << 1 | (node >> dim & 1U);
  return place;
}

/// Between the nodes that hold the elements before and after, and the parts that are on their way.
void GeneralisedShuffle::copy_home(NodeId node, Spread& spread, bool outwards) {
  const unsigned below = dim_ - workload_.extend;
  const std::uint64_t length = spread.end - spread.begin;
  for (NodeId other = 0; length > 0 && other < NodeId{1} << workload_.extend; ++other) {
    Element* const home = &home_[node * workload_.elements + other * local_elements() + spread.begin];
    Element* const held = &spread.held[place_in(spread, other << below) * length];
    std::copy_n(outwards ? home : held, length, outwards ? held : home);
  }
}

Task<> GeneralisedShuffle::carry(Node& node, bool outwards) {
  std::vector<Spread> spreads = spreads_of(node.id());
  const bool is_home = node.id() >> (dim_ - workload_.extend) == 0;
  for (Spread& spread : spreads) {
    const std::span<Element> own = memory(node.id()).subspan(spread.begin, spread.end - spread.begin);
    if (!outwards) spread.held.assign(own.begin(), own.end());
    if (outwards && is_home) copy_home(node.id(), spread, true);
  }
  for (unsigned i = 0; i < workload_.extend; ++i) {
    co_await pass(node, spreads, outwards ? i : workload_.extend - 1 - i, outwards);
  }
  for (Spread& spread : spreads) {
    const std::span<Element> own = memory(node.id()).subspan(spread.begin, spread.end - spread.begin);
    if (outwards) std::copy_n(spread.held.begin(), own.size(), own.begin());
    if (!outwards && is_home) copy_home(node.id(), spread, false);
  }
}

/// In round i of a part, nodes whose bits of the dimensions still to come are 0 give half of what they hold to the
/// neighbour in dimension i, or get it back.
Task<> GeneralisedShuffle::pass(Node& node, std::span<Spread> spreads, unsigned round, bool outwards) {
  const unsigned extend = workload_.extend;
  std::vector<Transfer> whole;
  for (std::size_t part = 0; part < spreads.size(); ++part) {
    Spread& spread = spreads[part];
    const NodeId place = place_in(spread, node.id());
    const NodeId still = (NodeId{1} << (extend - round)) - 1;  // bits of this round and the later ones
    const bool near = (place & still) == 0;
    const bool far = (place & still) == (still + 1) / 2;
    const std::uint64_t half = (spread.end - spread.begin) << (extend - round - 1);
    if ((!near && !far) || half == 0) continue;
    const bool sends = near == outwards;
    if (!sends || near) spread.held.resize(near ? 2 * half : half);
    const std::span<Element> moving = std::span(spread.held).subspan(near ? half : 0, half);
    whole.push_back({.dim = spread.dims[round],
                     .tag = static_cast<std::uint32_t>(part),
                     .outgoing = sends ? moving : std::span<Element>{},
                     .incoming = sends ? std::span<Element>{} : moving});
  }
  const std::uint64_t longest = (spreads.front().end - spreads.front().begin) << (extend - round - 1);
  co_await transfer_in_packets(node, whole, longest);
  if (!outwards) co_return;
  for (Spread& spread : spreads) {
    const std::uint64_t half = (spread.end - spread.begin) << (extend - round - 1);
    if (spread.held.size() > half) spread.held.resize(half);
  }
}

}  // namespace ecube
