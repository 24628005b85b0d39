// SPDX-License-Identifier: Apache-2.0
// The combine over any number of ports where start-ups queue: the nCUBE-2 compared with its equation.
#include "testbench/combine/combine_experiment.h"
#include "tests/test.h"
#include "tests/testbench/run/queued_sweep.h"

namespace ecube::queued_combine_test {
namespace {

enum class Version : std::uint8_t { v1, v2, v3, hybrid };
constexpr Version versions[] = {Version::v1, Version::v2, Version::v3, Version::hybrid};
constexpr const char* version_names[] = {"v1", "v2", "v3", "hybrid"};

CombineExperiment experiment(unsigned dim, std::uint32_t ports, std::uint64_t items, CombineTarget target,
                             Version version) {
  CombineExperiment test;
  test.setup.machine = ncube2_with(ports);
  test.setup.dim = dim;
  test.workload.items = items;
  test.workload.target = target;
  if (target == CombineTarget::root) test.workload.root = static_cast<NodeId>(items % (1U << dim));
  test.workload.tree = version == Version::v1;
  adapt(test.workload, test.setup);
  const CombineProblem problem = problem_of(test.workload, test.setup);
  const CombineParameters p = queued_bench().calibrate(test.setup.machine).combine(Machine::item_bytes);
  test.workload.rule = HalvingRule::by(version == Version::hybrid ? best_strategy(problem, p)
                                       : version == Version::v3   ? Strategy::halving(dim)
                                                                  : Strategy::full(dim));
  return test;
}

TEST(QueuedCombine, OverAnyNumberOfPortsIsWithin2PercentOfItsEquation) {
  Sample sample(10);
  Worst worst;
  for (unsigned dim = 2; dim <= 6; ++dim)
    for (std::uint32_t ports = 1; ports <= dim; ++ports)
      for (const std::uint64_t items : {1U, 2U, 3U, 5U, 7U, 16U, 40U, 64U, 65U, 100U, 384U, 1000U, 4096U})
        for (const Version version : versions)
          for (const CombineTarget target : {CombineTarget::all, CombineTarget::root}) {
            if (!sample.takes()) continue;
            const CombineExperiment test = experiment(dim, ports, items, target, version);
            const CombineMeasurement m = run_combine(
                queued_bench(), test, queued_bench().calibrate(test.setup.machine).combine(Machine::item_bytes));
            ASSERT_EQ(m.verified, true);
            worst.add(m.error_percent(),
                      "combine --dim " + std::to_string(dim) + " --ports " + std::to_string(ports) + " --items " +
                          std::to_string(items) + " --strategy " + version_names[static_cast<int>(version)] +
                          (target == CombineTarget::root ? " --target root --root " + std::to_string(test.workload.root)
                                                         : ""));
          }
  worst.print(sample);
  EXPECT_LE(worst.percent(), 2.0) << worst.name() << ", " << sample.name();
}

/// These tests notice a prediction that leaves out the queue.
TEST(QueuedCombine, WithoutTheQueueIsFarFromItsEquation) {
  CombineExperiment test = experiment(4, Ports::n, 40, CombineTarget::all, Version::v2);
  const CombineParameters p = queued_bench().calibrate(test.setup.machine).combine(Machine::item_bytes);
  EXPECT_LT(std::abs(run_combine(queued_bench(), test, p).error_percent()), 2);
  test.workload.ports = {};  // the equation of one port
  const double one_port = predicted_cost(test.workload, test.setup, p).terms.total();
  test.workload.ports = test.setup.machine.node.ports;
  EXPECT_GT(run_combine(queued_bench(), test, p).run.result.us, 2 * one_port);
}

}  // namespace
}  // namespace ecube::queued_combine_test
