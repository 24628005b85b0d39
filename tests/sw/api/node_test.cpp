// SPDX-License-Identifier: Apache-2.0
// What a node does for its program: operations and tasks at once, messages sent again and again. Tasks that end without
// waiting, in loops longer than any stack.
#include "sw/api/node.h"

#include <coroutine>

#include "sw/api/barrier.h"
#include "sw/api/firmware.h"
#include "sw/api/repeated.h"
#include "sw/api/task.h"
#include "tests/sw/ideal_run.h"
#include "tests/test.h"

namespace ecube::node_test {
namespace {

/// Cycles of 1 us.
IdealRun slow(unsigned dim) {
  IdealRun run;
  run.dim = dim;
  run.machine.clock_hz = 1e6;
  return run;
}

TEST(Node, AwaitsAllOperationsUntilTheLastOneIsComplete) {
  std::vector<double> ends_us(4);
  Firmware firmware([&](Node& node) -> Task<> {
    // The core does one thing after the other.
    Pending first = node.start_compute(node.id());
    Pending second = node.start_compute(10);
    co_await node.all(first, second);
    EXPECT_TRUE(first.done() && second.done());
    EXPECT_DOUBLE_EQ(node.now_us(), node.id() + 10);
    std::vector<Pending> more;
    more.push_back(node.start_compute(5));
    more.push_back(node.start_compute(7));
    co_await node.all(more);
    ends_us[node.id()] = node.now_us();
  });
  expect_finished(slow(2), firmware, "all");
  for (NodeId node = 0; node < 4; ++node) EXPECT_DOUBLE_EQ(ends_us[node], node + 22);
}

TEST(Node, RunsAllTasksAtOnceAndThrowsWhatOneOfThemThrew) {
  unsigned ended = 0;
  Firmware firmware([&](Node& node) -> Task<> {
    const auto one = [](Node& on, Cycles until, unsigned& count, bool fails) -> Task<> {
      co_await on.until(until);
      if (fails) throw std::runtime_error("no such block");
      ++count;
    };
    std::vector<Task<>> tasks;
    tasks.push_back(one(node, 30, ended, false));
    tasks.push_back(one(node, 20, ended, false));
    co_await node.all(tasks);
    EXPECT_DOUBLE_EQ(node.now_us(), 30);
    std::vector<Task<>> failing;
    failing.push_back(one(node, 40, ended, true));
    failing.push_back(one(node, 50, ended, false));
    co_await node.all(failing);
    ADD_FAILURE() << "nothing was thrown";
  });
  const RunResult result = run(slow(1), firmware);
  EXPECT_EQ(result.status, RunResult::Status::fault);
  EXPECT_HAS(result.fault, "no such block");
  EXPECT_GE(ended, 5U);
}

TEST(Node, SendsTheBlocksOfARowOneAfterTheOther) {
  constexpr unsigned dim = 3;
  CheckWords checks(true);
  std::vector<std::vector<std::uint64_t>> blocks(8, std::vector<std::uint64_t>(8));
  for (NodeId node = 0; node < 8; ++node)
    for (NodeId to = 0; to < 8; ++to) blocks[node][to] = 10 * node + to;
  Firmware firmware([&](Node& node) -> Task<> {
    const BlockRow row{.first = Region::contiguous(reinterpret_cast<std::byte*>(blocks[node.id()].data()), 8),
                       .apart = 8,
                       .subcube = {0, dim}};
    RepeatedExchange exchange(node, {.bytes = 8}, row, checks);
    for (NodeId j = 1; j < node.size(); ++j) {
      exchange.turn_to(node.id() ^ j);
      co_await exchange;
    }
  });
  expect_finished(IdealRun::on(dim, 1, 2), firmware, "exchanges");
  for (NodeId node = 0; node < 8; ++node)
    for (NodeId from = 0; from < 8; ++from) EXPECT_EQ(blocks[node][from], 10 * from + node);
  EXPECT_EQ(checks.wrong(), 0U);
}

TEST(Node, FollowsTheOrderOfItsPartners) {
  for (const std::size_t count : {0U, 1U, 4U, 5U, 9U}) {
    CheckWords checks(true);
    std::vector<NodeId> order;
    for (std::size_t i = 0; i < count; ++i) order.push_back(1 + static_cast<NodeId>(i * i % 7));
    std::vector<NodeId> sent;
    Firmware firmware([&](Node& node) -> Task<> {
      if (node.id() != 0) co_return;
      RepeatedSend sends(node, {.tag = 3}, {.first = {}, .subcube = {0, 3}}, checks, order);
      while (sends.turn_to_next()) co_await sends;
    });
    Faulty program(firmware, [&](NodeId, Operation& operation) {
      sent.push_back(operation.peer);
      EXPECT_EQ(operation.check, checks.of(3, 0, operation.peer));
    });
    expect_finished(IdealRun::on(3, 1, 1), program, "sends");
    EXPECT_EQ(sent, order);
  }
}

TEST(Node, LeavesABarrierOnlyWhenEveryNodeHasEnteredIt) {
  for (unsigned dim = 1; dim <= 6; ++dim) {
    NodeId entered = 0;
    Firmware firmware([&](Node& node) -> Task<> {
      co_await node.until(mix(node.id()) % 1000);
      ++entered;
      co_await barrier(node);
      EXPECT_EQ(entered, node.size());
    });
    expect_finished(IdealRun::on(dim, 1, 4), firmware, "barrier");
  }
}

constexpr std::uint32_t steps = 3'000'000;

/// Suspends the coroutine that awaits it where `waits` is true, until `resume`.
class Gate {
 public:
  [[nodiscard]] auto wait(bool waits) {
    struct Awaiter {
      Gate& gate;
      bool waits;
      [[nodiscard]] bool await_ready() const noexcept { return !waits; }
      void await_suspend(std::coroutine_handle<> waiter) const noexcept { gate.waiter_ = waiter; }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this, waits};
  }
  [[nodiscard]] bool has_waiter() const { return static_cast<bool>(waiter_); }
  void resume() { std::exchange(waiter_, nullptr).resume(); }

