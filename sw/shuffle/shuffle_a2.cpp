// SPDX-License-Identifier: Apache-2.0
// Algorithm A2 for real constituents, and A2 squared for several real 2-cycles at once (Johnsson & Ho 1991,
// section 4.2).
#include <algorithm>
#include <array>

#include "models/machine/quantity.h"
#include "sw/api/routine.h"
#include "sw/shuffle/shuffle.h"

namespace ecube {

/// On all ports as many parts as there are dimensions; part g begins with the g-th dimension of the cycle, so that at
/// every step the parts are in different dimensions.
std::vector<GeneralisedShuffle::Group> GeneralisedShuffle::groups_of(NodeId node, const Constituent& real) {
  const std::uint32_t count = workload_.all_at_once(real) ? real.order() : 1;
  const std::uint64_t length = (local_elements() + count - 1) / count;
  const std::span<Element> second = std::span(second_).subspan(node * local_elements(), local_elements());
  std::vector<Group> groups;
  for (std::uint32_t g = 0; g < count; ++g) {
    Group& group = groups.emplace_back();
    for (unsigned i = 0; i < real.order(); ++i) {
      group.dims.push_back(real.dims[(g + i) % real.order()]);
      group.complement.push_back(real.complement[(g + i) % real.order()]);
    }
    group.begin = std::min(g * length, local_elements());
    group.end = std::min(group.begin + length, local_elements());
    const bool last = bit_of(node, group.dims.back()) != group.complement.front();
    group.active = bit_of(node, group.dims.front()) == last;
    group.kept = memory(node).subspan(group.begin, group.end - group.begin);
    group.received = second.subspan(group.begin, group.end - group.begin);
  }
  return groups;
}

/// Half of the nodes send everything to the others in the first dimension, these exchange half of what they have in
/// each of the next, and give the half back in the last: the least start-ups there can be, with twice the memory. A
/// node with two buffers has in one of them the elements whose bit, of the dimension gone through last, was its own.
Task<> GeneralisedShuffle::run_a2(Node& node, const Constituent& real) {
  std::vector<Group> groups = groups_of(node.id(), real);
  for (unsigned step = 0; step < real.order(); ++step) {
    std::vector<Transfer> whole;
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      whole.push_back(a2_transfer(node.id(), groups[g], step));
      whole.back().tag = g;
    }
    co_await transfer_in_packets(node, whole, groups.front().end - groups.front().begin);
  }
  const std::span<Element> own = memory(node.id());
  std::uint64_t moved = 0;
  for (const Group& group : groups) {
    if (!group.active || group.kept.data() == own.data() + group.begin) continue;
    std::copy(group.kept.begin(), group.kept.end(), own.begin() + static_cast<std::ptrdiff_t>(group.begin));
    moved += group.kept.size();
  }
  if (moved > 0) co_await move_locally(node, moved);
}

/// The elements that leave in a step, and the places of those that arrive.
GeneralisedShuffle::Transfer GeneralisedShuffle::a2_transfer(NodeId node, Group& group, unsigned step) {
  const std::span<Element> own = memory(node).subspan(group.begin, group.end - group.begin);
  const std::span<Element> none;
  const unsigned dim = group.dims[step];
  if (step == 0) {
    return {.dim = dim, .outgoing = group.active ? none : own, .incoming = group.active ? group.received : none};
  }
  // The carried bit of what was kept is the node's bit of the dimension before, of what was received its complement.
  const bool wanted = bit_of(node, dim) != group.complement[step];
  if (bit_of(node, group.dims[step - 1]) != wanted) std::swap(group.kept, group.received);
  const std::span<Element> leaving = group.active ? group.received : none;
  if (step + 1 < group.dims.size()) return {.dim = dim, .outgoing = leaving, .incoming = leaving};
  return {.dim = dim, .outgoing = leaving, .incoming = group.active ? none : own};
}

Task<> GeneralisedShuffle::transfer_in_packets(Node& node, const std::vector<Transfer>& whole, std::uint64_t longest) {
  for (std::uint64_t at = 0; at < longest; at += workload_.packet) {
    const auto cut = [&](std::span<Element> elements) {
      const std::size_t begin = std::min<std::size_t>(at, elements.size());
      return elements.subspan(begin, std::min<std::size_t>(workload_.packet, elements.size() - begin));
    };
    std::vector<Transfer> packets;
    for (const Transfer& one : whole) {
      const Transfer packet{
          .dim = one.dim, .tag = one.tag, .outgoing = cut(one.outgoing), .incoming = cut(one.incoming)};
      if (!packet.outgoing.empty() || !packet.incoming.empty()) packets.push_back(packet);
    }
    counter_.begin(node.id());
    if (!packets.empty()) co_await transfer_packets(node, packets);
  }
}

Task<> GeneralisedShuffle::transfer_packets(Node& node, std::span<const Transfer> transfers) {
  return transfer(node, transfers, workload_.paced ? handshake_of(node.machine()).sync : PairwiseSync::off,
                  static_cast<std::uint16_t>(counter_.step_of(node.id())));
}

