// SPDX-License-Identifier: Apache-2.0
// Patterns, and the firmware that plays them.
#include "sw/traffic/traffic.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "models/machine/random.h"

namespace ecube {

namespace {

NodeId reversed(NodeId node, unsigned dim) {
  NodeId result = 0;
  for (unsigned i = 0; i < dim; ++i) result |= (node >> i & 1U) << (dim - 1 - i);
  return result;
}

NodeId transposed(NodeId node, unsigned dim) {
  const unsigned half = dim / 2;
  return (node & ((NodeId{1} << half) - 1)) << half | node >> half;
}

/// A permutation of the nodes (Fisher & Yates).
std::vector<NodeId> permutation(std::uint64_t seed, unsigned dim) {
  std::vector<NodeId> result(std::size_t{1} << dim);
  std::iota(result.begin(), result.end(), NodeId{0});
  for (std::size_t left = result.size(); left > 1; --left) {
    std::swap(result[left - 1], result[below(draw(seed, std::uint64_t{1} << 32, left), left)]);
  }
  return result;
}

NodeId other_node(NodeId source, std::uint64_t random, unsigned dim) {
  const auto other = static_cast<NodeId>(below(random, (std::uint64_t{1} << dim) - 1));
  return other < source ? other : other + 1;
}

NodeId destination_of(const TrafficWorkload& workload, NodeId source, std::uint64_t random, unsigned dim,
                      const std::vector<NodeId>& permuted) {
  const NodeId last = (NodeId{1} << dim) - 1;
  switch (workload.pattern) {
    case TrafficPattern::uniform:
      return other_node(source, random, dim);
    case TrafficPattern::bitcomp:
      return source ^ last;
    case TrafficPattern::bitrev:
      return reversed(source, dim);
    case TrafficPattern::transpose:
      return transposed(source, dim);
    case TrafficPattern::shuffle:
      return (source << 1 & last) | source >> (dim - 1);
    case TrafficPattern::randperm:
      return permuted[source];
    case TrafficPattern::neighbor:
      return neighbour(source, static_cast<unsigned>(below(random, dim)));
    case TrafficPattern::hotspot:
      return (random & 3) == 0 && source != last ? last : other_node(source, random, dim);
    case TrafficPattern::all_to_one:
      break;
  }
  return 0;
}

}  // namespace

std::vector<TrafficMessage> make_traffic(const TrafficWorkload& workload, unsigned dim) {
  const NodeId nodes = NodeId{1} << dim;
  std::vector<NodeId> permuted;
  if (workload.pattern == TrafficPattern::randperm) permuted = permutation(workload.seed, dim);
  // The gap after which the next message leaves is 1 + the failures before a success of probability rate / 1000.
  const double probability = std::min(1.0, workload.rate / 1000.0);
  const auto gap = [probability](std::uint64_t random) -> Cycles {
    if (probability >= 1.0) return 1;
    const double uniform = (static_cast<double>(random >> 11) + 0.5) * 0x1p-53;
    return 1 + static_cast<Cycles>(std::log(uniform) / std::log1p(-probability));
  };
  std::vector<TrafficMessage> result;
  result.reserve(workload.messages * nodes);
  for (NodeId source = 0; source < nodes; ++source) {
    if (workload.pattern == TrafficPattern::all_to_one && source == 0) continue;
    Cycles cycle = 0;
    for (std::uint64_t i = 0; i < workload.messages; ++i) {
      cycle += gap(draw(workload.seed, source, 2 * i));
      const NodeId destination =
          destination_of(workload, source, draw(workload.seed, source, 2 * i + 1), dim, permuted);
      result.push_back({source, destination, workload.bytes, cycle});
    }
  }
  return result;
}

Traffic::Traffic(std::vector<TrafficMessage> messages, unsigned dim)
    : messages_(std::move(messages)),
      first_((std::size_t{1} << dim) + 1),
      expects_(std::size_t{1} << dim),
      received_at_(messages_.size(), not_received) {
  std::stable_sort(messages_.begin(), messages_.end(), [](const TrafficMessage& a, const TrafficMessage& b) {
    return std::pair(a.source, a.cycle) < std::pair(b.source, b.cycle);
  });
  for (const TrafficMessage& message : messages_) {
    ++first_[message.source + std::size_t{1}];
    ++expects_[message.destination];
    longest_ = std::max(longest_, message.bytes);
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

Task<> Traffic::run(Node& node) {
  // Everything that will come is asked for first, so that no message finds its node unprepared.
  std::deque<Pending> receives;
  for (std::uint32_t i = 0; i < expects_[node.id()]; ++i)
    receives.push_back(node.start_receive(Incoming{.bytes = longest_}));
  std::deque<Pending> sends;
  for (std::size_t i = first_[node.id()]; i < first_[node.id() + std::size_t{1}]; ++i) {
    const TrafficMessage& message = messages_[i];
    if (node.now() < message.cycle) co_await node.until(message.cycle);
    while (!sends.empty() && sends.front().done()) sends.pop_front();
    sends.push_back(node.start_send({.to = message.destination, .bytes = message.bytes, .tag = i}));
  }
  co_await node.all(sends);
  for (Pending& receive : receives) {
    const Received received = co_await receive;
    const bool known = received.tag < messages_.size() && received_at_[received.tag] == not_received &&
                       messages_[received.tag].destination == node.id() &&
                       messages_[received.tag].source == received.from &&
                       messages_[received.tag].bytes == received.bytes;
    if (known) {
      received_at_[received.tag] = receive.completed_at();
    } else {
      ++strays_;
    }
  }
}

std::uint64_t Traffic::wrong() const {
  return strays_ + static_cast<std::uint64_t>(std::count(received_at_.begin(), received_at_.end(), not_received));
}

}  // namespace ecube
