// SPDX-License-Identifier: Apache-2.0
// Operations that a program reuses: sends under way, and a clock.
#pragma once

#include <coroutine>
#include <cstddef>
#include <list>

#include "sw/api/node.h"

namespace ecube {

/// A bounded number of sends under way of one node, in order of issue. They are complete before the object goes out of
/// scope, unless the whole program is abandoned.
class KeptSends {
 public:
  KeptSends(Node& node, std::size_t most) : node_(node), most_(most) {}
  KeptSends(const KeptSends&) = delete;
  KeptSends& operator=(const KeptSends&) = delete;

  /// Another send can be started: the oldest is complete, or the bound is not reached.
  [[nodiscard]] bool free() const { return sends_.size() < most_ || sends_.front().done; }
  void start(const Outgoing& message) {
    if (!sends_.empty() && sends_.front().done) {
      sends_.splice(sends_.end(), sends_, sends_.begin());
    } else {
      sends_.emplace_back();
    }
    Operation& send = sends_.back();
    send.peer = message.to;
    send.bytes = message.bytes;
    send.check = message.check;
    send.waiter = nullptr;
    node_.ports().start_send(node_.id(), send);
  }
  /// Continues `waiter` when the oldest send is complete, which it is not yet.
  void wait_for_oldest(std::coroutine_handle<> waiter) { sends_.front().waiter = waiter; }

  /// `co_await sends.all()` returns when all sends are complete.
  [[nodiscard]] Task<> all() {
    for (Operation& send : sends_) co_await Pending::Completion{send};
  }

 private:
  Node& node_;
  std::size_t most_;
  std::list<Operation> sends_;  ///< in order of issue
};

/// Wakes a program at a cycle, repeatedly. It has rung before it goes out of scope, unless the whole program is
/// abandoned.
class Alarm final : public Awaited {
 public:
  explicit Alarm(Node& node) : Awaited(node, CoreWork{.kind = Work::until}) { operation().done = true; }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  [[nodiscard]] bool is_set() const { return !operation().done; }
  /// It has rung for `cycle` or a later one. On the ideal machine, whose time is not in whole cycles, now() may then
  /// still be the cycle before.
  [[nodiscard]] bool has_rung(Cycles cycle) const { return operation().done && operation().until >= cycle; }
  /// Continues `waiter` at `cycle`.
  void set(Cycles cycle, std::coroutine_handle<> waiter) {
    operation().until = cycle;
    await_suspend(waiter);
  }
};

}  // namespace ecube
