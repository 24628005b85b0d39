// SPDX-License-Identifier: Apache-2.0
// The loops of detailed nodes that are under way, one at most on each node, and the words of messages that share the
// bus with them (hw/node/README.md, N13).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hw/event/circuits.h"
#include "models/node/memory_system.h"
#include "models/node/node_work.h"

namespace ecube::event {

/// A loop is simulated when it begins. Messages or library work that become known later cannot change past cycles, so
/// the loop is then simulated again from the state in which it began.
class LoopsUnderWay {
 public:
  void reset(const Machine& machine, std::size_t nodes, NodeWork& work, std::uint64_t seed);
  /// Whether the computation is a loop of a detailed node.
  [[nodiscard]] bool are(const Operation& operation) const { return loops_ != nullptr && is_loop(operation.work); }
  /// Whether messages share the bus with loops.
  [[nodiscard]] bool share() const { return system_.has_value(); }

  /// The loop of `operation`, which lives until end(), begins at edge `now`, behind library work until
  /// `library_until`; returns the cycles of its computation. Throws for a loop that makes no sense.
  Cycles begin(const Operation& operation, Cycles now, Cycles library_until);
  /// The computation of this node has ended. The run of its loop, or null where none has begun.
  const NodeLoops::Run* end(NodeId number);
  /// The edge at which the last loop of a node began.
  [[nodiscard]] Cycles begun(NodeId number) const { return nodes_[number].begun; }

  // Where messages share the bus:
  /// The phits of a circuit at one of its ends.
  struct Phits {
    CircuitId circuit = no_circuit;
    std::uint64_t phits = 0;
    bool arrive = false;
    std::uint8_t port = 0;
  };
  /// The interface of a node moves the next phits of a circuit in the cycles `at`.
  void moves(NodeId node, const Phits& phits, std::span<const Cycles> at, Cycles now);
  /// Library work has the processor from `from` until `until`.
  void works(NodeId node, Cycles from, Cycles until);
  /// The cycles of the computation before and after these changes, where they differ.
  struct Change {
    Cycles before;
    Cycles after;
  };
  std::optional<Change> run_again(NodeId node);

 private:
  struct Interval {
    Cycles from;
    Cycles until;
  };
  struct Transfer : Phits {
    std::vector<Cycles> at;  ///< as far as it is known
  };
  struct Node {
    NodeLoops::Run run;
    Cycles begun = 0;
    bool under_way = false;
    bool beside = false;  ///< it was run beside words, so `after` is the state at its end
    const Operation* operation = nullptr;
    std::vector<Interval> library;  ///< since the loop began
    std::vector<Transfer> transfers;
    std::vector<node::Traffic::Word> words;
    node::MemoryState before;  ///< where messages share the bus
    node::MemoryState after;
  };

  static void forget(Node& node, Cycles now);
  [[nodiscard]] std::vector<node::Traffic::Word> words_of(const Node& node) const;
  void run_beside_words(Node& node);

  Machine machine_;
  NodeLoops* loops_ = nullptr;  ///< null where nodes have rates
  std::optional<node::MemorySystem> system_;
  std::vector<Node> nodes_;
};

}  // namespace ecube::event
