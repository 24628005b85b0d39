// SPDX-License-Identifier: Apache-2.0
// A2 squared for several real 2-cycles at once (Johnsson & Ho 1991, section 4.2).
#include <array>

#include "sw/shuffle/shuffle.h"

namespace ecube {

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
