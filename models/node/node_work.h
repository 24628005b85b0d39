// SPDX-License-Identifier: Apache-2.0
// What the loops of a node cost: the two types of node (hw/README.md section 5, hw/node/README.md).
#pragma once

#include <functional>
#include <memory>

#include "models/contract/node_ports.h"
#include "models/machine/machine.h"
#include "models/node/memory_system.h"

namespace ecube {

/// The work of the cores of all nodes, in cycles of the machine.
class NodeWork {
 public:
  virtual ~NodeWork() = default;
  /// The node that an operation of Work::permute_bytes names permutes blocks.
  virtual Cycles permute(const Operation& operation) = 0;
  virtual Cycles copy(NodeId node, Bytes bytes) = 0;
  /// A message is copied out of the system buffer.
  virtual Cycles copy_out(NodeId node, Bytes bytes) = 0;
  virtual Cycles combine(NodeId node, std::uint64_t items, Bytes bytes) = 0;
  /// A loop that the program states itself.
  virtual Cycles loop(NodeId node, const node::Loop& loop) = 0;
  [[nodiscard]] virtual Machine::PathLengths path_lengths() const = 0;
  /// Where the cycles of the last loop that was asked for go, in cycles of the machine; null where nodes have rates.
  [[nodiscard]] virtual const node::LoopTimes* times() const { return nullptr; }

 protected:
  NodeWork() = default;
  NodeWork(const NodeWork&) = default;
  NodeWork& operator=(const NodeWork&) = default;
};

/// Makes what runs the loops of detailed nodes, on a machine under a seed.
using MakeLoopRunner = std::function<std::unique_ptr<node::LoopRunner>(const Machine&, std::uint64_t seed)>;

/// The memory system of this folder.
[[nodiscard]] MakeLoopRunner run_by_model();

/// The type of node that the machine has. With `memo`, detailed nodes that begin the same loop in the same state share
/// its result.
[[nodiscard]] std::unique_ptr<NodeWork> make_node_work(const Machine& machine, std::size_t nodes, std::uint64_t seed,
                                                       bool memo, const MakeLoopRunner& make);

/// Cycles of the machine for each word of the bus that the processor itself moves from memory to the outgoing FIFO of a
/// detailed node, in the steady state.
[[nodiscard]] Ratio programmed_word_cycles(const Machine& machine);

}  // namespace ecube
