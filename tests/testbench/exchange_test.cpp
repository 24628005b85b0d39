// SPDX-License-Identifier: Apache-2.0
// The complete exchange on the machine: exact transposes, exact cycles, contention where theory says so.
#include <gtest/gtest.h>

#include "testbench/exchange_experiment.h"

namespace ecube {
namespace {

/// One cube per process, elaborated once and reset for every run.
Cube& cube() {
  static Cube instance("cube", 8, Hierarchy::flat);
  return instance;
}

ExchangeExperiment experiment(unsigned dim, const Partition& partition, Bytes bytes) {
  ExchangeExperiment result;
  result.dim = dim;
  result.workload.partition = partition;
  result.workload.bytes = bytes;
  return result;
}

TEST(CompleteExchange, EveryCompositionTransposesInEveryOrder) {
  for (unsigned dim = 1; dim <= 7; ++dim) {
    for (const Partition& partition : compositions_of(dim)) {
      for (const BlockOrder order : {BlockOrder::high, BlockOrder::low, BlockOrder::inplace}) {
        ExchangeExperiment test = experiment(dim, partition, 3);
        test.workload.order = order;
        CompleteExchange exchange(test.workload, dim);
        cube().reset(test.machine, dim);
        ASSERT_EQ(cube().run(exchange.program()).status, RunResult::Status::finished);
        EXPECT_EQ(exchange.wrong(), 0U) << partition.braced_name();
        EXPECT_EQ(cube().engine().interfaces().statistics().link_blocked.circuits, 0U);
        cube().unload();
      }
    }
  }
}

TEST(CompleteExchange, TakesTheCyclesOfItsEquation) {
  for (unsigned dim = 1; dim <= 8; ++dim) {
    for (const Partition& partition : equipartitions_of(dim)) {
      for (const Bytes bytes : {Bytes{1}, Bytes{7}, Bytes{64}, Bytes{4096}}) {
        ExchangeExperiment test = experiment(dim, partition, bytes);
        test.workload.payload = Payload::tags;
        const ExchangeMeasurement measured = run_exchange(cube(), test);
        EXPECT_EQ(measured.verified, true);
        EXPECT_NEAR(test.machine.us(static_cast<double>(measured.run.result.cycles)), measured.predicted.total(),
                    1e-9 * measured.predicted.total())
            << partition.braced_name() << " bytes " << bytes;
      }
    }
  }
}

TEST(CompleteExchange, PairsSynchronisedByRendezvousNeverBlockUnderJitter) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ExchangeExperiment test = experiment(6, Partition::direct(6), 16);
    test.conditions = {.jitter = 500, .seed = seed};
    const ExchangeMeasurement measured = run_exchange(cube(), test);
    EXPECT_EQ(measured.verified, true) << "seed " << seed;
    EXPECT_EQ(measured.run.network.link_blocked.circuits, 0U) << "seed " << seed;
  }
}

TEST(CompleteExchange, HalvesThatLeaveOnTheirOwnBlockUnderJitter) {
  ExchangeExperiment test = experiment(6, Partition::direct(6), 16);
  test.workload.sync = PairwiseSync::off;
  test.conditions = {.jitter = 500, .seed = 1};
  const ExchangeMeasurement measured = run_exchange(cube(), test);
  EXPECT_EQ(measured.verified, true);
  EXPECT_GT(measured.run.network.link_blocked.circuits, 0U);
}

TEST(CompleteExchange, OneSidedSchedulesTransposeToo) {
  for (unsigned dim = 1; dim <= 6; ++dim) {
    for (const Partition& partition : compositions_of(dim)) {
      for (const Schedule schedule : {Schedule::shift, Schedule::ordered, Schedule::random}) {
        for (const BlockOrder order : {BlockOrder::high, BlockOrder::low, BlockOrder::inplace}) {
          ExchangeExperiment test = experiment(dim, partition, 5);
          test.workload.schedule = schedule;
          test.workload.order = order;
          CompleteExchange exchange(test.workload, dim);
          cube().reset(test.machine, dim);
          ASSERT_EQ(cube().run(exchange.program()).status, RunResult::Status::finished);
          EXPECT_EQ(exchange.wrong(), 0U) << partition.braced_name();
          cube().unload();
        }
      }
    }
  }
}

TEST(CompleteExchange, OrderedAndRandomSchedulesMeetOnLinks) {
  for (const Schedule schedule : {Schedule::ordered, Schedule::random}) {
    ExchangeExperiment test = experiment(6, Partition::direct(6), 64);
    test.workload.schedule = schedule;
    EXPECT_GT(run_exchange(cube(), test).run.network.link_blocked.circuits, 0U);
  }
}

TEST(CompleteExchange, AFreshCubeAndOneThatRanBeforeAgree) {
  ExchangeExperiment test = experiment(5, Partition::direct(5), 64);
  test.workload.schedule = Schedule::random;
  test.conditions = {.jitter = 77, .seed = 9};
  const Cycles first = run_exchange(cube(), test).run.result.cycles;
  EXPECT_EQ(run_exchange(cube(), experiment(8, Partition::standard(8), 100)).verified, true);
  EXPECT_EQ(run_exchange(cube(), test).run.result.cycles, first);
}

}  // namespace
}  // namespace ecube
