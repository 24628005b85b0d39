// SPDX-License-Identifier: Apache-2.0
// The complete exchange on the machine: exact transposes, exact cycles, contention where theory says so.
#include "tests/machines.h"
#include "tests/planted.h"
#include "tests/test.h"
#include "tests/testbench/exchange/exchange_of.h"
#include "tests/testbench/shared_bench.h"

namespace ecube::exchange_test {
namespace {

constexpr std::array block_orders = {BlockOrder::high, BlockOrder::low, BlockOrder::inplace};

constexpr auto bench = shared_bench<12>;

ExchangeExperiment experiment(const Partition& partition, Bytes bytes) {
  return exchange_of(Machine{}, partition, bytes);
}

/// Parameters of no machine: binary fractions, so that sums of them are exact.
ExchangeParameters given_parameters() {
  return parse_exchange_parameters("lambda=64,lambda0=32,tau=0.5,delta_hop=8,rho=0.25");
}

ExchangeMeasurement run_fitted(const ExchangeExperiment& test) {
  return run_exchange(bench(), test, bench().calibrate(test.setup.machine).exchange(test.setup.dim));
}

TEST(CompleteExchange, EveryCompositionTransposesInEveryOrderOnEveryEngineWithoutBlocking) {
  for (const EngineChoice engine : {EngineChoice::event, EngineChoice::ideal})
    for (unsigned dim = 1; dim <= exhaustive_dim(7); ++dim)
      for (const Partition& partition : compositions_of(dim))
        for (const BlockOrder order : block_orders) {
          ExchangeExperiment test = experiment(partition, 3);
          test.setup.engine = engine;
          test.workload.order = order;
          const ExchangeMeasurement measured = run_exchange(bench(), test, given_parameters());
          ASSERT_EQ(measured.run.result.status, RunResult::Status::finished);
          EXPECT_EQ(measured.verified, true) << partition.braced_name();
          EXPECT_EQ(measured.run.network.link_blocked.circuits, 0U) << partition.braced_name();
        }
}

TEST(CompleteExchange, LeavesNoTwoCircuitsOnALinkUpToDimension10) {
  for (unsigned dim = 8; dim <= 10; ++dim)
    for (const Partition& partition : equipartitions_of(dim)) {
      ExchangeExperiment test = experiment(partition, 16);
      test.workload.payload = Payload::checks;
      const ExchangeMeasurement measured = run_exchange(bench(), test, given_parameters());
      EXPECT_EQ(measured.verified, true);
      EXPECT_EQ(measured.run.network.link_blocked.circuits, 0U) << partition.braced_name();
      EXPECT_EQ(measured.run.network.port_blocked.circuits, 0U) << partition.braced_name();
    }
}

TEST(CompleteExchange, TakesTheCyclesOfItsEquationOnTheIdealPreset) {
  for (unsigned dim = 1; dim <= 8; ++dim) {
    const ExchangeParameters fitted = bench().calibrate(Machine{}).exchange(dim);
    for (const Partition& partition : equipartitions_of(dim))
      for (const Bytes bytes :
           {1U, 2U, 3U, 7U, 16U, 31U, 32U, 33U, 64U, 100U, 255U, 256U, 1000U, 1023U, 2048U, 4095U, 4096U}) {
        ExchangeExperiment test = experiment(partition, bytes);
        test.workload.payload = Payload::checks;
        const ExchangeMeasurement measured = run_exchange(bench(), test, fitted);
        EXPECT_EQ(measured.verified, true);
        // Half a cycle is 0.0125 us; the largest run here is of some 10^7 cycles.
        EXPECT_NEAR(measured.run.result.us, measured.predicted.total(), 0.001)
            << partition.braced_name() << " bytes " << bytes;
      }
  }
}

TEST(CompleteExchange, TakesItsEquationWhereThousandsOfNodesCompleteAtOneEdge) {
  for (const BlockOrder order : {BlockOrder::high, BlockOrder::low}) {
    ExchangeExperiment test = experiment(Partition({3, 4, 5}), 1);
    test.workload.order = order;
    const ExchangeMeasurement measured = run_fitted(test);
    EXPECT_EQ(measured.verified, true);
    EXPECT_EQ(measured.run.network.link_blocked.circuits, 0U);
    EXPECT_NEAR(measured.run.result.us, measured.predicted.total(), 1e-6);
  }
}

TEST(CompleteExchange, TakesTheCyclesOfThePapersEquationWithAConstantDelta) {
  const Machine hull = preset_machine("hull");
  for (unsigned dim = 1; dim <= 8; ++dim) {
    const std::optional<ExchangeParameters> published = published_parameters("hull", dim);
    for (const Partition& partition : equipartitions_of(dim))
      for (const Bytes bytes : {1U, 2U, 55U, 64U, 1000U}) {
        ExchangeExperiment test = experiment(partition, bytes);
        test.setup.machine = hull;
        test.workload.payload = Payload::checks;
        const ExchangeMeasurement measured = run_exchange(bench(), test, *published);
        EXPECT_NEAR(measured.run.result.us, measured.predicted.total(), 0.001)
            << partition.braced_name() << " bytes " << bytes;
        EXPECT_NEAR(measured.run.result.us, run_fitted(test).predicted.total(), 0.001);
      }
  }
}

TEST(CompleteExchange, CostsItsEquationExactlyOnTheIdealEngine) {
  for (unsigned dim = 1; dim <= exhaustive_dim(7); ++dim)
    for (const Partition& partition : compositions_of(dim))
      for (const BlockOrder order : block_orders)
        for (const bool fixed : {false, true})
          for (const IdentityShuffle identity : {IdentityShuffle::charge, IdentityShuffle::skip}) {
            ExchangeParameters parameters = given_parameters();
            if (fixed) std::swap(parameters.delta_us, parameters.delta_hop_us);
            ExchangeExperiment test = experiment(partition, 24);
            test.setup.engine = EngineChoice::ideal;
            test.workload.order = order;
            test.workload.identity_shuffle = identity;
            const ExchangeMeasurement measured = run_exchange(bench(), test, parameters);
            EXPECT_EQ(measured.run.result.us, measured.predicted.total()) << partition.braced_name();
            for (const SectionMeasurement& phase : measured.sections) EXPECT_EQ(phase.us, phase.predicted.total());
          }
}

TEST(CompleteExchange, ChargesItsBarriersOnTheIdealEngine) {
  ExchangeParameters parameters = given_parameters();
  parameters.barrier_us = 6 * 16;
  for (const Barrier barrier : {Barrier::phase, Barrier::step}) {
    ExchangeExperiment test = experiment(Partition({3, 2, 1}), 24);
    test.setup.engine = EngineChoice::ideal;
    test.workload.barrier = barrier;
    const ExchangeMeasurement measured = run_exchange(bench(), test, parameters);
    EXPECT_EQ(measured.run.result.us, measured.predicted.total());
    EXPECT_EQ(measured.predicted.barrier_us, barrier == Barrier::phase ? 3 * 96.0 : (7 + 3 + 1) * 96.0);
  }
}

TEST(PhasesStartedByClocks, TakeWhatTheyTakeOneAfterTheOtherAndTheSlack) {
  for (const Partition& partition : {Partition({3, 2, 1}), Partition::direct(6), Partition::standard(6)})
    for (const EngineChoice engine : {EngineChoice::event, EngineChoice::ideal}) {
      ExchangeExperiment test = experiment(partition, 24);
      test.setup.engine = engine;
      const ExchangeParameters parameters = bench().calibrate(test.setup.machine).exchange(test.setup.dim);
      const double free_us = run_exchange(bench(), test, parameters).run.result.us;
      test.workload.barrier = claimed("B19", Barrier::clock, Barrier::none);
      for (const double slack_us : {0.0, 7.5}) {
        test.workload.slack_us = slack_us;
        const ExchangeMeasurement m = run_exchange(bench(), test, parameters);
        const auto phases = static_cast<double>(partition.size());
        EXPECT_EQ(m.verified, true);
        EXPECT_NEAR(m.run.result.us, free_us + phases * slack_us, phases / 40) << partition.name() << slack_us;
        EXPECT_NEAR(m.run.result.us, m.predicted.total(), phases / 40) << partition.name() << slack_us;
        EXPECT_EQ(m.predicted.barrier_us, phases * slack_us);
        ASSERT_TRUE(m.clock.has_value());
        EXPECT_EQ(m.clock->begun, 64 * partition.size());
        EXPECT_TRUE(slack_us == 0 || m.clock->late == 0);
        EXPECT_NEAR(m.clock->last_after_us, -slack_us, 1 / 40.0);
      }
    }
}

TEST(PhasesStartedByClocks, AreLateWhereJitterIsMoreThanTheSlack) {
  // Phases of one step: a node is late by its own start-up and its partner's at most, and by its start.
  ExchangeExperiment test = experiment(Partition::standard(5), 16);
  test.workload.barrier = Barrier::clock;
  const ExchangeParameters parameters = bench().calibrate(test.setup.machine).exchange(test.setup.dim);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test.setup.conditions = {.jitter = 400, .seed = seed};
    test.workload.slack_us = 0;
    const ExchangeMeasurement late = run_exchange(bench(), test, parameters);
    EXPECT_GT(late.clock->late, 50U) << seed;
    EXPECT_GT(late.clock->last_after_us, 1) << seed;
    EXPECT_EQ(late.verified, true) << seed;
    test.workload.slack_us = 2 * 400 / 40.0;
    const ExchangeMeasurement in_time = run_exchange(bench(), test, parameters);
    EXPECT_EQ(in_time.clock->late, 0U) << seed;
    EXPECT_EQ(in_time.verified, true) << seed;
  }
}

TEST(CompleteExchange, PairsSynchronisedByRendezvousNeverBlockUnderJitter) {
  for (unsigned dim = 1; dim <= 10; ++dim)
    for (std::uint64_t seed = 1; seed <= (dim < 8 ? 20U : 2U); ++seed) {
      ExchangeExperiment test = experiment(Partition::direct(dim), 16);
      test.workload.payload = Payload::checks;
      test.setup.conditions = {.jitter = 500, .seed = seed};
      const ExchangeMeasurement measured = run_exchange(bench(), test, given_parameters());
      EXPECT_EQ(measured.verified, true) << "dim " << dim << " seed " << seed;
      EXPECT_EQ(measured.run.network.link_blocked.circuits, 0U) << "dim " << dim << " seed " << seed;
    }
}

TEST(CompleteExchange, HalvesThatLeaveOnTheirOwnBlockUnderJitter) {
  ExchangeExperiment test = experiment(Partition::direct(6), 16);
  test.workload.sync = PairwiseSync::off;
  test.setup.conditions = {.jitter = 500, .seed = 1};
  const ExchangeMeasurement measured = run_exchange(bench(), test, given_parameters());
  EXPECT_EQ(measured.verified, true);
  EXPECT_GT(measured.run.network.link_blocked.circuits, 0U);
}

TEST(CompleteExchange, OneSidedSchedulesTransposeTooOnEveryEngine) {
  for (const EngineChoice engine : {EngineChoice::event, EngineChoice::ideal})
    for (unsigned dim = 1; dim <= 5; ++dim)
      for (const Partition& partition : compositions_of(dim))
        for (const Schedule schedule : {Schedule::shift, Schedule::ordered, Schedule::random, Schedule::masks})
          for (const BlockOrder order : block_orders) {
            ExchangeExperiment test = experiment(partition, 5);
            test.setup.engine = engine;
            test.workload.schedule = schedule;
            test.workload.order = order;
            EXPECT_EQ(run_exchange(bench(), test, given_parameters()).verified, true) << partition.braced_name();
          }
}

TEST(CompleteExchange, HalvesThatLeaveOnTheirOwnTransposeOnTheIdealEngine) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ExchangeExperiment test = experiment(Partition({2, 3}), 9);
    test.setup.engine = EngineChoice::ideal;
    test.workload.sync = PairwiseSync::off;
    test.setup.conditions = {.jitter = 5000, .seed = seed};
    EXPECT_EQ(run_exchange(bench(), test, given_parameters()).verified, true) << "seed " << seed;
  }
}

