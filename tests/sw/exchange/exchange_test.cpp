// SPDX-License-Identifier: Apache-2.0
// The complete exchange transposes, on one port and on several: every block is in the end where it should be.
#include "sw/exchange/exchange.h"

#include "tests/sw/ideal_run.h"
#include "tests/test.h"

namespace ecube::exchange_test {
namespace {

/// [node][slot]
using Blocks = std::vector<std::vector<std::vector<std::byte>>>;

template <class Run>
Blocks blocks_of(const Run& exchange, NodeId nodes, Bytes bytes) {
  Blocks result(nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    const auto of_node = exchange.blocks(node);
    for (NodeId slot = 0; slot < nodes; ++slot) {
      const auto begin = of_node.begin() + static_cast<std::ptrdiff_t>(slot * bytes);
      result[node].emplace_back(begin, begin + static_cast<std::ptrdiff_t>(bytes));
    }
  }
  return result;
}

/// Blocks that do not stand in the place of their destination, in the slot of their origin.
std::uint64_t misplaced(const Blocks& before, const Blocks& after) {
  std::uint64_t count = 0;
  for (std::size_t origin = 0; origin < before.size(); ++origin)
    for (std::size_t to = 0; to < before.size(); ++to) count += after[to][origin] != before[origin][to] ? 1 : 0;
  return count;
}

/// Runs an exchange and counts by the data it has moved.
template <class Run>
std::uint64_t misplaced_by(
    const IdealRun& where, const ExchangeWorkload& workload, const Look& look = [](NodeId, Operation&) {}) {
  Topology topology = where.machine.topology(where.dim);
  const auto network = [&] {
    if constexpr (std::is_same_v<Run, StagedExchange>)
      return where.dim;  // on cubes only
    else
      return topology;
  };
  Run exchange(workload, network());
  const Blocks before = blocks_of(exchange, topology.nodes(), workload.bytes);
  Between program(exchange.program(), look);
  expect_finished(where, program, workload.partition.name());
  const std::uint64_t count = misplaced(before, blocks_of(exchange, topology.nodes(), workload.bytes));
  EXPECT_EQ(count != 0, exchange.wrong() != 0) << workload.partition.name();
  return count;
}

constexpr std::array orders = {BlockOrder::high, BlockOrder::low, BlockOrder::inplace};
constexpr Bytes bytes = 11;  // more than a word, of which a block's contents are made, and no multiple of one

TEST(Exchange, BlocksDifferFromOneAnotherSoThatAWrongOneShows) {
  const ExchangeWorkload workload{.partition = Partition::direct(4), .bytes = bytes};
  std::set<std::vector<std::byte>> one_port;
  std::set<std::vector<std::byte>> several;
  for (const auto& node : blocks_of(CompleteExchange(workload, Topology::cube(4)), 16, bytes))
    one_port.insert(node.begin(), node.end());
  for (const auto& node : blocks_of(StagedExchange(workload, 4), 16, bytes)) several.insert(node.begin(), node.end());
  EXPECT_EQ(one_port.size(), 256U);
  EXPECT_EQ(several.size(), 256U);
}

TEST(Exchange, OfEveryCompositionTransposesByEveryScheduleInEveryOrder) {
  std::uint64_t seed = 1;
  for (unsigned dim = 1; dim <= 5; ++dim)
    for (const Partition& partition : compositions_of(dim))
      for (const BlockOrder order : orders)
        for (const Schedule schedule :
             {Schedule::xor_pairs, Schedule::shift, Schedule::ordered, Schedule::random, Schedule::masks})
          for (const Barrier barrier : {Barrier::none, Barrier::phase, Barrier::step}) {
            if (dim > 4 && barrier != Barrier::none) continue;
            const ExchangeWorkload workload{.partition = partition,
                                            .bytes = bytes,
                                            .order = order,
                                            .schedule = schedule,
                                            .barrier = barrier,
                                            .sync = seed % 2 == 0 ? PairwiseSync::on : PairwiseSync::off,
                                            .seed = seed};
            EXPECT_EQ(misplaced_by<CompleteExchange>(IdealRun::on(dim, 1, seed), workload), 0U) << "seed " << seed;
            ++seed;
          }
}

/// Blocks are permuted after every phase, and a plane is tuned to the partner before every exchange by it.
TEST(Exchange, OnPlanesAndOnDigitsThatAreNoBitsTransposes) {
  for (const Partition& partition : compositions_of(3)) {
    std::map<std::uint8_t, std::uint64_t> tuned;
    std::size_t permuted = 0;
    const Look look = [&](NodeId node, const Operation& operation) {
      if (node != 5) return;
      const bool exchanges = operation.kind == OperationKind::exchange;
      EXPECT_TRUE(!exchanges || tuned.at(operation.port) == (node ^ operation.peer));
      if (operation.kind != OperationKind::compute) return;
      if (operation.work == Work::tune) tuned[operation.port] = operation.mask;
      permuted += operation.work == Work::permute_bytes ? 1 : 0;
    };
    IdealRun where = IdealRun::on(3, Ports::n, 2);
    where.machine.network.topology = Topology({{.radix = 3}, {.radix = 2}, {.radix = 5}});
    EXPECT_EQ(misplaced_by<CompleteExchange>(where, {.partition = partition, .bytes = bytes}, look), 0U);
    for (unsigned planes = 1; planes <= 3; ++planes)
      for (const Retuning retuning : {Retuning::together, Retuning::after, Retuning::each}) {
        where.machine.network.planes = planes;
        tuned.clear();
        EXPECT_EQ(
            misplaced_by<CompleteExchange>(where, {.partition = partition, .bytes = bytes, .retuning = retuning}, look),
            0U);
      }
    EXPECT_EQ(permuted, 10 * partition.size());
  }
}

TEST(Exchange, InStagesTransposesForEveryCompositionOnEveryNumberOfPorts) {
  std::uint64_t seed = 1;
  for (unsigned dim = 1; dim <= exhaustive_dim(5); ++dim)
    for (const Partition& partition : compositions_of(dim))
      for (const BlockOrder order : orders)
        for (const MaskPairing pairing : {MaskPairing::on, MaskPairing::off})
          for (const std::uint32_t engines : {std::uint32_t{Ports::n}, 2U, 3U}) {
            const ExchangeWorkload workload{.partition = partition,
                                            .bytes = seed % 4 == 0 ? 2 : bytes,
                                            .order = order,
                                            .barrier = seed % 5 == 0   ? Barrier::step
                                                       : seed % 5 == 1 ? Barrier::phase
                                                                       : Barrier::none,
                                            .ports = {engines},
                                            .pairing = pairing};
            EXPECT_EQ(misplaced_by<StagedExchange>(IdealRun::on(dim, engines, seed), workload), 0U) << "seed " << seed;
            ++seed;
          }
}

TEST(Exchange, OfLargerCubesTransposes) {
  const Sample sample;
  Draws draws(sample.seed());
  for (std::size_t i = 0; i < random_cases(20); ++i) {
    const auto dim = static_cast<unsigned>(6 + draws.up_to(2));
    const std::vector<Partition> partitions = compositions_of(dim);
    const ExchangeWorkload workload{.partition = partitions[draws.up_to(partitions.size() - 1)],
                                    .bytes = 1 + draws.up_to(20),
                                    .order = draws.of({BlockOrder::high, BlockOrder::low, BlockOrder::inplace}),
                                    .ports = {draws.of({1U, 2U, Ports::n})}};
    const IdealRun where = IdealRun::on(dim, workload.ports.engines, draws.up_to(1000));
    EXPECT_EQ(workload.staged() ? misplaced_by<StagedExchange>(where, workload)
                                : misplaced_by<CompleteExchange>(where, workload),
              0U)
        << sample.name() << ", case " << i;
  }
}

/// What is wrong is found: in one step of 2^d - 1 of the first phase partners are others, or one node sends nothing.
template <class Run>
void expect_faults_found(const ExchangeWorkload& workload, std::uint32_t engines) {
  const IdealRun where = IdealRun::on(4, engines, 3);
  const Fault faults[] = {
      // Steps 1 and 2 of a phase change places, and with them the blocks.
      [](NodeId node, Operation& operation) {
        const NodeId mask = operation.peer ^ node;
        if (operation.tag == 0 && (mask == 4 || mask == 8)) operation.peer ^= 12;
      },
      [](NodeId node, Operation& operation) {
        if (node == 5 && operation.peer == 13) operation.outgoing = {};
      },
      // The block next to the right one.
      [](NodeId node, Operation& operation) {
        if (node == 6 && operation.peer == 2) operation.outgoing.base -= 1;
      },
  };
  for (const Fault& fault : faults) EXPECT_GT(misplaced_by<Run>(where, workload, fault), 0U);
}

TEST(Exchange, WithWrongPartnersOrABlockTooFewIsFoundToBeWrong) {
  const ExchangeWorkload workload{.partition = Partition({2, 2}), .bytes = bytes};
  expect_faults_found<CompleteExchange>(workload, 1);
  expect_faults_found<StagedExchange>(workload, Ports::n);
}

TEST(Exchange, WhoseMessagesCarryTagsNoticesAWrongOne) {
  for (const Payload payload : {Payload::none, Payload::checks})
    for (const bool planted : {false, true}) {
      const ExchangeWorkload workload{.partition = Partition({2, 2}), .bytes = 5, .payload = payload};
      const Fault fault = [&](NodeId node, Operation& operation) {
        EXPECT_EQ(operation.check != 0, payload == Payload::checks);
        if (planted && node == 5 && operation.peer == 13) ++operation.check;
      };
      CompleteExchange one_port(workload, Topology::cube(4));
      StagedExchange several(workload, 4);
      Faulty in_phases(one_port.program(), fault);
      Faulty in_stages(several.program(), fault);
      expect_finished(IdealRun::on(4, 1, 1), in_phases, "in phases");
      expect_finished(IdealRun::on(4, Ports::n, 1), in_stages, "in stages");
      EXPECT_EQ(one_port.wrong(), planted ? 1U : 0U);
      EXPECT_EQ(several.wrong() != 0, planted);
    }
}

}  // namespace
}  // namespace ecube::exchange_test
