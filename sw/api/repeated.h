// SPDX-License-Identifier: Apache-2.0
// A message that a node sends repeatedly, to one partner after the other.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <memory>
#include <span>

#include "sw/api/node.h"
#include "sw/api/routine.h"

namespace ecube {

/// Where a node keeps the blocks for the other nodes of a subcube: laid out alike, `apart` bytes from one to the next,
/// in order of the others' labels within the subcube.
struct BlockRow {
  Region first;  ///< of label 0 within the subcube; empty when no bytes are carried
  Bytes apart = 0;
  Subcube subcube;
};

namespace detail {

/// A repeated message, and in the cache line behind its operation all other data of a step. On a large machine none of
/// a node's data are in the cache at a step, so each line costs a miss: in a coroutine's frame these data would take
/// several lines.
class RepeatedMessage final : public Awaited {
 public:
  template <class Message>
  RepeatedMessage(Node& node, const Message& message, const BlockRow& blocks, CheckWords& checks,
                  std::span<const NodeId> order)
      : Awaited(node, message),
        first_(blocks.first.base),
        apart_(blocks.apart),
        checks_(checks),
        subcube_low_(static_cast<std::uint8_t>(blocks.subcube.low)),
        subcube_dim_(static_cast<std::uint8_t>(blocks.subcube.dim)),
        left_(static_cast<NodeId>(order.size())),
        order_(order.data()) {
    operation().outgoing = blocks.first;
    if (operation().kind == OperationKind::exchange) operation().incoming = blocks.first;
  }

  void turn_to(NodeId partner) {
    Operation& message = operation();
    message.peer = partner;
    message.check = checks_.of(message.tag, message.node, partner);
    if (first_ == nullptr) return;  // and one line less
    const Subcube subcube{subcube_low_, subcube_dim_};
    message.outgoing.base = first_ + subcube.index_of(partner) * apart_;
    if (message.kind == OperationKind::exchange) message.incoming.base = message.outgoing.base;
  }
  void by(std::uint8_t port) { operation().port = port; }
  void check() const {
    const Operation& done = operation();
    checks_.check(done.received_check, done.tag, done.peer, done.node);
  }

  [[nodiscard]] bool turn_to_next() {
    if (left_ == 0) return false;
    if (place_ == some) read_on();
    turn_to(next_[place_++]);
    --left_;
    return true;
  }
  using Awaited::become;

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* message, std::size_t bytes) noexcept { release_frame(message, bytes); }

 private:
  /// The orders of all nodes exceed the cache, so that every read is a miss: it takes several partners.
  void read_on() {
    const NodeId count = std::min(some, left_);
    std::copy_n(order_, count, next_.begin());
    order_ += count;
    place_ = 0;
  }

  static constexpr NodeId some = 4;
  std::byte* first_;
  Bytes apart_;
  CheckWords& checks_;
  std::uint8_t subcube_low_;
  std::uint8_t subcube_dim_;
  std::uint8_t place_ = some;  ///< in next_
  NodeId left_;
  const NodeId* order_;
  std::array<NodeId, some> next_{};
};
static_assert(sizeof(RepeatedMessage) == sizeof(Operation) + 64);

template <class Message>
class Repeated {
 public:
  /// `message` is the same for every partner, except for the partner and the regions, which come from `blocks`. The
  /// list `order` outlives it.
  Repeated(Node& node, const Message& message, const BlockRow& blocks, CheckWords& checks,
           std::span<const NodeId> order = {})
      : message_(std::make_unique<RepeatedMessage>(node, message, blocks, checks, order)) {}

  void turn_to(NodeId partner) { message_->turn_to(partner); }
  /// To the next one of the list; false when it has been with all.
  [[nodiscard]] bool turn_to_next() { return message_->turn_to_next(); }
  /// The inject port from now on.
  void by(std::uint8_t port) { message_->by(port); }
  /// A permutation in the memory of a message. `co_await` copies into the coroutine's frame what it waits for, so
  /// that this is not the operation itself.
  struct Permutation {
    Awaited& work;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) const { work.await_suspend(waiter); }
    void await_resume() const noexcept {}
  };
  /// Node::permute(), when the message has met its last partner. It uses the memory of the message, so that a node has
  /// one operation instead of two, which saves a fifth of the memory of a large machine.
  [[nodiscard]] Permutation permute(Bytes bytes, Bytes block, unsigned columns) {
    message_->become(CoreWork{.kind = Work::permute_bytes, .amount = bytes, .matrix = {block, columns}});
    return {*message_};
  }
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const { message_->await_suspend(waiter); }
  void await_resume() const {
    if constexpr (std::same_as<Message, Exchange>) message_->check();
  }

 private:
  std::unique_ptr<RepeatedMessage> message_;
};

}  // namespace detail

/// An exchange of blocks with one partner after the other: `exchange.turn_to(partner); co_await exchange;`. The
/// received block replaces the sent one, and its check word is checked.
using RepeatedExchange = detail::Repeated<Exchange>;
/// The blocks of a node sent to one partner after the other, in the order of a list:
/// `while (sends.turn_to_next()) co_await sends;`.
using RepeatedSend = detail::Repeated<Outgoing>;

}  // namespace ecube
