// SPDX-License-Identifier: Apache-2.0
// The node as firmware sees it: send, receive, exchange, compute, blocking or not.
#pragma once

#include <array>
#include <concepts>
#include <deque>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "models/contract/node_ports.h"
#include "sw/api/task.h"

namespace ecube {

/// A message to send. `bytes` is its length; `data` its contents, empty when none are carried.
struct Outgoing {
  NodeId to = 0;
  std::uint32_t tag = 0;
  Bytes bytes = 0;
  Region data{};
  std::uint64_t check = 0;  ///< 8 bytes that travel beside the contents, for checks without payload
  std::uint8_t port = automatic_port;
  std::uint16_t phase = 0;
  PairwiseSync sync = PairwiseSync::off;  ///< on: the receive must also be on, and name the source
};

/// A receive. `bytes` is the most it takes; what is beyond the end of `data` is dropped.
struct Incoming {
  NodeId from = any_node;
  std::uint32_t tag = 0;
  Bytes bytes = 0;
  Region data{};
  PairwiseSync sync = PairwiseSync::off;
};

inline constexpr Bytes as_sent = ~Bytes{0};

/// Both directions at once with one partner. `bytes` are sent, at most `room` received.
struct Exchange {
  NodeId with = 0;
  std::uint32_t tag = 0;
  Bytes bytes = 0;
  Bytes room = as_sent;
  Region outgoing{};
  Region incoming{};  ///< may be the same memory as outgoing
  std::uint64_t check = 0;
  std::uint8_t port = automatic_port;
  std::uint16_t phase = 0;
  PairwiseSync sync = PairwiseSync::on;
};

/// One message from every other node of a subcube, each to the place that `place` names for its source.
struct IncomingFromEach {
  Subcube sources;
  std::uint32_t tag = 0;
  Bytes bytes = 0;  ///< of each message
  Region (*place)(const void* context, NodeId receiver, NodeId source) = nullptr;
  const void* context = nullptr;
};

/// `messages` messages from anyone, reported to `sink` one by one; their contents are dropped.
struct IncomingCounted {
  std::uint32_t messages = 0;
  std::uint32_t tag = 0;
  Bytes bytes = 0;  ///< of a message, at most
  MessageSink* sink = nullptr;
};

/// The result of a receive or exchange.
struct Received {
  NodeId from = any_node;
  Bytes bytes = 0;
  std::uint64_t check = 0;  ///< of each of several messages: the sum
  Cycles since = 0;         ///< when its first phit had arrived; 0 if it was buffered
};

/// Work of the core.
struct CoreWork {
  Work kind = Work::cycles;
  std::uint64_t amount = 0;
  ArrivedItems arrived{};
  BlockMatrix matrix{};
  Bytes call_bytes = 0;
  const node::Loop* loop = nullptr;
  std::uint8_t plane = automatic_port;  ///< Work::tune
};

/// Items to combine, which came in messages.
struct ItemsToCombine {
  std::uint64_t items = 0;
  Bytes bytes = 0;
  unsigned messages = 1;
  Bytes longest = 0;  ///< of these messages
  Cycles since = 0;   ///< when the first of them began to arrive; 0: not to be combined before all have
};

/// A barrier's zero-byte exchange.
struct Signal {
  NodeId with = 0;
  std::uint32_t tag = 0;
  std::uint16_t phase = 0;
};

/// Gives an operation of a node to the machine.
inline void hand_over(NodePorts& ports, NodeId node, Operation& operation) {
  switch (operation.kind) {
    case OperationKind::send:
      return ports.start_send(node, operation);
    case OperationKind::receive:
    case OperationKind::receive_each:
    case OperationKind::receive_counted:
      return ports.start_receive(node, operation);
    case OperationKind::exchange:
      return ports.start_exchange(node, operation);
    case OperationKind::compute:
      return ports.start_compute(node, operation);
  }
}

class Node;

/// An operation that is started by co_await and lives in the coroutine's frame until it is done. Kept in a variable, it
/// can be awaited again (repeated.h).
class Awaited {
 public:
  /// The operation is filled in where it will live, from a message or from work.
  template <class Message>
  Awaited(Node& node, const Message& message);

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    operation_.waiter = waiter;
    start();
  }
  Received await_resume() const noexcept {
    return {operation_.received_from, operation_.received_bytes, operation_.received_check, operation_.since};
  }

