// SPDX-License-Identifier: Apache-2.0
// The contract between a node's firmware and the machine that runs it; words that name nodes, and their images under a
// translation of the cube.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>

#include "models/machine/cube.h"
#include "models/machine/machine.h"
#include "models/machine/topology.h"

namespace ecube {

/// Bytes in memory as `runs` pieces of `run_bytes`, `stride` bytes apart, as a strided block of a vector has them.
struct Region {
  std::byte* base = nullptr;
  Bytes run_bytes = 0;
  Bytes stride = 0;
  std::uint32_t runs = 0;

  [[nodiscard]] constexpr Bytes bytes() const { return run_bytes * runs; }
  [[nodiscard]] constexpr bool empty() const { return base == nullptr; }
  [[nodiscard]] static constexpr Region contiguous(std::byte* base, Bytes bytes) { return {base, bytes, bytes, 1}; }
  /// The bytes of an object.
  template <class Object>
  [[nodiscard]] static Region of(Object& object) {
    return contiguous(reinterpret_cast<std::byte*>(&object), sizeof object);
  }
};

inline constexpr NodeId any_node = ~NodeId{0};
inline constexpr std::uint8_t automatic_port = 0xFF;

enum class OperationKind : std::uint8_t { send, receive, receive_each, receive_counted, exchange, compute };

/// Whether the two partners of a message or an exchange synchronise first, or each half leaves when its own node asks.
/// On a machine without protocol, synchronisation is a rendezvous that costs nothing. With a protocol, zero-byte
/// messages go both ways before an exchange, but none before a one-way message.
enum class PairwiseSync : std::uint8_t { on, off };

/// Work of the core: cycles given outright, bytes permuted or copied, items combined, or the bookkeeping of a
/// collective routine for its messages. `loop` is a loop that the program states (detailed nodes only). `until` is no
/// work but a wait until a cycle of the clock, `tune` the tuning of the plane `port` to a mask; they occupy neither
/// port nor processor.
enum class Work : std::uint8_t { cycles, permute_bytes, copy_bytes, combine_items, calls, until, loop, tune };

/// Work that a detailed node does by a loop over its memory.
[[nodiscard]] constexpr bool is_loop(Work work) {
  return work == Work::permute_bytes || work == Work::copy_bytes || work == Work::combine_items || work == Work::loop;
}

/// Room in an operation for the machine's notes about it, of a type that only the machine knows.
template <std::size_t size>
class NoteRoom {
 public:
  /// `Notes` is an aggregate. Contents are undefined until the machine has written them.
  template <class Notes>
  [[nodiscard]] Notes& as() {
    check<Notes>();
    return *std::launder(reinterpret_cast<Notes*>(bytes_));
  }
  template <class Notes>
  [[nodiscard]] const Notes& as() const {
    check<Notes>();
    return *std::launder(reinterpret_cast<const Notes*>(bytes_));
  }

 private:
  template <class Notes>
  static constexpr void check() {
    static_assert(sizeof(Notes) <= size && alignof(Notes) <= alignof(NoteRoom));
    static_assert(std::is_aggregate_v<Notes> && std::is_trivially_copyable_v<Notes>);
  }

  alignas(8) std::byte bytes_[size]{};
};

namespace node {
struct Loop;
}
struct Operation;

/// Gets the messages of a counted receive.
class MessageSink {
 public:
  /// The receive has taken the message described by its fields `received_*`; the message is received at edge `at`.
  /// Called once for each message, at that edge or earlier, when nothing can change any more. Must not call a node.
  virtual void taken(const Operation& receive, Cycles at) = 0;

 protected:
  ~MessageSink() = default;
};

/// Work::combine_items: the messages that brought the items.
struct ArrivedItems {
  Bytes bytes;             ///< of all items
  Bytes longest;           ///< of these messages
  Cycles since;            ///< when the first of them began to arrive; 0: not to be combined before all have
  std::uint32_t messages;  ///< how many
};

/// Work::permute_bytes: the bytes are a matrix of blocks. One block if there is no such matrix.
struct BlockMatrix {
  Bytes block_bytes;
  std::uint32_t columns;
};

/// One operation that a program has asked of its node. The operation and its buffers stay alive, at their addresses,
/// until `done`. Its fields are laid out in four cache lines by use, because the operations of a large machine are
/// scattered over the memory: a send needs the first line and the third, a receive the first two, an exchange without
/// contents three. Each line but the second has room for notes of the machine.
struct alignas(64) Operation {
  // Fields of every operation. Messages from all nodes read those of receives.
  NoteRoom<32> notes;
  Cycles completed_at = 0;             ///< by the machine
  std::coroutine_handle<> waiter;      ///< continued at completion; null if no coroutine awaits the operation
  std::uint32_t tag = 0;               ///< matched exactly
  NodeId peer = 0;                     ///< destination, or source; any_node receives from anyone
  NodeId node = 0;                     ///< the node that asks
  std::uint16_t label = 0;             ///< phase, for statistics
  std::uint8_t port = automatic_port;  ///< inject port of the message sent
  OperationKind kind : 3 = OperationKind::send;
  PairwiseSync sync : 1 = PairwiseSync::off;
  bool signal : 1 = false;  ///< a barrier's zero-byte exchange, never lost whatever the protocol
  bool done : 1 = false;    ///< by the machine, at completion

