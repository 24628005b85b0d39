// SPDX-License-Identifier: Apache-2.0
// All-to-all of unequal sizes: the bytes of every block, and of the messages that phases make of them.
#pragma once

#include <cstdint>
#include <vector>

#include "models/exchange/partition.h"

namespace ecube {

/// Bytes of the block that every node has for every node of a cube.
class BlockSizes {
 public:
  /// No bytes for anybody.
  explicit BlockSizes(unsigned dim) : dim_(dim), bytes_(std::size_t{1} << (2 * dim), 0) {}

  /// The block of rank k = 1, 2, .. has bytes in proportion to k^-exponent, `mean` bytes on average but for rounding;
  /// ranks are dealt to blocks at random (Zipf's law).
  [[nodiscard]] static BlockSizes zipf(unsigned dim, double mean, double exponent, std::uint64_t seed);
  /// Every block has 0 .. 2 `mean` bytes, each number equally likely.
  [[nodiscard]] static BlockSizes uniform(unsigned dim, Bytes mean, std::uint64_t seed);

  [[nodiscard]] unsigned dim() const { return dim_; }
  [[nodiscard]] NodeId nodes() const { return NodeId{1} << dim_; }
  [[nodiscard]] Bytes& of(NodeId from, NodeId to) { return bytes_[std::size_t{from} << dim_ | to]; }
  [[nodiscard]] Bytes of(NodeId from, NodeId to) const { return bytes_[std::size_t{from} << dim_ | to]; }
  [[nodiscard]] Bytes total() const;
  [[nodiscard]] Bytes largest() const;
  [[nodiscard]] double mean() const;

 private:
  unsigned dim_;
  std::vector<Bytes> bytes_;
};

/// Which blocks a node has where, before the phases and between them, when blocks are kept in place: slot b of node v
/// begins with the block from v for b. What comes from the node of another sub-index takes the place of what was sent
/// there.
struct BlockPlaces {
  NodeId done = 0;  ///< bits of the dimensions of the phases that have ended

  /// Where the block in slot `slot` of `node` comes from, and where it goes.
  [[nodiscard]] NodeId origin(NodeId node, NodeId slot) const { return (slot & done) | (node & ~done); }
  [[nodiscard]] NodeId destination(NodeId node, NodeId slot) const { return (node & done) | (slot & ~done); }
};

/// The message from `node` to `partner` in `phase`: bytes of the blocks in all slots whose bits of the phase are the
/// partner's.
[[nodiscard]] Bytes message_bytes(const BlockSizes& sizes, const BlockPlaces& places, const Phase& phase, NodeId node,
                                  NodeId partner);
/// Bytes of all blocks that the node has.
[[nodiscard]] Bytes held_bytes(const BlockSizes& sizes, const BlockPlaces& places, NodeId node);
/// The bits of the labels that a phase spans.
[[nodiscard]] constexpr NodeId bits_of(const Phase& phase) { return (phase.size() - 1) * phase.stride; }

}  // namespace ecube
