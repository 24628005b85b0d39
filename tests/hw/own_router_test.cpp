// SPDX-License-Identifier: Apache-2.0
// A router of one's own in the sockets of the clocked cube: in all nodes it works, and among e-cube routers it
// deadlocks, which the report of the stalled machine says in a ring.
#include "hw/clocked/cube.h"
#include "hw/clocked/mirrored_router.h"
#include "sw/api/firmware.h"
#include "testbench/machine/test_bench.h"
#include "testbench/run/experiment.h"
#include "tests/test.h"

namespace ecube::own_router_test {
namespace {

class Mirrored final : public clocked::NodeParts {
 public:
  explicit Mirrored(std::vector<NodeId> nodes) : nodes_(std::move(nodes)) {}
  std::unique_ptr<clocked::RouterPins> make_router(const char* name, NodeId node,
                                                   const clocked::Shape& shape) const override {
    if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end()) return NodeParts::make_router(name, node, shape);
    return std::make_unique<clocked::MirroredRouter>(name, shape);
  }

 private:
  std::vector<NodeId> nodes_;
};

/// Right, but never gated: it says at every edge that it moves.
class Restless final : public clocked::Router {
 public:
  using Router::Router;
  void clock_edge() override {
    Router::clock_edge();
    moving_o.write(true);
  }
};

class AllRestless final : public clocked::NodeParts {
 public:
  std::unique_ptr<clocked::RouterPins> make_router(const char* name, NodeId /*node*/,
                                                   const clocked::Shape& shape) const override {
    return std::make_unique<Restless>(name, shape);
  }
};

/// Every node exchanges 16 bytes with the opposite one; the measurement as the test bench makes it.
RunMeasurement opposite_exchange(ClockedCube& cube) {
  Firmware firmware(
      [](Node& node) -> Task<> { co_await node.exchange({.with = node.id() ^ 3U, .bytes = 16, .room = 16}); });
  RunMeasurement measurement;
  measurement.result = cube.run(firmware);
  measurement.blocked = cube.waiting();
  measurement.ring = ring_among(cube.waiting());
  measurement.unfinished = cube.unfinished();
  return measurement;
}

TEST(OwnRouter, InAllNodesNeedsTheCyclesOfECubeRouting) {
  ClockedCube mirrored("mirrored", Machine{}, 2, Mirrored({0, 1, 2, 3}));
  ClockedCube e_cube("e_cube", Machine{}, 2);
  const RunMeasurement m = opposite_exchange(mirrored);
  ASSERT_EQ(m.result.status, RunResult::Status::finished);
  // By symmetry: numbering the dimensions backwards renames nodes 1 and 2.
  EXPECT_EQ(m.result.cycles, opposite_exchange(e_cube).result.cycles);
}

TEST(OwnRouter, InSomeNodesDeadlocksAndTheReportHasTheRing) {
  ClockedCube cube("cube", Machine{}, 2, Mirrored({1, 2}));
  const RunMeasurement mixed = opposite_exchange(cube);
  ASSERT_EQ(mixed.result.status, RunResult::Status::stalled);
  ASSERT_EQ(mixed.ring.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(mixed.ring[i].holder.source, mixed.ring[(i + 1) % 4].waiting.source);
  }
  EXPECT_HAS(stall_text(mixed, Topology::cube(2)),
             "4 circuits wait for each other in a ring: 2->1 for link 0:0, 0->3 for link 1:1, "
             "1->2 for link 3:0, 3->0 for link 2:1");
}

TEST(OwnRouter, ThatAlwaysSaysThatItMovesKeepsNoRunAlive) {
  Machine slow;
  slow.router.route_cycles = 300;  // longer than anything else here: probes wait in routers while nothing else moves
  ClockedCube restless("restless", slow, 2, AllRestless());
  ClockedCube stalls("stalls", slow, 2, AllRestless());
  ClockedCube e_cube("e_cube", slow, 2);
  const RunMeasurement all = opposite_exchange(restless);
  ASSERT_EQ(all.result.status, RunResult::Status::finished);
  EXPECT_EQ(all.result.cycles, opposite_exchange(e_cube).result.cycles);
  Firmware nobody_sends([](Node& node) -> Task<> { co_await node.receive({.from = node.id() ^ 1U, .bytes = 8}); });
  EXPECT_EQ(stalls.run(nobody_sends).status, RunResult::Status::stalled);
}

TEST(OwnRouter, AChainOfCircuitsIsNoRing) {
  WaitingCircuit first{.waiting = {.source = 1}, .router = 0, .output = 0, .held = true, .holder = {.source = 2}};
  WaitingCircuit second{.waiting = {.source = 2}, .router = 0, .output = 0, .held = true, .holder = {.source = 3}};
  EXPECT_TRUE(ring_among({first, second}).empty());
  WaitingCircuit third{.waiting = {.source = 3}, .router = 0, .output = 0, .held = true, .holder = {.source = 2}};
  EXPECT_EQ(ring_among({first, second, third}).size(), 2U) << "1 waits for the ring of 2 and 3";
  EXPECT_EQ(holders_among({first, second, third}), (std::vector<std::size_t>{1, 2, 1}));
}

TEST(OwnRouter, ChainsEndAtTheirLastThingOrComeBackToARing) {
  // 0 > 1 > 2 > 1, 3 > 0, and 4 alone.
  EXPECT_EQ(chain_lengths({1, 2, 1, 0, 5}), (std::vector<std::size_t>{3, 2, 2, 4, 1}));
  EXPECT_EQ(chain_lengths({0}), std::vector<std::size_t>{1}) << "waits for itself";
  std::vector<std::size_t> row(100'000);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i + 1;
  EXPECT_EQ(chain_lengths(row).front(), row.size());
}

}  // namespace
}  // namespace ecube::own_router_test
