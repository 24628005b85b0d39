// SPDX-License-Identifier: Apache-2.0
// A token that every node sends around the ring 0 -> 1 -> .. -> N-1 -> 0, some times.
#include "sw/program/program.h"

using namespace ecube;

class Ring {
 public:
  static constexpr std::string_view name = "ring";
  static constexpr std::string_view help = "one token travels around the ring";
  static std::vector<Parameter> parameters() {
    return {{.name = "rounds", .initial = "1", .unit = "rounds", .help = "times around the ring", .least = 1},
            {.name = "bytes", .type = ParameterType::size, .initial = "8 B", .help = "length of the token"}};
  }

  explicit Ring(const Job& job) : rounds_(job.whole("rounds")), bytes_(job.size("bytes")) {}

  Task<> run(Node& node) {
    const NodeId next = (node.id() + 1) % node.size();
    const NodeId previous = (node.id() + node.size() - 1) % node.size();
    for (std::int64_t round = 0; round < rounds_; ++round) {
      if (node.id() == 0) co_await node.send({.to = next, .bytes = bytes_});
      co_await node.receive({.from = previous, .bytes = bytes_});
      ++tokens_;
      if (node.id() != 0) co_await node.send({.to = next, .bytes = bytes_});
    }
  }

  /// One message after the other, from node to node: each is alone in the network.
  static double predict(const Job& job) {
    double round = 0;
    for (NodeId node = 0; node < job.nodes(); ++node) {
      round += job.message_us(job.size("bytes"), job.hops(node, (node + 1) % job.nodes()));
    }
    return static_cast<double>(job.whole("rounds")) * round;
  }

  static std::string check(const NodesOf<Ring>& nodes) {
    for (NodeId node = 0; node < nodes.size(); ++node) {
      if (nodes[node].tokens_ != nodes[node].rounds_) return "node " + std::to_string(node) + " missed a token";
    }
    return {};
  }

  void sum(Sums& sums) const { sums.add("tokens", static_cast<double>(tokens_)); }

 private:
  std::int64_t rounds_;
  Bytes bytes_;
  std::int64_t tokens_ = 0;
};

ECUBE_PROGRAMS(Ring)
