// SPDX-License-Identifier: Apache-2.0
// The blocks of a complete exchange on several ports: separate memory for every part, and the check.
#pragma once

#include <cstddef>
#include <vector>

#include "models/contract/node_ports.h"
#include "models/exchange/exchange_stages.h"
#include "sw/exchange/blocks.h"

namespace ecube {

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