TEST(CompleteExchange, OrderedAndRandomSchedulesMeetOnLinks) {
  for (const Schedule schedule : {Schedule::ordered, Schedule::random}) {
    ExchangeExperiment test = experiment(Partition::direct(6), 64);
    test.workload.schedule = schedule;
    EXPECT_GT(run_exchange(bench(), test, given_parameters()).run.network.link_blocked.circuits, 0U);
  }
}

TEST(CompleteExchange, TheCyclicShiftAndMasksInLockStepAreFree) {
  // Every step of the shift, or of one mask, loads each link at most once (theory of e-cube routing); with a barrier
  // between the steps no other circuits meet.
  for (const Schedule schedule : {Schedule::shift, Schedule::masks}) {
    ExchangeExperiment test = experiment(Partition::direct(6), 64);
    test.workload.schedule = schedule;
    test.workload.barrier = Barrier::step;
    EXPECT_EQ(run_exchange(bench(), test, given_parameters()).run.network.link_blocked.circuits, 0U);
  }
}

TEST(CompleteExchange, AFreshCubeAndOneThatRanBeforeAgree) {
  ExchangeExperiment test = experiment(Partition::direct(5), 64);
  test.workload.schedule = Schedule::random;
  test.setup.conditions = {.jitter = 77, .seed = 9};
  const Cycles first = run_exchange(bench(), test, given_parameters()).run.result.cycles;
  EXPECT_EQ(run_fitted(experiment(Partition::standard(8), 100)).verified, true);
  EXPECT_EQ(run_exchange(bench(), test, given_parameters()).run.result.cycles, first);
}

TEST(BestPartition, IsTheOneThatBokhari1993Names) {
  // Fig. 1: lambda 100, delta 10, tau 2, rho 1; vertices at 55/48, 275/64 and 2695/81 bytes for d = 6.
  const ExchangeParameters figure1 = *published_parameters("hull", 6);
  const ExchangeOptions options;
  EXPECT_EQ(best_partition(Topology::cube(6), 1, figure1, options), Partition({1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(best_partition(Topology::cube(6), 2, figure1, options), Partition({2, 2, 2}));
  EXPECT_EQ(best_partition(Topology::cube(6), 20, figure1, options), Partition({3, 3}));
  EXPECT_EQ(best_partition(Topology::cube(6), 34, figure1, options), Partition({6}));
}

}  // namespace
}  // namespace ecube::exchange_test
