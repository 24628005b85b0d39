// SPDX-License-Identifier: Apache-2.0
// The static check of a step beside the machine.
#include "models/static_check/link_conflicts.h"
#include "testbench/shuffle/shuffle_request.h"
#include "tests/test.h"
#include "tests/testbench/shuffle/shuffle_runs.h"

namespace ecube::static_contention_test {
namespace {

/// All circuits of a step at cycle 0, each long enough to hold its links until all have asked.
std::uint64_t blocked_on_the_machine(const std::vector<PlannedCircuit>& step, unsigned dim) {
  Firmware firmware([&](Node& node) -> Task<> {
    std::vector<Pending> pending;
    for (const PlannedCircuit& circuit : step) {
      if (circuit.destination == node.id())
        pending.push_back(node.start_receive({.from = circuit.source, .bytes = 400}));
      if (circuit.source == node.id()) pending.push_back(node.start_send({.to = circuit.destination, .bytes = 400}));
    }
    for (Pending& one : pending) co_await one;
  });
  RunSetup setup;
  setup.machine = with_ports(Ports::n);
  setup.dim = dim;
  return bench().run(setup, firmware).network.link_blocked.circuits;
}

TEST(StaticContentionCheck, AgreesWithTheMachineOnRandomSteps) {
  const unsigned seed = 15;
  std::mt19937_64 random(seed);
  unsigned with_conflicts = 0;
  for (unsigned trial = 0; trial < 600; ++trial) {
    const auto dim = 2 + static_cast<unsigned>(random() % 5);
    const NodeId nodes = NodeId{1} << dim;
    std::vector<PlannedCircuit> step;
    const std::size_t count = 1 + random() % (dim + 2);
    std::set<NodeId> sources;
    while (step.size() < std::min<std::size_t>(count, nodes / 2)) {
      const auto source = static_cast<NodeId>(random() % nodes);
      const auto destination = static_cast<NodeId>(random() % nodes);
      if (source != destination && sources.insert(source).second) step.push_back({source, destination});
    }
    const bool conflict = !conflicts_of(step, Topology::cube(dim)).empty();
    with_conflicts += conflict ? 1 : 0;
    EXPECT_EQ(blocked_on_the_machine(step, dim) > 0, conflict) << "seed " << seed << " trial " << trial;
  }
  EXPECT_GT(with_conflicts, 60U);
  EXPECT_LT(with_conflicts, 540U);
}

TEST(StaticContentionCheck, NamesTheLinkAndItsCircuits) {
  // 0 -> 3 and 1 -> 3 share the link from 1 in dimension 1; 2 -> 3 takes another.
  const std::vector<PlannedCircuit> step = {{0, 3}, {2, 3}, {1, 3}};
  const std::vector<LinkConflict> conflicts = conflicts_of(step, Topology::cube(2));
  ASSERT_EQ(conflicts.size(), 1U);
  EXPECT_EQ(conflicts[0].link, (LinkId{1, 1}));
  EXPECT_EQ(conflicts[0].circuits, (std::vector<std::size_t>{0, 2}));
}

}  // namespace
}  // namespace ecube::static_contention_test
