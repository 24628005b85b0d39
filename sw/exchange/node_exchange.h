// SPDX-License-Identifier: Apache-2.0
// The multiphase complete exchange of one node's own memory: a step within a larger program, whose partition may be
// chosen while the program runs.
#pragma once

#include <span>
#include <vector>

#include "models/exchange/exchange_cost.h"
#include "models/exchange/hull.h"
#include "models/exchange/partition.h"
#include "sw/api/node.h"

namespace ecube {

/// The blocks of a node follow one another in its memory, block b for node b; after the exchange, block b is the one
/// from node b. All nodes of the cube take part, on one port each. The shuffle that ends a phase is charged wherever
/// blocks move; Direct's moves none, and none is charged.
class NodeExchange {
 public:
  /// InputError where `partition` does not add up to `dim`.
  NodeExchange(const Partition& partition, BlockOrder order)
      : partition_(partition), phases_(ecube::phases(partition, order)) {}

  [[nodiscard]] const Partition& partition() const { return partition_; }
  [[nodiscard]] const std::vector<Phase>& phases() const { return phases_; }

  /// `memory` has 2^d blocks of equal length and stays alive during the exchange. Messages have the tags `tag` ..
  /// `tag` + phases - 1.
  [[nodiscard]] Task<> run(Node& node, std::span<std::byte> memory, std::uint32_t tag) const {
    return run_as(
        node, node.id(), [](NodeId label) { return label; }, memory, tag);
  }
  /// The same among nodes of a larger machine: `label` is this node's in their cube, node_of() the node of a label.
  [[nodiscard]] Task<> run_as(Node& node, NodeId label, NodeId (*node_of)(NodeId), std::span<std::byte> memory,
                              std::uint32_t tag) const;

  /// The equation's parameters of this exchange: no barriers, no shuffle of Direct.
  [[nodiscard]] static ExchangeOptions options(BlockOrder order) {
    return {.order = order, .identity_shuffle = IdentityShuffle::skip, .barrier = Barrier::none};
  }

 private:
  Partition partition_;
  std::vector<Phase> phases_;
};

/// The vertices of a hull, computed ahead of time and sorted, with the exchange that is best from each of them on
/// (Bokhari 1993, section 4). All nodes share it.
class ChosenExchange {
 public:
  /// `comparison` is the time of one comparison of a search.
  ChosenExchange(const Hull& hull, BlockOrder order, Cycles comparison);

  struct Choice {
    const NodeExchange* exchange = nullptr;
    unsigned comparisons = 0;
  };
  /// By binary search. Where two are equal, the one of fewer phases.
  [[nodiscard]] Choice at(Bytes bytes) const;

  /// Node 0 alone knows the length of the blocks in `memory`, `bytes`; it tells the others along the dimensions, each
  /// of them searches, and all exchange. The memory of other nodes is made by `memory_of` when they know the length.
  /// Messages have the tags `tag`, and beyond.
  template <class Memory>
  Task<> run(Node& node, Bytes bytes, Memory memory_of, std::uint32_t tag) const {
    co_await tell(node, bytes, tag);
    const Choice choice = at(bytes);
    co_await node.compute(comparison_ * choice.comparisons);
    co_await choice.exchange->run(node, memory_of(bytes), tag + 1);
  }

 private:
  /// `bytes` becomes that of node 0.
  static Task<> tell(Node& node, Bytes& bytes, std::uint32_t tag);

  struct Face {
    Wide from = 0;  ///< bytes
    NodeExchange exchange;
  };
  std::vector<Face> faces_;
  Cycles comparison_;
};

/// Standard, one of the two exchanges that multiphase joins, as its own pseudo-code has it (Bokhari 1993, section 2.1),
/// without partition and phases. Block b of `blocks` is for node b, and after the exchange from node b. Messages of
/// step j from the first have tag j.
[[nodiscard]] Task<> standard_exchange(Node& node, std::span<std::byte> blocks);
/// The same for Direct, the other one (section 2.2); all messages have tag 0.
[[nodiscard]] Task<> direct_exchange(Node& node, std::span<std::byte> blocks);

}  // namespace ecube