 protected:
  /// Another operation of the same node, in the memory of this one, which is complete.
  void become(const CoreWork& work);
  /// Not awaited; it must be complete before it is destroyed.
  void start() { hand_over(ports_, operation_.node, operation_); }
  [[nodiscard]] Operation& operation() { return operation_; }
  [[nodiscard]] const Operation& operation() const { return operation_; }

 private:
  Operation operation_;
  NodePorts& ports_;  ///< behind it, so that data of the operation can follow in the same cache line
};

/// An operation under way. `co_await` it before it goes out of scope; one that is dropped earlier loses its buffers and
/// is finished by the machine without data.
class [[nodiscard]] Pending {
 public:
  Pending(Pending&& other) noexcept
      : node_(std::exchange(other.node_, nullptr)), operation_(std::exchange(other.operation_, nullptr)) {}
  Pending& operator=(Pending&& other) noexcept {
    std::swap(node_, other.node_);
    std::swap(operation_, other.operation_);
    return *this;
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending();

  [[nodiscard]] bool await_ready() const noexcept { return operation_->done; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { operation_->waiter = waiter; }
  Received await_resume() const noexcept { return received(); }
  /// What it has received, once it is complete.
  [[nodiscard]] Received received() const {
    return {operation_->received_from, operation_->received_bytes, operation_->received_check, operation_->since};
  }
  /// `co_await pending.completion()` waits and ignores the received data.
  struct Completion {
    Operation& operation;
    [[nodiscard]] bool await_ready() const noexcept { return operation.done; }
    void await_suspend(std::coroutine_handle<> waiter) const noexcept { operation.waiter = waiter; }
    void await_resume() const noexcept {}
  };
  [[nodiscard]] Completion completion() const { return {*operation_}; }
  [[nodiscard]] bool done() const { return operation_->done; }
  /// The cycle at which it was complete.
  [[nodiscard]] Cycles completed_at() const { return operation_->completed_at; }

 private:
  friend class Node;
  Pending(Node& node, Operation& operation) : node_(&node), operation_(&operation) {}
  Node* node_;
  Operation* operation_;
};

/// One node, for the program that runs on it.
class Node {
 public:
  Node(NodePorts& ports, NodeId id) : ports_(&ports), id_(id), dim_(ports.topology().label_bits()) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] const Topology& topology() const { return ports_->topology(); }
  /// Of the cube; elsewhere the bits of the largest label.
  [[nodiscard]] unsigned dim() const { return dim_; }
  [[nodiscard]] NodeId size() const { return topology().nodes(); }
  [[nodiscard]] Cycles now() const { return ports_->now(); }
  [[nodiscard]] double now_us() const { return ports_->now_us(); }
  [[nodiscard]] const Machine& machine() const { return ports_->machine(); }
  [[nodiscard]] NodePorts& ports() { return *ports_; }

  [[nodiscard]] Awaited send(const Outgoing& message) { return {*this, message}; }
  [[nodiscard]] Awaited receive(const Incoming& message) { return {*this, message}; }
  [[nodiscard]] Awaited exchange(const Exchange& message) { return {*this, message}; }
  [[nodiscard]] Awaited compute(Cycles cycles) { return {*this, CoreWork{Work::cycles, cycles}}; }
  /// Charges the permutation of `bytes` bytes; of a matrix of blocks of `block` bytes with `columns` columns, which is
  /// transposed, a detailed node walks through the addresses.
  [[nodiscard]] Awaited permute(Bytes bytes, Bytes block = 0, unsigned columns = 0) {
    return {*this, CoreWork{.kind = Work::permute_bytes, .amount = bytes, .matrix = {block, columns}}};
  }
  /// A loop of the program's own, which lives until it has ended; on detailed nodes only.
  [[nodiscard]] Awaited run(const node::Loop& loop) { return {*this, CoreWork{.kind = Work::loop, .loop = &loop}}; }
  /// Charges the copying of `bytes` bytes.
  [[nodiscard]] Awaited copy(Bytes bytes) { return {*this, CoreWork{Work::copy_bytes, bytes}}; }
  /// Charges the combining of items, or on machines that combine while messages arrive what is left of it.
  [[nodiscard]] Awaited combine(const ItemsToCombine& work) {
    return {*this, CoreWork{.kind = Work::combine_items,
                            .amount = work.items,
                            .arrived = {work.bytes, work.longest, work.since, work.messages}}};
  }
  /// Charges the work of a collective routine for `messages` messages of `bytes` bytes in all, sent or received.
  [[nodiscard]] Awaited call(unsigned messages, Bytes bytes) {
    return {*this, CoreWork{.kind = Work::calls, .amount = messages, .call_bytes = bytes}};
  }
  /// Does nothing until `cycle`.
  [[nodiscard]] Awaited until(Cycles cycle) { return {*this, CoreWork{Work::until, cycle}}; }
  /// Tunes a plane to `mask`, so that it joins this node with node XOR mask; complete when the link is up. Sends by the
  /// plane that the program asks for later wait for it.
  [[nodiscard]] Awaited tune(std::uint8_t plane, NodeId mask) { return {*this, tuning(plane, mask)}; }
  Pending start_tune(std::uint8_t plane, NodeId mask) { return start(tuning(plane, mask)); }
  /// A zero-byte exchange that is never lost, whatever the machine's protocol: what a barrier is made of.
  [[nodiscard]] Awaited signal(const Signal& signal) { return {*this, signal}; }

  /// Starts a message, an exchange or work, and returns at once.
  template <class Message>
  Pending start(const Message& message) {
    Operation& operation = fresh();
    fill(operation, message);
    hand_over(*ports_, id_, operation);
    return {*this, operation};
  }
  Pending start_send(const Outgoing& message) { return start(message); }
  Pending start_receive(const Incoming& message) { return start(message); }
  Pending start_receive(const IncomingFromEach& messages) { return start(messages); }
  Pending start_receive(const IncomingCounted& messages) { return start(messages); }
  Pending start_exchange(const Exchange& message) { return start(message); }
  Pending start_compute(Cycles cycles) { return start(CoreWork{Work::cycles, cycles}); }

  /// Several operations at once: `co_await node.all(first, second)` returns when both are complete; each then has its
  /// received().
  template <std::same_as<Pending>... Operations>
  [[nodiscard]] static Task<> all(Operations&... operations) {
    for (Pending* const operation : std::array{&operations...}) co_await *operation;
  }
  /// The same for a list of operations, or of tasks: each task runs to its first wait before the next one begins.
  template <std::ranges::range List>
  [[nodiscard]] static Task<> all(List& list) {
    if constexpr (std::same_as<std::ranges::range_value_t<List>, Pending>) {
      for (Pending& operation : list) co_await operation;
    } else {
      Branches branches;
      for (Task<>& task : list) branches.start(std::move(task));
      co_await branches;
    }
  }

 private:
  friend class Pending;
  friend class Awaited;
  static CoreWork tuning(std::uint8_t plane, NodeId mask) {
    return {.kind = Work::tune, .amount = mask, .plane = plane};
  }
  static void fill(Operation& operation, const Outgoing& message);
  static void fill(Operation& operation, const Incoming& message);
  static void fill(Operation& operation, const IncomingFromEach& messages);
  static void fill(Operation& operation, const IncomingCounted& messages);
  static void fill(Operation& operation, const Exchange& message);
  static void fill(Operation& operation, const CoreWork& work);
  static void fill(Operation& operation, const Signal& signal);
  Operation& fresh();
  void release(Operation* operation) noexcept { started_->free.push_back(operation); }

  NodePorts* ports_;
  NodeId id_;
  unsigned dim_;
  /// Operations that are not awaited at once, and which of them are free.
  struct Started {
    std::deque<Operation> all;
    std::vector<Operation*> free;
  };
  std::unique_ptr<Started> started_;  ///< made with the first of them
};

template <class Message>
Awaited::Awaited(Node& node, const Message& message) : operation_{}, ports_(node.ports()) {
  Node::fill(operation_, message);
  operation_.node = node.id();
}

inline void Awaited::become(const CoreWork& work) {
  const NodeId node = operation_.node;
  operation_ = Operation{};
  Node::fill(operation_, work);
  operation_.node = node;
}

}  // namespace ecube
