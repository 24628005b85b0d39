// SPDX-License-Identifier: Apache-2.0
// Several concurrent tasks of one node: a program's work on more than one port.
#pragma once

#include <coroutine>
#include <deque>
#include <exception>
#include <utility>

#include "sw/api/task.h"

namespace ecube {

/// Concurrent tasks on one node. `start` runs a task to its first wait; `co_await` of the object continues when all
/// have ended, and rethrows the exception of the first task that failed. Await it before it goes out of scope, unless
/// the whole program is abandoned.
class Branches {
 public:
  Branches() = default;
  Branches(const Branches&) = delete;
  Branches& operator=(const Branches&) = delete;
  ~Branches() {
    for (const Branch& branch : branches_) branch.handle.destroy();
  }

  void start(Task<> task) {
    ++open_;
    branches_.push_back(run(std::move(task)));
    branches_.back().handle.promise().all = this;
    branches_.back().handle.resume();
  }

  [[nodiscard]] bool await_ready() const noexcept { return open_ == 0; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { waiter_ = waiter; }
  void await_resume() const {
    for (const Branch& branch : branches_) {
      if (branch.handle.promise().error) std::rethrow_exception(branch.handle.promise().error);
    }
  }

 private:
  struct Branch {
    struct promise_type : detail::PromiseBase {
      Branches* all = nullptr;

      Branch get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
      void return_void() const noexcept {}
      /// The last branch to end continues the coroutine that waits for all; it is then suspended and may be destroyed.
      struct Last {
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) const noexcept {
          Branches& branches = *self.promise().all;
          if (--branches.open_ > 0 || !branches.waiter_) return std::noop_coroutine();
          return branches.waiter_;
        }
        void await_resume() const noexcept {}
      };
      [[nodiscard]] Last final_suspend() const noexcept { return {}; }
    };
    std::coroutine_handle<promise_type> handle;
  };

  static Branch run(Task<> task) { co_await task; }

  std::deque<Branch> branches_;
  std::size_t open_ = 0;
  std::coroutine_handle<> waiter_;
};

}  // namespace ecube