  // Fields of a receive.
  Bytes room = 0;   ///< most bytes that can be received
  Subcube sources;  ///< receive_each: one message from every other node of this subcube
  /// receive_each: the region at the receiver for the message of a source
  Region (*incoming_from)(const void* context, NodeId receiver, NodeId source) = nullptr;
  union {
    const void* context = nullptr;  ///< receive_each: for incoming_from
    MessageSink* sink;              ///< receive_counted
  };
  /// By the machine. receive_each: the sum of all, modulo 2^64; receive_counted: of the message reported last to its
  /// sink, which another engine may report earlier.
  std::uint64_t received_check = 0;
  Bytes received_bytes = 0;         ///< by the machine
  Cycles since = 0;                 ///< by the machine: when the first phit had arrived; 0 if the message was buffered
  NodeId received_from = any_node;  ///< by the machine

  // Fields of a send.
  Bytes bytes = 0;  ///< length of the message sent
  Region outgoing;  ///< empty when no bytes are carried
  NoteRoom<16> send_notes;
  std::uint64_t check = 0;  ///< sent

  // Fields of a receive or of a computation.
  union {
    Region incoming = {};    ///< of a message; empty when no bytes are carried
    ArrivedItems arrived;    ///< Work::combine_items
    BlockMatrix matrix;      ///< Work::permute_bytes
    Bytes call_bytes;        ///< Work::calls: of the messages
    const node::Loop* loop;  ///< Work::loop
  };
  NoteRoom<16> data_notes;
  union {
    std::uint64_t amount = 0;  ///< of work: cycles, bytes, items or messages
    std::uint64_t until;       ///< Work::until: the edge
    std::uint64_t mask;        ///< Work::tune
    std::uint64_t count;       ///< receive_counted: of messages, below 2^32
  };
  Work work = Work::cycles;
};
static_assert(sizeof(Operation) == 256);
static_assert(offsetof(Operation, room) == 64 && offsetof(Operation, bytes) == 128 &&
              offsetof(Operation, incoming) == 192);

/// The nodes of a machine as their firmware sees them. Implemented by the network interfaces of the cycle-level machine
/// and by the ideal machine; one object for all nodes, because the nodes share its data.
///
/// start_*() passes an operation of a node to the machine, which sets `done` and continues `waiter` in the cycle of
/// completion, never before start_*() has returned.
class NodePorts {
 public:
  virtual ~NodePorts() = default;
  [[nodiscard]] virtual const Topology& topology() const = 0;
  /// The current cycle. The ideal machine's time is not in whole cycles: there now() is the cycle begun last.
  [[nodiscard]] virtual Cycles now() const = 0;
  [[nodiscard]] virtual const Machine& machine() const = 0;
  [[nodiscard]] virtual double now_us() const { return machine().us(static_cast<double>(now())); }
  virtual void start_send(NodeId node, Operation& operation) = 0;
  virtual void start_receive(NodeId node, Operation& operation) = 0;
  virtual void start_exchange(NodeId node, Operation& operation) = 0;
  virtual void start_compute(NodeId node, Operation& operation) = 0;
  /// The program of a node has ended, with an error if one escaped it.
  virtual void finished(NodeId node, std::exception_ptr error) = 0;

  /// The node whose program runs now, or ran last: named when a program crashes or never waits.
  [[nodiscard]] NodeId running() const { return running_; }
  void runs(NodeId node) { running_ = node; }
  void continue_program(Operation& operation) {
    running_ = operation.node;
    operation.waiter.resume();
  }

 private:
  NodeId running_ = any_node;
};

/// The program of a run, on all its nodes.
class Program {
 public:
  virtual ~Program() = default;
  /// Starts the program of one node, at the cycle at which that node starts. The program ends by calling
  /// ports.finished().
  virtual void start(NodePorts& ports, NodeId node) = 0;
  /// Called at the cycle at which the program has asked the machine to be woken, among the programs that continue then.
  virtual void woken(NodePorts& /*ports*/, NodeId /*node*/) {}
  /// Abandons the programs that still run, so that a stalled machine can be reset. No operation is used after this
  /// call.
  virtual void stop() = 0;
};

/// A word that names two nodes, a source and a destination, and a tag modulo 2^11. Its highest bit tells it from words
/// that name nothing.
[[nodiscard]] constexpr std::uint64_t name_of_pair(NodeId from, NodeId to, std::uint32_t tag = 0) {
  static_assert(max_simulated_dim == 20, "a label takes 20 bits");
  return std::uint64_t{1} << 63 | std::uint64_t{tag & 0x7FF} << 52 | std::uint64_t{from} << 26 | to;
}

/// The image of a word under the translation of the cube that takes node 0 to node `by`: the nodes x that it names
/// become x XOR `by`. A word that names nothing does not change.
[[nodiscard]] constexpr std::uint64_t translated(std::uint64_t word, NodeId by) {
  return word >> 63 == 0 ? word : word ^ (std::uint64_t{by} << 26 | by);
}

}  // namespace ecube
