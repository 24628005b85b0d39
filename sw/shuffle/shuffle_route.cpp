// SPDX-License-Identifier: Apache-2.0
// A permutation without an algorithm: the network routes every packet directly to its destination.
#include <algorithm>
#include <tuple>

#include "sw/api/barrier.h"
#include "sw/shuffle/shuffle.h"

namespace ecube {

namespace {

/// An element that leaves for another node or comes from one.
struct Moving {
  NodeId other = 0;
  std::uint64_t there = 0;  ///< its local address at the source
  std::uint64_t here = 0;   ///< and here
};

/// A message: elements [begin, end) of the moving ones, all to or from one node.
struct Packet {
  NodeId other = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// By partner, nearest labels first, so that the nodes begin with different ones; then as at the source.
std::vector<Packet> packets_of(std::vector<Moving>& moving, NodeId node, std::uint64_t most) {
  std::ranges::sort(moving, {}, [node](const Moving& one) { return std::tuple(one.other ^ node, one.there); });
  std::vector<Packet> packets;
  for (std::uint64_t i = 0; i < moving.size(); ++i) {
    if (packets.empty() || packets.back().other != moving[i].other || i - packets.back().begin == most) {
      packets.push_back({.other = moving[i].other, .begin = i});
    }
    packets.back().end = i + 1;
  }
  return packets;
}

}  // namespace

Task<> GeneralisedShuffle::route(Node& node) {
  const std::span<Element> own = memory(node.id());
  const std::span<Element> arrived = std::span(second_).subspan(node.id() * own.size(), own.size());
  std::vector<Moving> leaving;
  std::vector<Moving> coming;
  std::vector<std::pair<std::uint64_t, Element>> staying;
  for (std::uint64_t y = 0; y < own.size(); ++y) {
    const Address to = workload_.permutation.destination({node.id(), y});
    const Address from = workload_.permutation.origin({node.id(), y});
    if (to.node != node.id()) leaving.push_back({.other = to.node, .there = y, .here = y});
    if (from.node != node.id()) coming.push_back({.other = from.node, .there = from.local, .here = y});
    if (to.node == node.id()) staying.emplace_back(to.local, own[y]);
  }
  const std::vector<Packet> outgoing = packets_of(leaving, node.id(), workload_.packet);
  const std::vector<Packet> incoming = packets_of(coming, node.id(), workload_.packet);

  const auto region = [](Element* elements, const Packet& packet) {
    return Region::contiguous(reinterpret_cast<std::byte*>(elements + packet.begin),
                              (packet.end - packet.begin) * element_bytes);
  };
  std::vector<Pending> pending;
  pending.reserve(outgoing.size() + incoming.size());
  for (const Packet& packet : incoming) {
    pending.push_back(node.start_receive({.from = packet.other,
                                          .bytes = (packet.end - packet.begin) * element_bytes,
                                          .data = region(arrived.data(), packet)}));
  }
  // A message that finds no receive posted is lost on such a machine.
  if (node.machine().library.protocol == Protocol::forced) co_await barrier(node);
  std::vector<Element> packed;
  packed.reserve(leaving.size());
  for (const Moving& one : leaving) packed.push_back(own[one.here]);
  for (const Packet& packet : outgoing) {
    pending.push_back(node.start_send({.to = packet.other,
                                       .bytes = (packet.end - packet.begin) * element_bytes,
                                       .data = region(packed.data(), packet)}));
  }
  co_await node.all(pending);
  std::uint64_t received = 0;
  for (std::size_t i = 0; i < incoming.size(); ++i) received += pending[i].received().bytes / element_bytes;
  apart_.steps = std::max(apart_.steps, received);
  apart_.startups = std::max<std::uint64_t>(apart_.startups, incoming.size());
  for (const auto& [local, element] : staying) own[local] = element;
  for (std::uint64_t i = 0; i < coming.size(); ++i) own[coming[i].here] = arrived[i];
  if (!staying.empty()) co_await move_locally(node, staying.size());
}

}  // namespace ecube
