// SPDX-License-Identifier: Apache-2.0
// Coroutine tasks: firmware as straight-line code; several concurrent tasks of one node, for its work on more than one
// port; and the memory of their frames, reused by size so that running firmware does not allocate.
#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <utility>

namespace ecube {

/// A frame of `bytes`, aligned to a cache line, because the operations in it are laid out by lines. Thread-local free
/// lists by size; frames above 4 KB go to the heap.
[[nodiscard]] void* allocate_frame(std::size_t bytes);
void release_frame(void* frame, std::size_t bytes) noexcept;

namespace detail {

struct PromiseBase {
  /// The coroutine to continue when the task ends; none while its awaiter still waits for it to suspend or end.
  std::coroutine_handle<> continuation = std::noop_coroutine();
  std::exception_ptr error;

  struct FinalAwaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) const noexcept {
      return self.promise().continuation;
    }
    void await_resume() const noexcept {}
  };

  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { release_frame(frame, bytes); }
};

template <class T>
struct Promise;

}  // namespace detail

/// A coroutine that starts when awaited and continues its awaiter when it ends. T must be default-constructible.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { destroy(); }

  /// Runs to the first suspension; for the outermost task only.
  void start() { handle_.resume(); }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  /// Runs the task to its first suspension. A task that ends without one returns to the awaiter's own call, so that a
  /// loop over such tasks does not grow the stack, whether or not the compiler turns resumptions into tail calls.
  bool await_suspend(std::coroutine_handle<> awaiter) {
    handle_.resume();
    if (handle_.done()) return false;
    handle_.promise().continuation = awaiter;
    return true;
  }
  T await_resume() {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    return handle_.promise().take();
  }

 private:
  void destroy() noexcept {
    if (handle_) handle_.destroy();
  }
  Handle handle_;
};

namespace detail {

template <class T>
struct Promise : PromiseBase {
  T value{};
  Task<T> get_return_object() { return Task<T>(std::coroutine_handle<Promise>::from_promise(*this)); }
  void return_value(T result) { value = std::move(result); }
  T take() { return std::move(value); }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object() { return Task<void>(std::coroutine_handle<Promise>::from_promise(*this)); }
  void return_void() const noexcept {}
  void take() const noexcept {}
};

}  // namespace detail

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
