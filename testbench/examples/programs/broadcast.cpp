// SPDX-License-Identifier: Apache-2.0
// A broadcast along a binomial tree: whoever has the message sends it over one dimension after the other.
#include "sw/program/program.h"

using namespace ecube;

class Broadcast {
 public:
  static constexpr std::string_view name = "broadcast";
  static constexpr std::string_view help = "node 0 sends a message to all along a binomial tree";
  static std::vector<Parameter> parameters() {
    return {{.name = "bytes", .type = ParameterType::size, .initial = "1 KB", .help = "length of the message"}};
  }

  explicit Broadcast(const Job& job) : message_(job.size("bytes")) {}

  Task<> run(Node& node) {
    if (node.id() == 0) message_.assign(message_.size(), std::byte{42});
    const Region data = Region::contiguous(message_.data(), message_.size());
    for (unsigned dimension = 0; dimension < node.dim(); ++dimension) {
      const NodeId bit = NodeId{1} << dimension;
      if (node.id() < bit) {
        co_await node.send({.to = node.id() | bit, .bytes = message_.size(), .data = data});
      } else if (node.id() < 2 * bit) {
        co_await node.receive({.from = node.id() ^ bit, .bytes = message_.size(), .data = data});
      }
    }
  }

  /// d messages one after the other, each to a neighbour.
  static double predict(const Job& job) { return job.dim() * job.message_us(job.size("bytes"), 1); }

  static std::string check(const NodesOf<Broadcast>& nodes) {
    for (NodeId node = 0; node < nodes.size(); ++node) {
      for (const std::byte one : nodes[node].message_) {
        if (one != std::byte{42}) return "node " + std::to_string(node) + " has another message";
      }
    }
    return {};
  }

 private:
  std::vector<std::byte> message_;
};

ECUBE_PROGRAMS(Broadcast)
