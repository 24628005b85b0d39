// SPDX-License-Identifier: Apache-2.0
// Routers that do not agree on an order of dimensions: circuits wait for each other in a ring.
#include "testbench/exchange/exchange_experiment.h"
#include "tests/test.h"

namespace ecube::mixed_routers_test {
namespace {

ExchangeMeasurement exchanged(TestBench& bench, const Partition& partition, std::string_view router) {
  const ExchangeExperiment test{.setup = {.machine = {},
                                          .dim = 2,
                                          .conditions = {},
                                          .engine = EngineChoice::clocked,
                                          .router = std::string(router)},
                                .workload = {.partition = partition, .bytes = 64}};
  bench.elaborate(test.setup);
  return run_exchange(bench, test, ExchangeParameters{});
}

TEST(MixedRouters, DeadlockAndTheReportHasTheRing) {
  TestBench bench(2);
  const ExchangeMeasurement stalled = exchanged(bench, Partition::direct(2), mixed_router);
  EXPECT_EQ(stalled.run.result.status, RunResult::Status::stalled);
  std::set<std::pair<NodeId, NodeId>> ring;
  for (const WaitingCircuit& one : stalled.run.ring) ring.emplace(one.waiting.source, one.waiting.destination);
  EXPECT_EQ(ring, (std::set<std::pair<NodeId, NodeId>>{{2, 1}, {0, 3}, {1, 2}, {3, 0}}));
}

TEST(MixedRouters, TakeTheCyclesOfAllOthersWhereRoutesHaveOneLink) {
  TestBench bench(2);
  RunSetup plain{.machine = {}, .dim = 2, .conditions = {}};
  plain.engine = EngineChoice::clocked;
  bench.elaborate(plain);
  const Cycles mixed = exchanged(bench, Partition::standard(2), mixed_router).run.result.cycles;
  EXPECT_EQ(mixed, exchanged(bench, Partition::standard(2), "").run.result.cycles);
  EXPECT_GT(mixed, 0U);
}

}  // namespace
}  // namespace ecube::mixed_routers_test