Task<> GeneralisedShuffle::transfer(Node& node, std::span<const Transfer> transfers, PairwiseSync sync,
                                    std::uint16_t label) {
  const std::uint32_t channels = node.machine().shared_channels();
  const auto region = [this](std::span<Element> elements) {
    return elements.empty() || workload_.folded
               ? Region{}
               : Region::contiguous(reinterpret_cast<std::byte*>(elements.data()), elements.size() * element_bytes);
  };
  const auto share_of = [channels](std::span<Element> elements, std::uint32_t channel) {
    if (channels == 1) return elements;
    const std::size_t begin = quotient_up(elements.size() * channel, channels);
    return elements.subspan(begin, quotient_up(elements.size() * (channel + 1), channels) - begin);
  };
  /// What goes by one channel.
  struct Part {
    const Transfer* of;
    Pending pending;
  };
  std::vector<Part> parts;
  parts.reserve(transfers.size() * channels);
  for (const Transfer& one : transfers) {
    const NodeId other = neighbour(node.id(), one.dim);
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
      const std::span<Element> outgoing = share_of(one.outgoing, channel);
      const std::span<Element> incoming = share_of(one.incoming, channel);
      if (outgoing.empty() && incoming.empty()) continue;
      const Exchange both{.with = other,
                          .tag = one.tag * channels + channel,
                          .bytes = outgoing.size() * element_bytes,
                          .room = incoming.size() * element_bytes,
                          .outgoing = region(outgoing),
                          .incoming = region(incoming),
                          .port = channel == 0 ? automatic_port : static_cast<std::uint8_t>(channel * dim_ + one.dim),
                          .phase = label,
                          .sync = sync};
      parts.push_back({&one, as_message(both,
                                        {.paired = handshake_of(node.machine()).paired,
                                         .sends = !outgoing.empty(),
                                         .receives = !incoming.empty()},
                                        [&node](const auto& what) { return node.start(what); })});
    }
  }
  // Received data are processed while they are in the cache, not when the last message is complete.
  std::uint64_t arrived = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Pending& one = parts[i].pending;
    const Received got = co_await one;
    const Transfer& of = *parts[i].of;
    arrived += got.bytes / element_bytes;
    if (i + 1 < parts.size() && parts[i + 1].of == &of) continue;
    if (!of.incoming.empty()) counter_.arrived(node.id(), arrived);
    arrived = 0;
  }
}

/// In every packet step a node has one transfer in each dimension of each cycle. Where the two bits of a cycle differ,
/// it sends its own elements on their first hop and receives the partner's from their second; where they are equal, it
/// passes on the elements of others, which wait in a buffer beside its own.
Task<> GeneralisedShuffle::run_two_cycles(Node& node, const TwoCyclePlan& plan) {
  const std::span<Element> own = memory(node.id());
  const std::span<Element> passing = std::span(second_).subspan(node.id() * local_elements(), local_elements());
  /// Elements in a message, and their places in the node.
  struct Packet {
    std::vector<std::uint64_t> places;
    std::vector<Element> elements;
  };
  /// What goes both ways in one dimension.
  struct Lane {
    std::span<Element> buffer;
    Packet out;
    Packet in;
  };
  std::vector<std::array<Lane, 2>> lanes(plan.cycles().size());
  std::vector<Transfer> transfers;
  for (std::uint64_t step = 1; step <= plan.steps(); ++step) {
    counter_.begin(node.id());
    transfers.clear();
    for (std::uint32_t cycle = 0; cycle < lanes.size(); ++cycle) {
      const LabelBits& bits = plan.cycles()[cycle];
      const bool moves = bits.differ(node.id());
      for (std::uint32_t path = 0; path < 2; ++path) {
        Lane& lane = lanes[cycle][path];
        lane.buffer = moves ? own : passing;
        // The dimension that is the first of one path is the second of the other.
        Packet& first_hop = moves ? lane.out : lane.in;
        Packet& second_hop = moves ? lane.in : lane.out;
        first_hop.places.clear();
        second_hop.places.clear();
        if (step <= plan.packets()) plan.packet(cycle, path, step - 1, first_hop.places);
        if (step > 1) plan.packet(cycle, 1 - path, step - 2, second_hop.places);
        lane.out.elements.clear();
        for (const std::uint64_t place : lane.out.places) lane.out.elements.push_back(lane.buffer[place]);
        lane.in.elements.resize(lane.in.places.size());
        if (lane.out.elements.empty() && lane.in.elements.empty()) continue;
        transfers.push_back({.dim = bits.dim[path],
                             .tag = bits.dim[path],
                             .outgoing = lane.out.elements,
                             .incoming = lane.in.elements});
      }
    }
    co_await transfer_packets(node, transfers);
    for (const std::array<Lane, 2>& of_cycle : lanes) {
      for (const Lane& lane : of_cycle) {
        for (std::size_t i = 0; i < lane.in.places.size(); ++i) lane.buffer[lane.in.places[i]] = lane.in.elements[i];
      }
    }
  }
}

}  // namespace ecube
