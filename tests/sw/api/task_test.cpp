// SPDX-License-Identifier: Apache-2.0
// Tasks that end without waiting, in loops longer than any stack.
#include "sw/api/task.h"

#include <coroutine>

#include "tests/test.h"

namespace ecube::task_test {
namespace {

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
}  // namespace ecube::task_test
