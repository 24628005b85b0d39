// SPDX-License-Identifier: Apache-2.0
// What the ideal machine tells a program of its operations, in cycles worked out by hand; what nodes wait for, and runs
// that are interrupted.
#include "models/ideal/ideal_machine.h"

#include "sw/api/firmware.h"
#include "tests/machines.h"
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
  Computing program({15, 0});
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

/// Messages take 10 us, and 5 bytes are copied in as many.
IdealCosts costs() {
  const ExchangeParameters message{.lambda_us = 10, .lambda0_us = 10};
  return {.message = message, .exchange = message, .copy_us_per_byte = 2};
}

/// The nodes that wait when a run of `body` ends or, if it goes on, is interrupted.
std::vector<WaitingNode> waiting(const std::function<Task<>(Node&)>& body, unsigned dim,
                                 RunResult::Status status = RunResult::Status::stalled, std::size_t most = 100) {
  Firmware firmware(body);
  IdealMachine machine;
  machine.reset(preset_machine("ideal"), dim, {}, costs());
  machine.on_progress([](double) { return false; });
  const RunResult result = machine.run(firmware);
  EXPECT_EQ(result.status, status) << result.fault;
  EXPECT_EQ(machine.unfinished(), machine.waiting_nodes(1000).size());
  return machine.waiting_nodes(most);
}

TEST(IdealMachineThatStalls, SaysWhoWaitsForAMessage) {
  const auto all = waiting(
      [](Node& node) -> Task<> {
        if (node.id() == 1) co_await node.receive({.from = 3, .tag = 9, .bytes = 4});
        if (node.id() == 2) co_await node.compute(100);
      },
      2);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].node, 1U);
  EXPECT_EQ(all[0].waits_for, WaitingNode::For::message);
  EXPECT_EQ(all[0].peer, 3U);
  EXPECT_EQ(all[0].tag, 9U);
  EXPECT_EQ(all[0].since, 0U);
}

TEST(IdealMachineThatStalls, SaysWhoWaitsForAPartner) {
  const auto body = [](Node& node) -> Task<> {
    if (node.id() % 2 == 1) co_return;
    co_await node.compute(40);
    co_await node.exchange({.with = node.id() ^ 1U, .tag = 5, .bytes = 4, .sync = PairwiseSync::on});
  };
  const auto all = waiting(body, 2);
  ASSERT_EQ(all.size(), 2U);
  for (NodeId i = 0; i < 2; ++i) {
    EXPECT_EQ(all[i].node, 2 * i);
    EXPECT_EQ(all[i].waits_for, WaitingNode::For::partner);
    EXPECT_EQ(all[i].peer, 2 * i + 1);
    EXPECT_EQ(all[i].since, 40U);
  }
  EXPECT_EQ(waiting(body, 2, RunResult::Status::stalled, 1).size(), 1U) << "no more than asked for";
}

/// A run without end is interrupted after some thousand steps, in the middle of a message.
TEST(IdealMachineThatIsInterrupted, SaysWhoSends) {
  const auto all = waiting(
      [](Node& node) -> Task<> {
        if (node.id() == 1) {
          // Two events besides the six of each message, so that event 4,096 is the begin of one.
          co_await node.compute(1);
          for (;;) co_await node.receive({.from = 0, .tag = 1, .bytes = 4});
        }
        for (;;) co_await node.send({.to = 1, .tag = 1, .bytes = 4});
      },
      1, RunResult::Status::interrupted);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].waits_for, WaitingNode::For::circuit);
  EXPECT_EQ(all[0].peer, 1U);
  EXPECT_EQ(all[0].tag, 1U);
}

/// From each of the others in a subcube of one there is nothing to receive.
TEST(IdealMachine, HasReceivedFromEachOfNoneAtOnce) {
  Firmware firmware([](Node& node) -> Task<> {
    co_await node.start_receive(IncomingFromEach{.sources = {0, 0}, .tag = 1, .bytes = 4});
  });
  IdealMachine machine;
  machine.reset(preset_machine("ideal"), 1, {}, costs());
  const RunResult result = machine.run(firmware);
  EXPECT_EQ(result.status, RunResult::Status::finished) << result.fault;
  EXPECT_DOUBLE_EQ(result.us, 0);
}

/// Whatever an earlier run left, a machine that is reset is a new one.
TEST(IdealMachine, ThatIsResetForgetsTheRunBefore) {
  IdealMachine machine;
  for (int run = 0; run < 2; ++run) {
    Firmware stalls([](Node& node) -> Task<> {
      co_await node.send({.to = node.id() ^ 1U, .tag = 1, .bytes = 4});
      if (node.id() == 0) co_await node.copy(5);
      if (node.id() == 0) co_await node.receive({.from = 1, .tag = 2, .bytes = 4});
    });
    machine.reset(preset_machine("ideal"), 1, {}, costs());
    const RunResult stalled = machine.run(stalls);
    EXPECT_EQ(stalled.status, RunResult::Status::stalled);
    EXPECT_DOUBLE_EQ(stalled.us, 20) << "that of the last event";
    Firmware takes([](Node& node) -> Task<> {
      if (node.id() == 0) co_await node.send({.to = 1, .tag = 2, .bytes = 4});
      if (node.id() == 1) co_await node.receive({.from = 0, .tag = 2, .bytes = 4});
    });
    machine.reset(preset_machine("ideal"), 1, {}, costs());
    const RunResult result = machine.run(takes);
    EXPECT_EQ(result.status, RunResult::Status::finished) << result.fault;
    EXPECT_DOUBLE_EQ(result.us, 10);
    EXPECT_EQ(machine.statistics().circuits, 1U);
    machine.unload();
  }
}

}  // namespace
}  // namespace ecube::ideal_machine_test
