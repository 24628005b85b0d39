// SPDX-License-Identifier: Apache-2.0
// The blocks of a complete exchange: memory for every node, a pattern that names origin and destination, and the check.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/contract/node_ports.h"
#include "models/exchange/partition.h"
#include "sw/api/repeated.h"

namespace ecube {

/// Memory for N slots of `bytes` bytes on each of N nodes; slot b of node p starts with the block p -> b. In a
/// folded run only node 0 has slots, and in the place of each block a word that names it, which the machine can
/// translate.
class BlockStore {
 public:
  static constexpr Bytes name_bytes = 8;  ///< of the name of a block

  /// Bytes a store needs; saturates instead of overflowing.
  [[nodiscard]] static Bytes required(const Topology& topology, Bytes block_bytes, unsigned buffers);
  /// `buffers` is 2 when blocks arrive before those in the same slots have left, else 1. Throws std::bad_alloc.
  BlockStore(const Topology& topology, Bytes block_bytes, unsigned buffers, bool folded = false);
  ~BlockStore();
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  /// The node's slots; `buffer` 0 holds the blocks, 1 takes arriving ones.
  [[nodiscard]] std::byte* slots(NodeId node, unsigned buffer) const {
    const Bytes one = block_bytes_ * count_;
    return memory_ + (node * Bytes{buffers_} + (buffer ^ swapped_[node])) * one;
  }
  /// All blocks of a node, by slot; empty if there is no memory.
  [[nodiscard]] std::span<const std::byte> of(NodeId node) const {
    return memory_ == nullptr ? std::span<const std::byte>{} : std::span(slots(node, 0), block_bytes_ * count_);
  }
  /// The effective blocks of `phase` for the other nodes of the node's subcube, or from them.
  [[nodiscard]] BlockRow row(NodeId node, const Phase& phase, unsigned buffer = 0) const {
    if (memory_ == nullptr) return {.first = {}, .subcube = phase.subcube()};
    return {.first = place(node, phase, 0, buffer),
            .apart = phase.slots(1).first * block_bytes_,
            .subcube = phase.subcube()};
  }
  /// The effective block of `phase` for the node of this sub-index, or from it.
  [[nodiscard]] Region place(NodeId node, const Phase& phase, NodeId index, unsigned buffer = 0) const {
    if (memory_ == nullptr) return {};
    const SlotRuns runs = phase.slots(index);
    return {slots(node, buffer) + runs.first * block_bytes_, runs.run * block_bytes_, runs.stride * block_bytes_,
            runs.runs};
  }
  /// Makes the arriving blocks of `phase` the node's blocks; the own ones are copied.
  void take_arrived(NodeId node, const Phase& phase);
  /// Moves every block of the node to its slot after `phase`.
  void permute(NodeId node, const Phase& phase);
  /// Number of slots, over all nodes that have any, that do not hold the block slot -> node.
  [[nodiscard]] std::uint64_t wrong_blocks() const;

 private:
  [[nodiscard]] NodeId nodes() const { return folded_ ? 1 : count_; }

  NodeId count_;  ///< nodes of the machine
  bool folded_;
  Bytes block_bytes_;  ///< in memory
  unsigned buffers_;
  Bytes total_;
  std::byte* memory_ = nullptr;
  std::vector<std::uint8_t> swapped_;  ///< nodes whose two buffers have changed roles
  std::vector<std::byte> scratch_;
};

}  // namespace ecube
