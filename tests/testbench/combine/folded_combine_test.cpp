// SPDX-License-Identifier: Apache-2.0
// Combines of one node in the place of all: the figures of the whole machine where all halves are even, else none.
#include "hw/folded/cube.h"
#include "models/presets/presets.h"
#include "testbench/combine/combine_experiment.h"
#include "tests/test.h"

namespace ecube::folded_combine_test {
namespace {

TestBench& bench() {
  static TestBench instance(10);
  return instance;
}

std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const char* const name : {"ideal", "cm2", "hull"}) all.push_back(resolve(preset_settings(preset(name))));
  Machine queued = all[0];
  queued.node.ports.engines = Ports::n;
  queued.node.startups = Startups::queued;
  queued.node.overlap = Overlap::off;
  queued.library.receive_cycles = 40;
  queued.core.combine.compiled = {7, 1};
  queued.library.combining = Combining::arriving;
  queued.library.call_cycles = 11;
  all.push_back(queued);
  queued.node.ports.engines = 1;
  queued.library.protocol = Protocol::forced;
  all.push_back(queued);
  return all;
}

CombineExperiment experiment_of(const Machine& machine, const Strategy& strategy, std::uint64_t items) {
  CombineExperiment test;
  test.setup.machine = machine;
  test.setup.dim = strategy.dim();
  test.workload.items = items;
  test.workload.rule = HalvingRule::by(strategy);
  test.workload.payload = Payload::checks;
  adapt(test.workload, test.setup);
  return test;
}

struct Figures {
  CombineMeasurement measured;
  std::vector<LinkStatistics> links;
  std::string refusal;
};

Figures run(CombineExperiment test, bool folded) {
  test.setup.folded = test.workload.folded = folded;
  Figures figures;
  try {
    figures.measured = run_combine(bench(), test, CombineParameters{});
  } catch (const NotFolded& problem) {
    figures.refusal = problem.what();
    return figures;
  }
  const Links& links = bench().links();
  for (NodeId node = 0; node < links.topology().nodes(); ++node)
    for (unsigned dimension = 0; dimension < links.topology().outputs(); ++dimension) {
      figures.links.push_back(links.statistics({node, dimension}));
    }
  return figures;
}

/// Folded, a run is that of the whole machine.
void expect_equal(const CombineExperiment& test, const std::string& what) {
  const Figures whole = run(test, false);
  const Figures one = run(test, true);
  ASSERT_EQ(one.refusal, "") << what;
  const RunMeasurement& a = whole.measured.run;
  const RunMeasurement& b = one.measured.run;
  ASSERT_EQ(a.result.status, RunResult::Status::finished) << what;
  EXPECT_TRUE(b.folded) << what;
  EXPECT_EQ(a.result.cycles, b.result.cycles) << what;
  EXPECT_EQ(a.network.circuits, b.network.circuits) << what;
  EXPECT_EQ(a.network.payload_bytes, b.network.payload_bytes) << what;
  EXPECT_EQ(a.network.link_blocked.circuits + a.network.port_blocked.circuits, 0U) << what;
  EXPECT_TRUE(whole.links == one.links) << what;
  ASSERT_EQ(whole.measured.steps.size(), one.measured.steps.size()) << what;
  for (std::size_t step = 0; step < whole.measured.steps.size(); ++step) {
    EXPECT_EQ(whole.measured.steps[step].us, one.measured.steps[step].us) << what;
  }
  EXPECT_EQ(one.measured.wrong, 0U) << what;
  EXPECT_EQ(one.measured.verified_nodes, 1U) << what;
}

TEST(FoldedCombine, IsTheWholeMachinesForEveryStrategyWithEvenHalves) {
  Sample sample(all_cases ? 1 : 2);
  for (unsigned dim = 1; dim <= (all_cases ? 8U : 5U); ++dim)
    for (const Strategy& strategy : Strategy::all(dim)) {
      std::size_t number = 0;
      for (const Machine& machine : machines()) {
        ++number;
        if (!sample.takes()) continue;
        // Every part of the vector can be halved as often as there are directions.
        const std::uint64_t items = (std::uint64_t{dim} << dim) * 3;
        std::string what = "machine " + std::to_string(number);
        what.append(", strategy ").append(strategy.name());
        expect_equal(experiment_of(machine, strategy, items), what.append(", ").append(sample.name()));
      }
    }
}

/// On one port: the messages of the first step in which the halves differ are named.
TEST(FoldedCombine, IsRefusedWhereHalvesAreUneven) {
  const Machine machine = machines()[0];
  for (std::uint64_t items = 1; items <= 40; ++items) {
    const Figures one = run(experiment_of(machine, Strategy::full(3), items), true);
    EXPECT_EQ(one.refusal, "") << items;
    const Figures halved = run(experiment_of(machine, Strategy::halving(3), items), true);
    const bool even = items % 8 == 0;
    EXPECT_EQ(halved.refusal.empty(), even) << items << ": " << halved.refusal;
    if (!even) {
      EXPECT_EQ(halved.refusal.find("partners send each other messages of different lengths"), 0U);
    }
  }
}

TEST(FoldedCombine, HasARootOnlyUnfolded) {
  CombineWorkload workload;
  EXPECT_EQ(why_not_translated(workload), "");
  workload.target = CombineTarget::root;
  EXPECT_NE(why_not_translated(workload), "");
  workload.target = CombineTarget::all;
  workload.tree = true;
  EXPECT_NE(why_not_translated(workload), "");
}

}  // namespace
}  // namespace ecube::folded_combine_test
