// SPDX-License-Identifier: Apache-2.0
// Schedules of sends, receives and calculations with dependencies, and the firmware that runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "sw/api/node.h"

namespace ecube {

enum class GoalKind : std::uint8_t { send, receive, calculation };

/// An operation of a schedule, as it lies in a compiled file.
struct GoalOperation {
  std::uint64_t amount = 0;           ///< bytes of a message, nanoseconds of a calculation
  std::uint32_t peer = 0;             ///< the other rank of a message
  std::uint32_t tag = 0;              ///< of a message
  std::uint32_t first_dependent = 0;  ///< the first of its dependents
  std::uint32_t dependents = 0;       ///< that wait for its start, then that wait for its end
  std::uint32_t on_start = 0;         ///< how many of them wait for its start
  std::uint16_t waits_for = 0;        ///< operations that have to start or end before; counts down during a run
  GoalKind kind = GoalKind::send;
  std::uint8_t unused = 0;
};
static_assert(sizeof(GoalOperation) == 32);

/// A schedule of some ranks, in memory that a run changes: GoalOperation::waits_for.
struct GoalSchedule {
  std::span<GoalOperation> operations;
  std::span<const std::uint32_t> dependents;  ///< numbers of operations
  std::span<const std::uint32_t> first;       ///< [rank]: its operations are first[rank] .. first[rank + 1] - 1
  [[nodiscard]] std::size_t ranks() const { return first.size() - 1; }
};

/// Runs a schedule: an operation starts as soon as all operations that it waits for have started or ended. Operations
/// of a rank that become ready in one cycle start in this order: without dependencies, in the order of the schedule;
/// released by others, in the order in which those started or ended and, of one operation, in the order of its
/// dependents. Nodes without a rank do nothing. Besides the schedule, only operations under way take memory.
class GoalProgram final : public Program {
 public:
  /// Rank r runs on node_of[r], which are different nodes.
  GoalProgram(const GoalSchedule& schedule, std::vector<NodeId> node_of);
  ~GoalProgram() override { stop(); }
  GoalProgram(const GoalProgram&) = delete;
  GoalProgram& operator=(const GoalProgram&) = delete;

  void start(NodePorts& ports, NodeId node) override;
  void stop() override;

  /// Operations that have not ended.
  [[nodiscard]] std::uint64_t left() const { return left_; }

 private:
  /// An operation under way: a coroutine without an awaiter, in a list so that stop() can end it.
  struct Running {
    struct promise_type {
      promise_type* before = nullptr;
      promise_type* after = nullptr;
      GoalProgram* program = nullptr;

      static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
      static void operator delete(void* frame, std::size_t bytes) noexcept { release_frame(frame, bytes); }
      template <class... Rest>
      explicit promise_type(GoalProgram& of, const Rest&... /*rest*/) : after(of.running_), program(&of) {
        if (after != nullptr) after->before = this;
        program->running_ = this;
      }
      ~promise_type() {
        if (after != nullptr) after->before = before;
        (before != nullptr ? before->after : program->running_) = after;
      }
      promise_type(const promise_type&) = delete;
      promise_type& operator=(const promise_type&) = delete;
      Running get_return_object() { return {}; }
      [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
      [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
      void return_void() const noexcept {}
      void unhandled_exception() { program->error_ = std::current_exception(); }
    };
  };

  struct Rank {
    Rank(NodePorts& ports, NodeId id) : node(ports, id) {}
    Node node;
    std::uint32_t left = 0;
    bool starting = false;            ///< start_ready() is already on the stack
    std::deque<std::uint32_t> ready;  ///< operations that wait for nothing
  };

  Running perform(Rank& rank, std::uint32_t number);
  void start_ready(Rank& rank);
  void release(Rank& rank, const GoalOperation& operation, std::uint32_t from, std::uint32_t to);

  GoalSchedule schedule_;
  std::vector<NodeId> node_of_;                        ///< [rank]
  std::unordered_map<NodeId, std::uint32_t> rank_of_;  ///< [node]
  std::deque<Rank> ranks_;
  Running::promise_type* running_ = nullptr;
  std::uint64_t left_ = 0;
  std::exception_ptr error_;
};

}  // namespace ecube
