// SPDX-License-Identifier: Apache-2.0
// The complete exchange on networks that are no cubes: exact transposes on every engine, exact cycles where no link is
// shared, and a bound where some are.
#include "testbench/exchange/exchange_experiment.h"
#include "tests/test.h"

namespace ecube::network_exchange_run_test {
namespace {

ExchangeExperiment experiment(const std::string& text, const Partition& partition, Bytes bytes) {
  ExchangeExperiment result;
  result.setup.machine.network.topology = *Topology::parse(text);
  result.setup.dim = result.setup.machine.network.topology->label_bits();
  result.workload.partition = partition;
  result.workload.bytes = bytes;
  return result;
}

class NetworkExchangeRun : public testing::Test {
 protected:
  ExchangeMeasurement run(const ExchangeExperiment& test) {
    const unsigned steps = test.setup.topology().barrier_steps();
    return run_exchange(bench_, test, bench_.calibrate(test.setup.machine).exchange(steps));
  }
  TestBench bench_{6};
};

TEST_F(NetworkExchangeRun, TransposesInEveryGroupingAndOrderAtThePredictedCycle) {
  for (const std::string text : {"generalised:3x4x5", "generalised:4x4x4", "generalised:7", "generalised:3x3",
                                 "generalised:8x3", "generalised:2x3x2"}) {
    for (const Partition& partition : partitions_of(*Topology::parse(text)))
      for (const BlockOrder order : {BlockOrder::high, BlockOrder::low, BlockOrder::inplace})
        for (const EngineChoice engine : {EngineChoice::event, EngineChoice::ideal}) {
          ExchangeExperiment test = experiment(text, partition, 24);
          test.setup.machine.core.permute.compiled = {1, 2};
          test.workload.order = order;
          test.setup.engine = engine;
          const ExchangeMeasurement m = run(test);
          EXPECT_EQ(m.verified, true) << text << " " << partition.name();
          EXPECT_EQ(m.run.network.link_blocked.circuits, 0U) << text << " " << partition.name();
          EXPECT_NEAR(m.run.result.us, m.predicted.total(), 0.001) << text << " " << partition.name();
          test.workload.payload = Payload::checks;
          EXPECT_EQ(run(test).verified, true) << text << " " << partition.name();
        }
  }
}

TEST_F(NetworkExchangeRun, TakesNoLessThanItsBoundWhereStepsBeginTogether) {
  for (const std::string text : {"mesh:4x4", "mesh:8", "mesh:3x5", "mesh:5x5", "generalised:4+mesh:4"})
    for (const Partition& partition : partitions_of(*Topology::parse(text)))
      for (const Bytes bytes : {1U, 64U, 1024U}) {
        ExchangeExperiment test = experiment(text, partition, bytes);
        test.workload.barrier = Barrier::step;
        const ExchangeMeasurement m = run(test);
        EXPECT_EQ(m.verified, true) << text << " " << partition.name();
        EXPECT_GT(m.predicted.waiting_us, 0) << text << " " << partition.name();
        EXPECT_GE(m.run.result.us, m.predicted.total()) << text << " " << partition.name() << " " << bytes;
        EXPECT_LT(m.run.result.us, 1.5 * m.predicted.total()) << text << " " << partition.name() << " " << bytes;
      }
}

TEST_F(NetworkExchangeRun, PairsThatSynchroniseNeverBlockUnderJitterOnCompleteDimensions) {
  for (const std::string text : {"generalised:4x4", "generalised:3x4"})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      ExchangeExperiment test = experiment(text, Partition({1, 1}), 50);
      test.setup.conditions = {.jitter = 2000, .seed = seed};
      const ExchangeMeasurement m = run(test);
      EXPECT_EQ(m.verified, true);
    }
}

/// Event and clocked engine, circuit for circuit.
TEST(NetworkExchangeEngines, TakeTheSameCycles) {
  ExchangeExperiment test = experiment("generalised:3x4", Partition({1, 1}), 16);
  test.setup.engine = EngineChoice::clocked;
  TestBench bench(4);
  bench.elaborate(test.setup);
  const ExchangeParameters parameters = bench.calibrate(test.setup.machine).exchange(5);
  for (const Barrier barrier : {Barrier::none, Barrier::phase, Barrier::step})
    for (const Partition& partition : {Partition({1, 1}), Partition({2})}) {
      test.workload.barrier = barrier;
      test.workload.partition = partition;
      test.setup.engine = EngineChoice::clocked;
      const ExchangeMeasurement clocked = run_exchange(bench, test, parameters);
      test.setup.engine = EngineChoice::event;
      const ExchangeMeasurement event = run_exchange(bench, test, parameters);
      EXPECT_EQ(clocked.verified, true);
      EXPECT_EQ(clocked.run.result.cycles, event.run.result.cycles);
    }
}

}  // namespace
}  // namespace ecube::network_exchange_run_test