 private:
  std::coroutine_handle<> waiter_;
};

Task<std::uint32_t> one(Gate& gate, bool waits) {
  co_await gate.wait(waits);
  co_return 1;
}

Task<std::uint32_t> one_below(Gate& gate, bool waits) { co_return co_await one(gate, waits); }

/// Waits in one step of `every`, in none where it is 0.
Task<> count(Gate& gate, std::uint32_t every, std::uint32_t& counted) {
  for (std::uint32_t step = 0; step < steps; ++step)
    counted += co_await one_below(gate, every != 0 && step % every == 0);
}

TEST(Task, ALoopOverTasksThatNeverWaitNeedsNoStack) {
  Gate gate;
  std::uint32_t counted = 0;
  Task<> task = count(gate, 0, counted);
  task.start();
  EXPECT_FALSE(gate.has_waiter());
  EXPECT_EQ(counted, steps);
}

TEST(Task, NorDoesALoopThatWaitsOnceInAMillionSteps) {
  Gate gate;
  std::uint32_t counted = 0;
  std::uint32_t waits = 0;
  Task<> task = count(gate, 1'000'000, counted);
  task.start();
  for (; gate.has_waiter(); ++waits) gate.resume();
  EXPECT_EQ(waits, 3U);
  EXPECT_EQ(counted, steps);
}

Task<std::uint32_t> failing(Gate& gate, bool waits) {
  co_await gate.wait(waits);
  throw std::runtime_error("no such block");
}

Task<> catching(Gate& gate, bool waits, std::uint32_t& caught) {
  try {
    co_await failing(gate, waits);
  } catch (const std::runtime_error&) {
    ++caught;
  }
}

TEST(Task, WhatATaskThrowsReachesItsAwaiterWhetherItWaitedOrNot) {
  Gate gate;
  std::uint32_t caught = 0;
  Task<> at_once = catching(gate, false, caught);
  at_once.start();
  EXPECT_EQ(caught, 1U);
  Task<> later = catching(gate, true, caught);
  later.start();
  EXPECT_EQ(caught, 1U);
  gate.resume();
  EXPECT_EQ(caught, 2U);
}

}  // namespace
}  // namespace ecube::node_test
