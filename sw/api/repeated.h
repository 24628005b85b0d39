// SPDX-License-Identifier: Apache-2.0
// A message that a node sends repeatedly, to one partner after the other.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "sw/api/check_words.h"
#include "sw/api/node.h"

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
        order_(order.data()) {}

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

  /// Partners of the order that are still to come.
  [[nodiscard]] NodeId left() const { return left_; }
  void turn_to_next() {
    if (place_ == some) read_on();
    turn_to(next_[place_++]);
    --left_;
  }

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

}  // namespace detail

/// An exchange of blocks with one partner after the other: `exchange.turn_to(partner); co_await exchange;`. The
/// received block replaces the sent one, and its check word is checked.
class RepeatedExchange {
 public:
  /// `exchange` is the same for every partner, except for the partner and the regions, which come from `blocks`.
  RepeatedExchange(Node& node, Exchange exchange, const BlockRow& blocks, CheckWords& checks)
      : node_(node), checks_(checks) {
    exchange.outgoing = exchange.incoming = blocks.first;
    message_ = std::make_unique<detail::RepeatedMessage>(node, exchange, blocks, checks, std::span<const NodeId>{});
  }

  void turn_to(NodeId partner) { message_->turn_to(partner); }
  /// The inject port from now on.
  void by(std::uint8_t port) { message_->by(port); }
  /// A permutation in the memory of an exchange. `co_await` copies into the coroutine's frame what it waits for, so
  /// that this is not the operation itself.
  struct Permutation {
    Awaited& work;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) const { work.await_suspend(waiter); }
    void await_resume() const noexcept {}
  };
  /// Node::permute(), when the exchange has met its last partner. It uses the memory of the exchange, so that a node
  /// has one operation instead of two, which saves a fifth of the memory of a large machine.
  [[nodiscard]] Permutation permute(Bytes bytes, Bytes block, unsigned columns) {
    const CoreWork work{.kind = Work::permute_bytes, .amount = bytes, .matrix = {block, columns}};
    message_.reset();
    message_ = std::make_unique<detail::RepeatedMessage>(node_, work, BlockRow{}, checks_, std::span<const NodeId>{});
    return {*message_};
  }
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const { message_->await_suspend(waiter); }
  void await_resume() const { message_->check(); }

 private:
  Node& node_;
  CheckWords& checks_;
  std::unique_ptr<detail::RepeatedMessage> message_;
};

/// The blocks of a node sent to one partner after the other, in the order of a list that outlives it:
/// `while (sends.turn_to_next()) co_await sends;`.
class RepeatedSend {
 public:
  /// `message` is the same for every partner, except for the contents, which come from `blocks`.
  RepeatedSend(Node& node, Outgoing message, const BlockRow& blocks, CheckWords& checks,
               std::span<const NodeId> order) {
    message.data = blocks.first;
    message_ = std::make_unique<detail::RepeatedMessage>(node, message, blocks, checks, order);
  }

  /// False when the blocks have been sent to all.
  [[nodiscard]] bool turn_to_next() {
    if (message_->left() == 0) return false;
    message_->turn_to_next();
    return true;
  }
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const { message_->await_suspend(waiter); }
  void await_resume() const noexcept {}

 private:
  std::unique_ptr<detail::RepeatedMessage> message_;
};

}  // namespace ecube
