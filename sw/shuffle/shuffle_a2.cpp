// SPDX-License-Identifier: Apache-2.0
// Algorithm A2 for real constituents (Johnsson & Ho 1991, section 4.2).
#include <algorithm>

#include "sw/api/handshake.h"
#include "sw/shuffle/shuffle.h"

namespace ecube {

namespace {

bool bit_of(NodeId node, unsigned dim) { return (node >> dim & 1U) != 0; }

}  // namespace

/// The elements in `count` parts; part g begins with the g-th dimension of the cycle, so that at every step the parts
/// are in different dimensions.
std::vector<GeneralisedShuffle::Group> GeneralisedShuffle::groups_of(const RealConstituent& real,
                                                                     std::uint32_t count) const {
  const std::uint64_t length = (local_elements() + count - 1) / count;
  std::vector<Group> groups;
  for (std::uint32_t g = 0; g < count; ++g) {
    Group& group = groups.emplace_back();
    for (unsigned i = 0; i < real.order(); ++i) {
      group.dims.push_back(real.dims[(g + i) % real.order()]);
      group.complement.push_back(real.complement[(g + i) % real.order()]);
    }
    group.begin = std::min(g * length, local_elements());
    group.end = std::min(group.begin + length, local_elements());
  }
  return groups;
}

/// Half of the nodes send everything to the others in the first dimension, these exchange half of what they have in
/// each of the next, and give the half back in the last: the least start-ups there can be, with twice the memory. A
/// node with two buffers has in one of them the elements whose bit, of the dimension gone through last, was its own.
Task<> GeneralisedShuffle::run_a2(Node& node, const RealConstituent& real) {
  const std::uint32_t engines = workload_.ports.engines;
  const bool all_ports = engines == Ports::n || engines >= real.order();
  const std::vector<Group> groups = groups_of(real, all_ports && engines != 1 ? real.order() : 1);
  const std::span<Element> own = memory(node.id());
  const std::span<Element> second = std::span(second_).subspan(node.id() * local_elements(), local_elements());
  struct State {
    bool active = true;
    std::span<Element> kept;      ///< of what the bit gone through last was the node's own
    std::span<Element> received;  ///< of what it was the other
  };
  std::vector<State> states;
  for (const Group& group : groups) {
    const bool last = bit_of(node.id(), group.dims.back()) != group.complement.front();
    states.push_back({.active = bit_of(node.id(), group.dims.front()) == last, .kept = own, .received = second});
  }
  const unsigned order = real.order();
  const std::uint64_t longest = groups.front().end - groups.front().begin;
  for (unsigned step = 0; step < order; ++step) {
    // What leaves in this step, and where what comes goes to.
    std::vector<std::pair<std::span<Element>, std::span<Element>>> buffers;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      State& state = states[g];
      const bool mine = bit_of(node.id(), groups[g].dims[step]) != groups[g].complement[step];
      // The carried bit of what was kept is the node's bit of the dimension before, of what was received its
      // complement.
      const bool kept = step > 0 && bit_of(node.id(), groups[g].dims[step - 1]);
      if (step == 0) {
        buffers.emplace_back(state.active ? std::span<Element>{} : own, state.active ? second : std::span<Element>{});
      } else if (step + 1 < order) {
        if (kept != mine) std::swap(state.kept, state.received);
        // Now `kept` stays and `received` is exchanged.
        buffers.emplace_back(state.active ? state.received : std::span<Element>{},
                             state.active ? state.received : std::span<Element>{});
      } else {
        if (kept != mine) std::swap(state.kept, state.received);
        buffers.emplace_back(state.active ? state.received : std::span<Element>{},
                             state.active ? std::span<Element>{} : own);
      }
    }
    for (std::uint64_t at = 0; at < longest; at += workload_.packet) {
      std::vector<Transfer> transfers;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const std::uint64_t begin = groups[g].begin + at;
        const std::uint64_t end = std::min<std::uint64_t>(begin + workload_.packet, groups[g].end);
        if (begin >= end) continue;
        const auto part = [&](std::span<Element> buffer) {
          return buffer.empty() ? buffer : buffer.subspan(begin, end - begin);
        };
        const Transfer one{.dim = groups[g].dims[step],
                           .type = static_cast<std::uint32_t>(g),
                           .outgoing = part(buffers[g].first),
                           .incoming = part(buffers[g].second)};
        if (!one.outgoing.empty() || !one.incoming.empty()) transfers.push_back(one);
      }
      counter_.begin(node.id());
      co_await transfer(node, transfers);
    }
  }
  std::uint64_t moved = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!states[g].active || states[g].kept.data() == own.data()) continue;
    for (std::uint64_t y = groups[g].begin; y < groups[g].end; ++y) own[y] = states[g].kept[y];
    moved += groups[g].end - groups[g].begin;
  }
  if (moved > 0) co_await move_locally(node, moved);
}

/// All transfers of the packet step that the node has begun, at once.
Task<> GeneralisedShuffle::transfer(Node& node, std::span<const Transfer> transfers) {
  const Handshake handshake = handshake_of(node.machine());
  const PairwiseSync sync = workload_.paced ? handshake.sync : PairwiseSync::off;
  const auto region = [](std::span<Element> elements) {
    return elements.empty()
               ? Region{}
               : Region::contiguous(reinterpret_cast<std::byte*>(elements.data()), elements.size() * element_bytes);
  };
  const auto label = static_cast<std::uint16_t>(counter_.step_of(node.id()));
  std::vector<Pending> pending;
  pending.reserve(transfers.size());
  for (const Transfer& one : transfers) {
    const NodeId other = neighbour(node.id(), one.dim);
    const Bytes out = one.outgoing.size() * element_bytes;
    const Bytes in = one.incoming.size() * element_bytes;
    if (handshake.paired || (!one.outgoing.empty() && !one.incoming.empty())) {
      pending.push_back(node.start_exchange({.with = other,
                                             .type = one.type,
                                             .bytes = out,
                                             .room = in,
                                             .outgoing = region(one.outgoing),
                                             .incoming = region(one.incoming),
                                             .phase = label,
                                             .sync = sync}));
    } else if (!one.outgoing.empty()) {
      pending.push_back(node.start_send(
          {.to = other, .type = one.type, .bytes = out, .data = region(one.outgoing), .phase = label, .sync = sync}));
    } else {
      pending.push_back(node.start_receive(
          {.from = other, .type = one.type, .bytes = in, .data = region(one.incoming), .sync = sync}));
    }
  }
  for (std::size_t i = 0; i < pending.size(); ++i) {
    Pending& one = pending[i];
    const Received got = co_await one;
    if (!transfers[i].incoming.empty()) counter_.arrived(node.id(), got.bytes / element_bytes);
  }
}

}  // namespace ecube
