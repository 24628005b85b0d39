// SPDX-License-Identifier: Apache-2.0
// What the ideal machine tells a program of its operations, in cycles worked out by hand.
#include "models/ideal/ideal_machine.h"

#include "sw/api/firmware.h"
#include "tests/sw/ideal_run.h"
#include "tests/test.h"

namespace ecube::ideal_machine_test {
namespace {

/// Every node computes `cycles` of its own, and that is all.
class Computing final : public Program {
 public:
  explicit Computing(std::vector<Cycles> cycles) : cycles_(std::move(cycles)) {}

  void start(NodePorts& ports, NodeId node) override {
    Operation& work = works_.emplace_back();
    work.kind = OperationKind::compute;
    work.amount = cycles_[node];
    ports.start_compute(node, work);
    ports.finished(node, nullptr);
  }
  void stop() override {}
  [[nodiscard]] const std::deque<Operation>& works() const { return works_; }

 private:
  std::vector<Cycles> cycles_;
  std::deque<Operation> works_;
};

TEST(IdealMachine, SaysInWhichCycleAnOperationWasComplete) {
  Machine described;
  described.clock_hz = 1e6;  // a cycle is a microsecond
  Computing program({3, 0});
  IdealMachine machine;
  machine.reset(described, 1, {}, {});
  ASSERT_EQ(machine.run(program).status, RunResult::Status::finished);
  for (const Operation& work : program.works()) {
    EXPECT_TRUE(work.done);
    EXPECT_EQ(work.completed_at, work.amount) << "node " << work.node;
  }
}

/// A node that asks for nothing starts, and ends, at the first number of its draws.
TEST(IdealMachineOf, AJitterStartsNodesAtTheirFirstDraw) {
  constexpr Cycles jitter = 1000;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Firmware firmware([](Node& /*node*/) -> Task<> { co_return; });
    IdealRun where = IdealRun::on(3, 1, 1);
    where.conditions = {.jitter = jitter, .seed = seed};
    Cycles last = 0;
    for (NodeId node = 0; node < 8; ++node) last = std::max(last, up_to(draw(seed, node, 0), jitter));
    EXPECT_NEAR(run(where, firmware).us, where.machine.us(static_cast<double>(last)), 1e-9) << seed;
  }
}

}  // namespace
}  // namespace ecube::ideal_machine_test
