// SPDX-License-Identifier: Apache-2.0
// Messages that are announced against messages that nodes ask their machine for, and the order of partners.
#include "sw/combine/global_combine.h"
#include "sw/exchange/exchange.h"
#include "tests/sw/ideal_run.h"
#include "tests/test.h"

namespace ecube::message_counts_test {
namespace {

/// Sends and halves of exchanges, counted where the machine is asked for them.
std::uint64_t asked_for(const IdealRun& where, Program& program, const std::string& what) {
  std::uint64_t messages = 0;
  Faulty counted(program, [&messages](NodeId, Operation&) { ++messages; });
  expect_finished(where, counted, what);
  return messages;
}

TEST(MessageCounts, OfExchangesAreThoseThatNodesAskFor) {
  for (unsigned dim = 1; dim <= 4; ++dim)
    for (const Partition& partition : partitions_of(dim))
      for (const Barrier barrier : {Barrier::none, Barrier::phase, Barrier::step})
        for (const Schedule schedule : {Schedule::xor_pairs, Schedule::shift, Schedule::random, Schedule::masks}) {
          const std::string what = partition.name() + " barrier " + std::to_string(static_cast<int>(barrier)) +
                                   " schedule " + std::to_string(static_cast<int>(schedule));
          const ExchangeWorkload one{
              .partition = partition, .bytes = 12, .schedule = schedule, .barrier = barrier, .ports = {}};
          CompleteExchange exchange(one, Topology::cube(dim));
          EXPECT_EQ(asked_for(IdealRun::on(dim, 1, 3), exchange.program(), what),
                    CompleteExchange::messages(one, Topology::cube(dim), false))
              << what;
          if (schedule != Schedule::xor_pairs) continue;
          ExchangeWorkload several = one;
          several.ports.engines = Ports::n;
          StagedExchange staged(several, dim);
          EXPECT_EQ(asked_for(IdealRun::on(dim, Ports::n, 3), staged.program(), what + " staged"),
                    StagedExchange::messages(several, dim, false))
              << what;
        }
}

/// {2, 1} of d = 3: 3 + 1 messages of each of 8 nodes; a barrier is 3 messages, before 2 phases or 4 steps; with
/// messages that synchronise, twice the 4.
TEST(MessageCounts, OfExchangesAreThoseWorkedByHand) {
  ExchangeWorkload workload{.partition = Partition({2, 1}), .bytes = 8};
  EXPECT_EQ(CompleteExchange::messages(workload, Topology::cube(3), false), 8U * 4);
  EXPECT_EQ(CompleteExchange::messages(workload, Topology::cube(3), true), 8U * 8);
  workload.barrier = Barrier::phase;
  EXPECT_EQ(CompleteExchange::messages(workload, Topology::cube(3), false), 8U * (4 + 2 * 3));
  workload.barrier = Barrier::step;
  EXPECT_EQ(CompleteExchange::messages(workload, Topology::cube(3), false), 8U * (4 + 4 * 3));
}

TEST(MessageCounts, OfCombinesAreThoseThatNodesAskFor) {
  for (unsigned dim = 1; dim <= 4; ++dim) {
    for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}})
      for (const Strategy& strategy : Strategy::all(dim)) {
        CombineWorkload workload;
        workload.items = 64;
        workload.ports.engines = engines;
        workload.rule = HalvingRule::by(strategy);
        GlobalCombine combine(workload, dim);
        EXPECT_EQ(asked_for(IdealRun::on(dim, engines, 3), combine.program(), strategy.name()),
                  GlobalCombine::messages(workload, dim, strategy))
            << strategy.name() << " ports " << engines;
      }
    CombineWorkload tree{{.items = 5}, {}};
    tree.tree = true;
    GlobalCombine combine(tree, dim);
    EXPECT_EQ(asked_for(IdealRun::on(dim, 1, 3), combine.program(), "tree"),
              GlobalCombine::messages(tree, dim, Strategy::full(dim)));
  }
}

