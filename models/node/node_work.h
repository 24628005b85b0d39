// SPDX-License-Identifier: Apache-2.0
// The cost of a node's loops on the two types of node (hw/README.md section 5, hw/node/README.md).
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "models/contract/node_ports.h"
#include "models/machine/machine.h"
#include "models/node/memory_system.h"

namespace ecube {

/// The loops of detailed nodes, from their begin to their end (hw/node/README.md, N13).
class NodeLoops {
 public:
  virtual ~NodeLoops() = default;
  /// A loop that runs from the state that its node is in.
  struct Run {
    Cycles cycles = 0;         ///< of the machine, to its end or to its fault
    node::LoopTimes times;     ///< of these cycles
    std::exception_ptr fault;  ///< a LoopFault, or null
  };
  /// The loop that an operation runs; none for other work and where there are no bytes to move. Throws for an invalid
  /// loop of a program.
  [[nodiscard]] virtual std::optional<node::Loop> loop_of(const Operation& operation) const = 0;
  /// Runs the loop of an operation, without other users of the bus. The state of the node does not change before
  /// end().
  [[nodiscard]] virtual Run begin(const Operation& operation) = 0;
  /// The loop that began last on this node has ended.
  virtual void end(NodeId node) = 0;
  /// The state of its node's memory after the last loop that ended.
  [[nodiscard]] virtual const node::MemoryState& state_of(NodeId node) const = 0;
  virtual void leave(NodeId node, node::MemoryState&& state) = 0;
};

/// The work of the cores of all nodes, in cycles of the machine: here of nodes that have rates.
class NodeWork {
 public:
  explicit NodeWork(const Machine& machine) : machine_(machine) {}
  virtual ~NodeWork() = default;
  /// A computation that a program asks for, from the state that its node is in, beside nothing else.
  [[nodiscard]] Cycles cycles(const Operation& computation);
  /// A message is copied out of the system buffer.
  virtual Cycles copy_out(NodeId /*node*/, Bytes bytes) { return machine_.copy_cycles(bytes); }
  virtual Cycles combine(NodeId /*node*/, std::uint64_t items, Bytes bytes) {
    return machine_.combine_cycles(items, bytes);
  }
  [[nodiscard]] virtual Machine::PathLengths path_lengths() const { return machine_.path_lengths(); }
  /// Null where nodes have rates.
  [[nodiscard]] virtual NodeLoops* loops() { return nullptr; }

 protected:
  [[nodiscard]] const Machine& machine() const { return machine_; }

 private:
  /// Work that walks through memory.
  virtual Cycles of_loop(const Operation& computation);

  Machine machine_;
};

/// Whether messages share the bus of a node with the loop under way (hw/node/README.md, N13.3).
[[nodiscard]] inline bool messages_share_bus(const Machine& machine) {
  return machine.node.model == NodeModel::detailed && machine.node.transfer == Transfer::dma &&
         machine.node.overlap == Overlap::on;
}
/// The words of the bus that phit `phit` of `phits` completes: the first of them, and the first behind them.
[[nodiscard]] inline std::pair<std::uint64_t, std::uint64_t> words_of_phit(const Machine& machine, std::uint64_t phit,
                                                                           std::uint64_t phits) {
  const std::uint64_t bytes = machine.link.phit_bytes;
  const std::uint64_t bus = machine.memory.bus_bytes;
  const std::uint64_t rounds = phit + 1 == phits ? bus - 1 : 0;
  return {phit * bytes / bus, ((phit + 1) * bytes + rounds) / bus};
}

/// Runs a loop from a state, which becomes the state after it. Throws LoopFault.
using RunLoop = std::function<node::LoopFigures(const node::Loop& loop, node::MemoryState& state)>;
/// Makes the simulator of loops of detailed nodes, for a machine and a seed.
using MakeRunLoop = std::function<RunLoop(const Machine&, std::uint64_t seed)>;

/// The memory system of this folder.
[[nodiscard]] MakeRunLoop run_by_model();

/// A loop in cycles of the machine: one that ended, and one that a fault has ended.
[[nodiscard]] NodeLoops::Run run_of(const Machine& machine, const node::LoopFigures& figures);
[[nodiscard]] NodeLoops::Run faulted_run(const Machine& machine, const std::string& loop, const node::LoopFault& fault);

/// The type of node that the machine has. With `memo`, detailed nodes that begin the same loop in the same state share
/// its result.
[[nodiscard]] std::unique_ptr<NodeWork> make_node_work(const Machine& machine, std::size_t nodes, std::uint64_t seed,
                                                       bool memo, const MakeRunLoop& make);

/// Cycles of the machine for each word of the bus that the processor itself moves from memory to the outgoing FIFO of a
/// detailed node, in the steady state.
[[nodiscard]] Ratio programmed_word_cycles(const Machine& machine);

}  // namespace ecube
