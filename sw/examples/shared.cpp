// SPDX-License-Identifier: Apache-2.0
// A complete exchange on a network that others use. Nodes whose labels have an even number of ones are a job, a logical
// cube of one dimension less; the others exchange messages in random pairs. Paths between nodes of the one kind lead
// through nodes of the other, so circuits of both wait for one another.
#include <bit>
#include <cmath>
#include <cstring>

#include "models/machine/error.h"
#include "models/machine/random.h"
#include "sw/exchange/node_exchange.h"
#include "sw/program/program.h"

using namespace ecube;

/// What the nodes share.
struct SharedPlan {
  explicit SharedPlan(const Job& job)
      : dim(job.dim() - 1),
        block(job.size("bytes")),
        message(job.size("message")),
        gap(job.time("gap")),
        messages(static_cast<std::uint64_t>(job.whole("messages"))),
        seed(job.seed()),
        exchange(Partition::parse(job.text("partition"), job.dim() - 1), BlockOrder::high) {}

  /// The node of a label in the job's cube, or among the others.
  [[nodiscard]] static NodeId of_job(NodeId label) {
    return label << 1 | (static_cast<NodeId>(std::popcount(label)) & 1U);
  }
  [[nodiscard]] static NodeId of_others(NodeId label) { return of_job(label) ^ 1U; }

  unsigned dim;
  Bytes block;
  Bytes message;
  Cycles gap;
  std::uint64_t messages;
  std::uint64_t seed;
  NodeExchange exchange;
};

class SharedNetwork {
 public:
  static constexpr std::string_view name = "shared";
  static constexpr std::string_view help =
      "a complete exchange of every other node, while the others exchange messages";
  static std::vector<Parameter> parameters() {
    return {
        {.name = "partition", .type = ParameterType::text, .initial = "3,2", .help = "of the cube without a dimension"},
        {.name = "bytes",
         .type = ParameterType::size,
         .initial = "64",
         .help = "of a block, 4 at least",
         .least = 4,
         .most = 1 << 20},
        {.name = "messages", .initial = "0", .help = "of each other node", .most = 1 << 20},
        {.name = "message", .type = ParameterType::size, .initial = "1024", .help = "bytes of these", .most = 1 << 20},
        {.name = "gap", .type = ParameterType::time, .initial = "0 us", .help = "between these, in the mean"}};
  }
  using Shared = SharedPlan;

  SharedNetwork(const Job& /*job*/, const SharedPlan& plan) : plan_(plan) {}

  Task<> run(Node& node) {
    const NodeId label = node.id() >> 1;
    if (node.id() == SharedPlan::of_job(label)) {
      blocks_.resize(plan_.block << plan_.dim);
      for (NodeId to = 0; to < NodeId{1} << plan_.dim; ++to) put(to, word(label, to));
      co_await plan_.exchange.run_as(node, label, SharedPlan::of_job, blocks_, 0);
      end_us_ = node.now_us();
      co_return;
    }
    const NodeId others = (NodeId{1} << plan_.dim) - 1;
    for (std::uint64_t count = 0; count < plan_.messages; ++count) {
      const auto mask = static_cast<NodeId>(1 + below(draw(plan_.seed, 0, count), others));
      co_await node.exchange({.with = SharedPlan::of_others(label ^ mask), .tag = 1000, .bytes = plan_.message});
      if (plan_.gap > 0) co_await node.compute(up_to(draw(plan_.seed, 1 + node.id(), count), 2 * plan_.gap));
    }
  }

  template <class Program>
  static std::string check(const NodesOf<Program>& nodes, const SharedPlan& plan) {
    for (NodeId label = 0; label < NodeId{1} << plan.dim; ++label) {
      const SharedNetwork& node = nodes[SharedPlan::of_job(label)];
      for (NodeId from = 0; from < NodeId{1} << plan.dim; ++from) {
        std::uint32_t there = 0;
        std::memcpy(&there, node.blocks_.data() + from * plan.block, sizeof there);
        if (there != word(from, label))
          return "node " + std::to_string(label) + " of the job lacks the block of " + std::to_string(from);
      }
    }
    return {};
  }

  /// The time of the job, which may end before the others.
  void sum(Sums& sums) const {
    if (!blocks_.empty())
      sums.add("us of the job, mean of its nodes", std::ldexp(end_us_, -static_cast<int>(plan_.dim)));
  }

 protected:
  [[nodiscard]] static std::uint32_t word(NodeId from, NodeId to) { return from << 16 | to; }
  void put(NodeId slot, std::uint32_t value) { std::memcpy(blocks_.data() + slot * plan_.block, &value, sizeof value); }

  const SharedPlan& plan_;
  std::vector<std::byte> blocks_;  ///< of a node of the job
  double end_us_ = 0;
};

ECUBE_PROGRAMS(SharedNetwork)
