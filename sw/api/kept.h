// SPDX-License-Identifier: Apache-2.0
// Operations that a program reuses: sends under way, and a clock.
#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>

#include "sw/api/node.h"

namespace ecube {

/// A bounded number of sends under way of one node, in order of issue. They are complete before the object goes out of
/// scope, unless the whole program is abandoned.
class KeptSends {
 public:
  KeptSends(Node& node, std::size_t most) : ports_(node.ports()), node_(node.id()), most_(most) {}
  KeptSends(const KeptSends&) = delete;
  KeptSends& operator=(const KeptSends&) = delete;

  /// Another send can be started: the oldest is complete, or the bound is not reached.
  [[nodiscard]] bool free() const { return sends_.size() < most_ || oldest_->operation.done; }
  void start(const Outgoing& message) {
    Operation& send = oldest_ != nullptr && oldest_->operation.done ? take_oldest() : take_new();
    send.peer = message.to;
    send.bytes = message.bytes;
    send.check = message.check;
    send.waiter = nullptr;
    ports_.start_send(node_, send);
  }
  /// Continues `waiter` when the oldest send is complete, which it is not yet.
  void wait_for_oldest(std::coroutine_handle<> waiter) { oldest_->operation.waiter = waiter; }

  /// `co_await sends.all()` returns when all sends are complete.
  [[nodiscard]] Task<> all() {
    for (Kept& kept : sends_) co_await Pending::Completion{kept.operation};
  }

 private:
  struct Kept {
    Operation operation;
    Kept* next = nullptr;  ///< issued next
  };
  Operation& take_oldest() {
    Kept* const kept = oldest_;
    if (kept == newest_) return kept->operation;
    oldest_ = kept->next;
    return append(*kept);
  }
  Operation& take_new() { return append(sends_.emplace_back()); }
  Operation& append(Kept& kept) {
    (oldest_ == nullptr ? oldest_ : newest_->next) = &kept;
    newest_ = &kept;
    return kept.operation;
  }

  NodePorts& ports_;
  NodeId node_;
  std::size_t most_;
  std::deque<Kept> sends_;
  Kept* oldest_ = nullptr;
  Kept* newest_ = nullptr;
};

/// Wakes a program at a cycle, repeatedly. It has rung before it goes out of scope, unless the whole program is
/// abandoned.
class Alarm {
 public:
  explicit Alarm(Node& node) : ports_(node.ports()), node_(node.id()) {
    operation_.kind = OperationKind::compute;
    operation_.work = Work::until;
    operation_.done = true;
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  [[nodiscard]] bool is_set() const { return !operation_.done; }
  /// It has rung for `cycle` or a later one. On the ideal machine, whose time is not in whole cycles, now() may then
  /// still be the cycle before.
  [[nodiscard]] bool has_rung(Cycles cycle) const { return operation_.done && operation_.amount >= cycle; }
  /// Continues `waiter` at `cycle`.
  void set(Cycles cycle, std::coroutine_handle<> waiter) {
    operation_.amount = cycle;
    operation_.waiter = waiter;
    ports_.start_compute(node_, operation_);
  }

 private:
  Operation operation_;
  NodePorts& ports_;
  NodeId node_;
};

}  // namespace ecube
