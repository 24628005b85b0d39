// SPDX-License-Identifier: Apache-2.0
// The blocks of a complete exchange: memory for every node, on several ports for every part, a pattern that names
// origin and destination, and the check.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/contract/node_ports.h"
#include "models/exchange/partition.h"
#include "models/machine/huge_pages.h"
#include "models/machine/random.h"
#include "sw/api/repeated.h"

namespace ecube {

/// Brings blocks of equal length, a matrix with so many columns, into the order in which it is read by columns.
void read_by_columns(std::span<std::byte> blocks, Bytes block_bytes, NodeId columns, std::vector<std::byte>& scratch);
inline void read_by_columns(std::span<std::byte> blocks, Bytes block_bytes, NodeId columns) {
  std::vector<std::byte> scratch;
  read_by_columns(blocks, block_bytes, columns, scratch);
}

/// Memory for N slots of `bytes` bytes on each of N nodes; slot b of node p starts with the block p -> b. In a
/// folded run only node 0 has slots, and in the place of each block a word that names it, which the machine can
/// translate.
class BlockStore {
 public:
  static constexpr Bytes name_bytes = 8;  ///< of the name of a block

  /// Bytes a store needs; saturates instead of overflowing.
  [[nodiscard]] static Bytes required(const Topology& topology, Bytes block_bytes, unsigned buffers);
  /// `buffers` is 2 when blocks arrive before those in the same slots have left, else 1. Of blocks in several parts, a
  /// store has this `part`, which differs from the others. Throws std::bad_alloc.
  BlockStore(const Topology& topology, Bytes block_bytes, unsigned buffers, bool folded = false, unsigned part = 0);

  /// Nodes that have slots.
  [[nodiscard]] NodeId nodes() const { return name_.folded ? 1 : count_; }
  /// The node's slots; `buffer` 0 holds the blocks, 1 takes arriving ones.
  [[nodiscard]] std::byte* slots(NodeId node, unsigned buffer) const {
    const Bytes one = block_bytes_ * count_;
    return memory_.get() + (node * Bytes{buffers_} + (buffer ^ swapped_[node])) * one;
  }
  /// All blocks of a node, by slot; empty if there is no memory.
  [[nodiscard]] std::span<const std::byte> of(NodeId node) const {
    return memory_ == nullptr ? std::span<const std::byte>{} : std::span(slots(node, 0), block_bytes_ * count_);
  }
  /// The effective blocks of `phase` for the other nodes of the node's subcube, or from them.
  [[nodiscard]] BlockRow row(NodeId node, const Phase& phase, unsigned buffer = 0) const {
    if (memory_ == nullptr) return {.first = {}, .subcube = phase.subcube()};
    return {.first = place(node, phase.slots(0), buffer),
            .apart = phase.slots(1).first * block_bytes_,
            .subcube = phase.subcube()};
  }
  /// These slots; empty if there is no memory.
  [[nodiscard]] Region place(NodeId node, const SlotRuns& runs, unsigned buffer = 0) const {
    if (memory_ == nullptr) return {};
    return {slots(node, buffer) + runs.first * block_bytes_, runs.run * block_bytes_, runs.stride * block_bytes_,
            runs.runs};
  }
  /// Makes the arriving blocks of `phase` the node's blocks; the own ones are copied.
  void take_arrived(NodeId node, const Phase& phase);
  /// Moves every block of the node to its slot after `phase`.
  void permute(NodeId node, const Phase& phase) {
    if (!phase.is_identity()) permute(node, phase.columns());
  }
  /// The matrix of the node's slots is read by columns, of which it has so many.
  void permute(NodeId node, NodeId columns) {
    if (memory_ != nullptr) read_by_columns({slots(node, 0), block_bytes_ * count_}, block_bytes_, columns, scratch_);
  }
  /// Whether the slot holds the block slot -> node, or there is no memory.
  [[nodiscard]] bool is_right(NodeId node, NodeId slot) const;
  /// Number of slots, over all nodes that have any, that do not hold the block slot -> node.
  [[nodiscard]] std::uint64_t wrong_blocks() const;

 private:
  /// The word with which a block begins.
  struct Name {
    bool folded;
    unsigned part;
    [[nodiscard]] std::uint64_t operator()(NodeId origin, NodeId destination) const {
      return folded ? name_of_pair(origin, destination) : mix(std::uint64_t{origin} << 32 | destination) + part;
    }
  };

  NodeId count_;  ///< nodes of the machine
  Name name_;
  Bytes block_bytes_;  ///< in memory
  unsigned buffers_;
  Pages memory_;
  std::vector<std::uint8_t> swapped_;  ///< nodes whose two buffers have changed roles
  std::vector<std::byte> scratch_;
};

/// Memory for 2^d blocks on each of 2^d nodes, block b of node p for node b. Each part has 2^d slots, within which it
/// moves independently of the other parts. In a folded run only node 0 has blocks, and each part of a block is a word
/// that names the block.
class PartedBlocks {
 public:
  /// `carried` false: no memory, nothing to check. Throws std::bad_alloc.
  PartedBlocks(unsigned dim, Bytes block_bytes, unsigned parts, bool carried, bool folded = false);

  [[nodiscard]] const BlockParts& parts() const { return parts_; }
  /// The data sent to the node with sub-index `index` in a phase over `dims` dimensions, and overwritten by the data
  /// from it: `what.part` of the slots with this sub-index in the bits from `what.slot_low` up.
  [[nodiscard]] Region effective(NodeId node, const StagePart& what, unsigned dims, NodeId index) const;
  /// The blocks of a node put together from their parts, by slot; empty if there is no memory.
  [[nodiscard]] std::vector<std::byte> of(NodeId node) const;
  /// Moves the slots of a part as `what` says.
  void permute(NodeId node, const StagePart& what) {
    if (what.rotate_left != 0) stores_[what.part].permute(node, NodeId{1} << (dim_ - what.rotate_left));
  }
  /// Number of blocks, over all nodes that have any, that are not the block slot -> node, in any of their parts.
  [[nodiscard]] std::uint64_t wrong_blocks() const;

 private:
  unsigned dim_;
  BlockParts parts_;
  std::vector<BlockStore> stores_;  ///< [part], those that travel
};

}  // namespace ecube
