// SPDX-License-Identifier: Apache-2.0
// Standard and Direct as printed against multiphase with partitions {1,..,1} and {d}.
#include "sw/api/firmware.h"
#include "sw/exchange/node_exchange.h"
#include "tests/sw/ideal_run.h"
#include "tests/test.h"

namespace ecube::printed_exchange_test {
namespace {

constexpr Bytes block = 4;

/// All messages with their contents, in order for each node, when all nodes end, shuffles included, and their memory.
struct Trace {
  using Asked = std::tuple<NodeId, std::uint32_t, Bytes, std::string>;
  std::vector<std::vector<Asked>> asked;
  double us = 0;
  std::vector<std::vector<std::byte>> memory;
  friend bool operator==(const Trace&, const Trace&) = default;

  [[nodiscard]] bool transposed() const {
    for (NodeId node = 0; node < memory.size(); ++node)
      for (NodeId from = 0; from < memory.size(); ++from) {
        if (memory[node][from * block] != std::byte(from) || memory[node][from * block + 1] != std::byte(node)) {
          return false;
        }
      }
    return true;
  }
};

Trace trace_of(unsigned dim, const std::function<Task<>(Node&, std::span<std::byte>)>& exchange) {
  Trace trace;
  const std::size_t nodes = std::size_t{1} << dim;
  trace.asked.resize(nodes);
  trace.memory.assign(nodes, std::vector<std::byte>(nodes * block));
  for (NodeId node = 0; node < nodes; ++node)
    for (NodeId to = 0; to < nodes; ++to) {
      trace.memory[node][to * block] = std::byte(node);
      trace.memory[node][to * block + 1] = std::byte(to);
    }
  Firmware firmware([&](Node& node) { return exchange(node, trace.memory[node.id()]); });
  Faulty recorded(firmware, [&](NodeId node, Operation& operation) {
    const Region& sent = operation.outgoing;
    const auto* const first = reinterpret_cast<const char*>(sent.base);
    trace.asked[node].emplace_back(operation.peer, operation.tag, operation.bytes, std::string(first, sent.bytes()));
  });
  const RunResult result = run(IdealRun::on(dim, 1, 3), recorded);
  EXPECT_EQ(result.status, RunResult::Status::finished) << result.fault;
  trace.us = result.us;
  return trace;
}

Trace multiphase(const Partition& partition) {
  return trace_of(partition.dim(), [&](Node& node, std::span<std::byte> memory) -> Task<> {
    const NodeExchange exchange(partition, BlockOrder::high);
    co_await exchange.run(node, memory, 0);
  });
}

TEST(PrintedExchange, OfStandardAndOfDirectHasTheTraceOfItsPhases) {
  for (unsigned dim = 1; dim <= 6; ++dim) {
    const Trace standard = trace_of(dim, standard_exchange);
    const Trace direct = trace_of(dim, direct_exchange);
    EXPECT_TRUE(standard.transposed() && direct.transposed()) << dim;
    EXPECT_TRUE(standard == multiphase(Partition::standard(dim))) << dim;
    EXPECT_TRUE(direct == multiphase(Partition::direct(dim))) << dim;
    EXPECT_EQ(direct == standard, dim == 1) << dim;
  }
}

}  // namespace
}  // namespace ecube::printed_exchange_test
