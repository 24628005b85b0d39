// SPDX-License-Identifier: Apache-2.0
// Blocks that differ in size: data in place, the time of nodes followed, and what equal blocks have in common with
// both.
#include "models/exchange/unequal_exchange_cost.h"
#include "sw/exchange/exchange.h"
#include "tests/sw/ideal_run.h"
#include "tests/test.h"

namespace ecube::unequal_exchange_test {
namespace {

ExchangeParameters parameters() {
  return {.lambda_us = 3, .lambda0_us = 2, .tau_us_per_byte = 0.125, .delta_hop_us = 0.5, .rho_us_per_byte = 0.0625};
}

IdealRun where(unsigned dim) {
  IdealRun run;
  run.dim = dim;
  run.costs = {.message = parameters(), .exchange = parameters()};
  return run;
}

/// Sizes of every kind: alike, drawn, and all but one without bytes.
std::vector<BlockSizes> all_sizes(unsigned dim) {
  std::vector<BlockSizes> all{BlockSizes::zipf(dim, 40, 0, 1), BlockSizes::zipf(dim, 40, 1.1, 7),
                              BlockSizes::uniform(dim, 20, 7), BlockSizes(dim), BlockSizes(dim)};
  all.back().of(1, 0) = 1000;
  return all;
}

TEST(UnequalExchange, IsRightAndTakesThePredictedTimeByEveryPartitionInEveryOrder) {
  for (unsigned dim = 1; dim <= 4; ++dim)
    for (const BlockSizes& sizes : all_sizes(dim))
      for (const Partition& partition : compositions_of(dim))
        for (const BlockOrder order : {BlockOrder::high, BlockOrder::low, BlockOrder::inplace}) {
          const std::string words = partition.braced_name() + ", order " + std::to_string(static_cast<int>(order)) +
                                    ", " + std::to_string(sizes.total()) + " B";
          UnequalExchange exchange({.partition = partition, .order = order}, sizes);
          const RunResult result = run(where(dim), exchange.program());
          ASSERT_EQ(result.status, RunResult::Status::finished) << words << result.fault;
          EXPECT_EQ(exchange.wrong(), 0U) << words;
          const ExchangeOptions options{.order = order, .barrier = Barrier::none};
          const double us = unequal_exchange_cost(partition, sizes, parameters(), options).us;
          EXPECT_NEAR(result.us, us, 1e-9 * us) << words;
        }
}

/// Worked out by hand, d = 2, Direct, one block of 1,000 bytes from 1 to 0 and nothing else: steps 1, 2, 3 pair 0 with
/// 1, 2 and 3. Nodes 0 and 1 take 3 + 125 + 0.5 us for step 1, the others 2.5. In step 2 nodes 0 and 1 are the later
/// ones of their pairs, with 2.5 us; step 3 takes 2 + 2 x 0.5 us. The equation has 62.5 B in every message:
/// 3 (3 + 7.8125) + 4 x 0.5 us of distance.
TEST(UnequalExchange, WaitsForTheLongestAndTheEquationDoesNot) {
  BlockSizes sizes(2);
  sizes.of(1, 0) = 1000;
  const ExchangeOptions options{.identity_shuffle = IdentityShuffle::skip, .barrier = Barrier::none};
  const UnequalExchangeCost cost = unequal_exchange_cost(Partition::direct(2), sizes, parameters(), options);
  EXPECT_DOUBLE_EQ(cost.us, 128.5 + 2.5 + 3);
  EXPECT_DOUBLE_EQ(cost.equal_us, 3 * (3 + 7.8125) + 2);
  EXPECT_EQ(cost.longest_message, 1000U);
  EXPECT_EQ(cost.moved_bytes, 1000U);
}

TEST(UnequalExchange, BestPartitionIsTheLeastOfAll) {
  for (const BlockSizes& sizes : all_sizes(5)) {
    const ExchangeOptions options{.barrier = Barrier::none};
    const auto us = [&](const Partition& partition) {
      return unequal_exchange_cost(partition, sizes, parameters(), options).us;
    };
    const double best = us(best_unequal_partition(sizes, parameters(), options));
    for (const Partition& partition : partitions_of(5)) EXPECT_LE(best, us(partition)) << partition.name();
  }
}

TEST(UnequalExchange, SizesHaveTheMeanAndTheShapeThatTheyAreAskedFor) {
  const BlockSizes zipf = BlockSizes::zipf(4, 1000, 1.1, 1);
  EXPECT_NEAR(zipf.mean(), 1000, 1);
  double weights = 0;
  for (int rank = 1; rank <= 256; ++rank) weights += std::pow(rank, -1.1);
  EXPECT_NEAR(static_cast<double>(zipf.largest()), 256'000 / weights, 1);
  const BlockSizes uniform = BlockSizes::uniform(5, 100, 1);
  EXPECT_LE(uniform.largest(), 200U);
  EXPECT_NEAR(uniform.mean(), 100, 10);
}

/// A message that is lost, or begins in the wrong place, shows in the blocks.
TEST(UnequalExchange, WrongMessagesAreFound) {
  for (const bool lost : {true, false}) {
    UnequalExchange exchange({.partition = Partition::direct(3)}, BlockSizes::zipf(3, 100, 0, 1));
    unsigned left = 5;
    Faulty faulty(exchange.program(), [&](NodeId, Operation& operation) {
      if (operation.kind != OperationKind::exchange || left == 0 || --left > 0) return;
      if (lost) {
        operation.incoming = {};
      } else {
        operation.outgoing = Region::contiguous(operation.outgoing.base + 1, operation.outgoing.bytes() - 1);
      }
    });
    EXPECT_EQ(run(where(3), faulty).status, RunResult::Status::finished);
    EXPECT_EQ(exchange.wrong(), 1U) << lost;
  }
}

/// The end of a long block is no other block: node 1 sends to node 2 what block (0, 2) has from any multiple of 4,096 B
/// on, and never passes.
TEST(UnequalExchange, NoBlockIsTheEndOfAnother) {
  BlockSizes sizes(2);
  sizes.of(0, 2) = 100'000;
  sizes.of(1, 2) = 1'000;
  for (std::size_t from = 0; from < 99'000; from += 4'096) {
    UnequalExchange exchange({.partition = Partition::direct(2)}, sizes);
    std::vector<std::byte> other;
    Faulty faulty(exchange.program(), [&](NodeId node, Operation& operation) {
      if (operation.kind != OperationKind::exchange || operation.outgoing.empty()) return;
      if (node == 0) other.assign(operation.outgoing.base, operation.outgoing.base + operation.outgoing.bytes());
      if (node == 1) operation.outgoing = Region::contiguous(other.data() + from, 1'000);
    });
    EXPECT_EQ(run(where(2), faulty).status, RunResult::Status::finished);
    EXPECT_EQ(exchange.wrong(), 1U) << from;
  }
}

/// The same exchange as above, d = 2, whose steps take 128.5, 2.5 and 3 us on the nodes that are last: a barrier of 10
/// us before the phase, before every step, or a clock with 7 us of slack.
TEST(UnequalExchange, MeetsAtBarriersThatCostTheirTime) {
  BlockSizes sizes(2);
  sizes.of(1, 0) = 1000;
  ExchangeParameters p = parameters();
  p.barrier_us = 10;
  const auto us = [&](Barrier barrier) {
    const ExchangeOptions options{.identity_shuffle = IdentityShuffle::skip, .barrier = barrier, .slack_us = 7};
    UnequalExchange exchange(
        {.partition = Partition::direct(2), .barrier = barrier, .identity_shuffle = IdentityShuffle::skip}, sizes);
    IdealRun machine = where(2);
    machine.costs.barrier_us_per_dim = 5;
    const double predicted = unequal_exchange_cost(Partition::direct(2), sizes, p, options).us;
    EXPECT_DOUBLE_EQ(barrier == Barrier::clock ? predicted : run(machine, exchange.program()).us, predicted);
    return predicted;
  };
  EXPECT_DOUBLE_EQ(us(Barrier::none), 134);
  EXPECT_DOUBLE_EQ(us(Barrier::phase), 10 + 134);
  EXPECT_DOUBLE_EQ(us(Barrier::clock), 7 + 134);
  EXPECT_DOUBLE_EQ(us(Barrier::step), 3 * 10 + 134);
}

/// Blocks that are alike take what the equation says, whatever messages cost and wherever nodes meet.
TEST(UnequalExchange, OfEqualBlocksTakesTheTimeOfTheEquationWithEveryParameter) {
  ExchangeParameters p = parameters();
  p.delta_us = 1.5;
  p.barrier_us = 4;
  p.tau_hop_us_per_byte = 0.03125;
  for (const bool synchronised : {false, true}) {
    p.pairwise_sync_messages = synchronised;
    for (const double short_bytes : {0.0, 79.0, 80.0, 81.0, 10000.0}) {
      p.short_bytes = short_bytes;
      p.lambda_short_us = 2.5;
      p.delta_hop_short_us = 0.25;
      for (const Barrier barrier : {Barrier::none, Barrier::phase, Barrier::step, Barrier::clock})
        for (unsigned dim = 1; dim <= 6; ++dim)
          for (const Partition& partition : compositions_of(dim)) {
            const ExchangeOptions options{.barrier = barrier, .slack_us = 7};
            const double wanted = exchange_cost(partition, 40, p, options).total();
            const auto cost = unequal_exchange_cost(partition, BlockSizes::zipf(dim, 40, 0, 3), p, options);
            EXPECT_NEAR(cost.us, wanted, 1e-9 * wanted) << partition.name() << ", short " << short_bytes;
            EXPECT_NEAR(cost.equal_us, wanted, 1e-9 * wanted) << partition.name() << ", short " << short_bytes;
          }
    }
  }
}

/// A run without bytes takes the time of one with bytes, and has nothing to check.
TEST(UnequalExchange, TakesTheSameTimeWithoutBytes) {
  for (const BlockSizes& sizes : all_sizes(3)) {
    UnequalExchange with({.partition = Partition({2, 1})}, sizes);
    UnequalExchange without({.partition = Partition({2, 1}), .payload = Payload::none}, sizes);
    EXPECT_EQ(run(where(3), without.program()).us, run(where(3), with.program()).us);
    EXPECT_EQ(without.wrong(), 0U);
  }
  UnequalExchange never_run({.partition = Partition::direct(3)}, BlockSizes::zipf(3, 100, 0, 1));
  EXPECT_EQ(never_run.wrong(), 56U) << "all but what a node has for itself";
}

}  // namespace
}  // namespace ecube::unequal_exchange_test
