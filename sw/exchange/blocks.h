// SPDX-License-Identifier: Apache-2.0
// The blocks of a complete exchange: memory for every node, on several ports for every part, a pattern that names
// origin and destination, and the check.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/contract/node_ports.h"
#include "models/exchange/exchange_stages.h"
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

/// Memory for 2^d blocks on each of 2^d nodes, block b of node p for node b. Each part has 2^d slots, within which it
/// moves independently of the other parts; the slots of a part follow one another. In a folded run only node 0 has
/// blocks, and each part of a block is a word that names the block.
class PartedBlocks {
 public:
  /// `carried` false: no memory, nothing to check. Throws std::bad_alloc.
  PartedBlocks(unsigned dim, Bytes block_bytes, unsigned parts, bool carried, bool folded = false);
  ~PartedBlocks();
  PartedBlocks(const PartedBlocks&) = delete;
  PartedBlocks& operator=(const PartedBlocks&) = delete;

  [[nodiscard]] const BlockParts& parts() const { return parts_; }
  /// The data sent to the node with sub-index `index` in a phase over `dims` dimensions, and overwritten by the data
  /// from it: `what.part` of the slots with this sub-index in the bits from `what.slot_low` up.
  [[nodiscard]] Region effective(NodeId node, const StagePart& what, unsigned dims, NodeId index) const;
  /// The blocks of a node put together from their parts, by slot; empty if there is no memory.
  [[nodiscard]] std::vector<std::byte> of(NodeId node) const;
  /// Moves the slots of a part as `what` says.
  void permute(NodeId node, const StagePart& what);
  /// Number of blocks, over all nodes that have any, that are not the block slot -> node, in any of their parts.
  [[nodiscard]] std::uint64_t wrong_blocks() const;

 private:
  [[nodiscard]] std::byte* slots(NodeId node, unsigned part) const {
    return memory_ + ((node * bytes_ + first(part)) << dim_);
  }
  /// Bytes in memory of a part of a block, and where they begin in the block.
  [[nodiscard]] Bytes length(unsigned part) const { return folded_ ? BlockStore::name_bytes : parts_.length(part); }
  [[nodiscard]] Bytes first(unsigned part) const {
    return folded_ ? part * BlockStore::name_bytes : parts_.first(part);
  }
  [[nodiscard]] NodeId nodes() const { return folded_ ? 1 : NodeId{1} << dim_; }
  void write(std::vector<std::byte>& block, NodeId origin, NodeId destination) const;

  unsigned dim_;
  bool folded_;
  BlockParts parts_;
  Bytes bytes_;  ///< of a block in memory
  Bytes total_;
  std::byte* memory_ = nullptr;
  std::vector<std::byte> scratch_;
};

}  // namespace ecube
