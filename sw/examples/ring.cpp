// SPDX-License-Identifier: Apache-2.0
// A first program: every node's number travels once around the ring 0 -> 1 -> ... -> N-1 -> 0.
#include <stdexcept>
#include <string>

#include "sw/examples/programs.h"

namespace ecube::programs {

Task<> ring(Node& node) {
  const NodeId next = (node.id() + 1) % node.size();
  const NodeId previous = (node.id() + node.size() - 1) % node.size();
  std::uint64_t passing = node.id();
  std::uint64_t sum = passing;
  for (NodeId step = 1; step < node.size(); ++step) {
    // The receive is posted before the send, so that the arriving number always finds its place.
    std::uint64_t arriving = 0;
    Pending receive =
        node.start_receive({.from = previous,
                            .bytes = sizeof arriving,
                            .data = Region::contiguous(reinterpret_cast<std::byte*>(&arriving), sizeof arriving)});
    co_await node.send({.to = next,
                        .bytes = sizeof passing,
                        .data = Region::contiguous(reinterpret_cast<std::byte*>(&passing), sizeof passing)});
    co_await receive;
    passing = arriving;
    sum += passing;
  }
  const std::uint64_t all = std::uint64_t{node.size()} * (node.size() - 1) / 2;
  if (sum != all) throw std::runtime_error("the sum is " + std::to_string(sum) + " instead of " + std::to_string(all));
}

}  // namespace ecube::programs