TEST(Targets, OfEveryScheduleAreAllOthersOfTheSubcubeOnce) {
  for (const Schedule schedule :
       {Schedule::xor_pairs, Schedule::shift, Schedule::ordered, Schedule::random, Schedule::masks}) {
    const ExchangeWorkload workload{.partition = Partition({3}), .bytes = 8, .schedule = schedule, .seed = 5};
    CompleteExchange exchange(workload, Topology::cube(3));
    const Phase& phase = exchange.phases().front();
    for (NodeId node = 0; node < 8; ++node) {
      const std::vector<NodeId> to = targets(workload, phase, node);
      std::vector<NodeId> others{0, 1, 2, 3, 4, 5, 6, 7};
      others.erase(others.begin() + node);
      EXPECT_TRUE(std::is_permutation(to.begin(), to.end(), others.begin(), others.end())) << "node " << node;
      for (std::size_t step = 0; step < to.size(); ++step) {
        // By definition: i xor j, i + j mod 8, and 0, 1, 2 ..
        const auto j = static_cast<NodeId>(step + 1);
        const NodeId wanted = schedule == Schedule::shift     ? (node + j) % 8
                              : schedule == Schedule::ordered ? others[step]
                              : schedule == Schedule::random  ? to[step]
                                                              : node ^ j;
        EXPECT_EQ(to[step], wanted) << static_cast<int>(schedule) << " node " << node;
      }
    }
  }
}

/// Two nodes, one block of each, on a machine whose costs are worked out by hand: lambda 3, tau 0.1 for 100 bytes, one
/// hop of 0.5, and rho 0.05 for the 200 bytes that a node permutes.
TEST(IdealTimes, OfAnExchangeOfTwoNodesAreThoseOfItsEquation) {
  IdealRun where = IdealRun::on(1, 1, 3);
  for (const Schedule schedule : {Schedule::xor_pairs, Schedule::shift}) {
    const ExchangeWorkload workload{.partition = Partition({1}), .bytes = 100, .schedule = schedule};
    CompleteExchange exchange(workload, Topology::cube(1));
    const RunResult result = run(where, exchange.program());
    ASSERT_EQ(result.status, RunResult::Status::finished);
    EXPECT_NEAR(result.us, 3 + 10 + 0.5 + 10, 1e-9);
    EXPECT_EQ(result.cycles, static_cast<Cycles>(std::llround(23.5e-6 * where.machine.clock_hz)));
    EXPECT_NEAR(exchange.phase_ends_us().front(), 23.5, 1e-9);
  }
}

TEST(Translated, AreNodesThatAllDoTheSame) {
  EXPECT_EQ(why_not_translated(ExchangeWorkload{}), "");
  EXPECT_HAS(why_not_translated(ExchangeWorkload{.schedule = Schedule::shift}), "an order of partners for every node");
  CombineWorkload tree;
  tree.tree = true;
  EXPECT_EQ(why_not_translated(CombineWorkload{}), "");
  EXPECT_HAS(why_not_translated(tree), "the root of a combine");
  EXPECT_HAS(why_not_translated(CombineWorkload{{.target = CombineTarget::root}, {}}), "the root of a combine");
}

TEST(IdealCosts, AreThoseOfTheParameters) {
  ExchangeParameters p{.lambda_us = 1,
                       .lambda0_us = 2,
                       .tau_us_per_byte = 3,
                       .delta_us = 4,
                       .delta_hop_us = 5,
                       .rho_us_per_byte = 6,
                       .barrier_us = 28};
  p.tau_hop_us_per_byte = 7;
  p.short_bytes = 8;
  p.lambda_short_us = 9;
  p.delta_hop_short_us = 10;
  p.pairwise_sync_messages = true;
  Machine machine;  // 40 MHz; 20 cycles a byte, 4 an item
  machine.core.copy.compiled = {20, 1};
  machine.core.combine.compiled = {4, 1};
  const IdealCosts costs = ideal_costs(p, machine, 4);
  const auto of_messages = [](const ExchangeParameters& one) {
    return std::tuple(one.lambda_us, one.lambda0_us, one.tau_us_per_byte, one.delta_us, one.delta_hop_us,
                      one.rho_us_per_byte, one.tau_hop_us_per_byte, one.short_bytes, one.lambda_short_us,
                      one.delta_hop_short_us, one.pairwise_sync_messages);
  };
  EXPECT_EQ(of_messages(costs.message), std::tuple(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, true));
  EXPECT_EQ(of_messages(costs.exchange), of_messages(costs.message));
  EXPECT_EQ(costs.copy_us_per_byte, 0.5);
  EXPECT_EQ(costs.gamma_us_per_item, 0.1);
  EXPECT_EQ(costs.barrier_us_per_dim, 7);
  machine.memory.transfer_cycles = 8;  // a line of 32 bytes takes 4 transfers: 1 cycle a byte, 3 of them combined
  EXPECT_DOUBLE_EQ(ideal_costs(p, machine, 4).gamma_us_per_item, (4 + 3 * 4) / 40.0);
}

}  // namespace
}  // namespace ecube::message_counts_test
