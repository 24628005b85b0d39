// SPDX-License-Identifier: Apache-2.0
// A first program, one that does not end, and their table.
#include "sw/examples/programs.h"

#include <stdexcept>
#include <string>

namespace ecube::programs {

/// 0 -> 1 -> ... -> N-1 -> 0.
Task<> ring(Node& node) {
  const NodeId next = (node.id() + 1) % node.size();
  const NodeId previous = (node.id() + node.size() - 1) % node.size();
  std::uint64_t passing = node.id();
  std::uint64_t sum = passing;
  for (NodeId step = 1; step < node.size(); ++step) {
    // The receive is posted before the send, so that the arriving number always finds its place.
    std::uint64_t arriving = 0;
    Pending receive = node.start_receive({.from = previous, .bytes = sizeof arriving, .data = Region::of(arriving)});
    co_await node.send({.to = next, .bytes = sizeof passing, .data = Region::of(passing)});
    co_await receive;
    passing = arriving;
    sum += passing;
  }
  const std::uint64_t all = std::uint64_t{node.size()} * (node.size() - 1) / 2;
  if (sum != all) throw std::runtime_error("the sum is " + std::to_string(sum) + " instead of " + std::to_string(all));
}

/// The last of an odd number of nodes has no partner, and waits for node 0.
Task<> deadlock(Node& node) { co_await node.receive({.from = (node.id() ^ 1U) % node.size(), .bytes = 8}); }

std::span<const Entry> all() {
  static constexpr Entry entries[] = {
      {"ring", "every node's number travels once around the ring", &ring},
      {"deadlock", "every node waits for a message that nobody sends", &deadlock},
  };
  return entries;
}

}  // namespace ecube::programs
