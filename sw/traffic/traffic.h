// SPDX-License-Identifier: Apache-2.0
// Traffic: messages that leave at given cycles, whatever has become of the ones before, to load the network with.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/api/firmware.h"

namespace ecube {

/// One message, to be sent at `cycle` or as soon as its node gets to it.
struct TrafficMessage {
  NodeId source = 0;
  NodeId destination = 0;
  Bytes bytes = 0;
  Cycles cycle = 0;
};

/// Who sends to whom. With d address bits s_(d-1) .. s_0 of the source (Dally & Towles 2004, section 3.2):
enum class TrafficPattern : std::uint8_t {
  uniform,     ///< any other node, at random
  bitcomp,     ///< d_i = not s_i
  bitrev,      ///< d_i = s_(d-1-i)
  transpose,   ///< the two halves of the address change places; for even d
  shuffle,     ///< d_i = s_(i-1 mod d)
  randperm,    ///< one permutation of the nodes, at random
  neighbor,    ///< the node across a random dimension
  hotspot,     ///< the last node with probability 1/4, otherwise uniform
  all_to_one,  ///< node 0, which sends nothing
};

struct TrafficWorkload {
  TrafficPattern pattern = TrafficPattern::uniform;
  std::uint64_t messages = 0;  ///< of each node
  double rate = 0;             ///< messages of each node per 1,000 cycles; gaps are geometric (a Bernoulli process)
  Bytes bytes = 0;
  std::uint64_t seed = 0;
};

/// The messages of a workload in order of source, then of cycle. A node that its pattern maps to itself sends to
/// itself.
[[nodiscard]] std::vector<TrafficMessage> make_traffic(const TrafficWorkload& workload, unsigned dim);

/// Sends messages and receives them, each identified by a tag.
class Traffic {
 public:
  /// `messages` in any order; those of one node leave in order of cycle, then of place.
  Traffic(std::vector<TrafficMessage> messages, unsigned dim);

  [[nodiscard]] const std::vector<TrafficMessage>& messages() const { return messages_; }
  [[nodiscard]] Task<> run(Node& node);
  /// The cycle at which message i was received, or `not_received`.
  static constexpr Cycles not_received = ~Cycles{0};
  [[nodiscard]] const std::vector<Cycles>& received_at() const { return received_at_; }
  /// Messages that were not received by their destination, in their length, once.
  [[nodiscard]] std::uint64_t wrong() const;

 private:
  std::vector<TrafficMessage> messages_;
  std::vector<std::size_t> first_;      ///< [node]: its messages are first_[node] .. first_[node + 1] - 1
  std::vector<std::uint32_t> expects_;  ///< [node]
  Bytes longest_ = 0;
  std::vector<Cycles> received_at_;
  std::uint64_t strays_ = 0;
};

}  // namespace ecube
