// SPDX-License-Identifier: Apache-2.0
// A complete exchange whose blocks differ in size: the bytes of every block and message, and the predicted time, with
// nodes followed from step to step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/exchange/exchange_cost.h"
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
  [[nodiscard]] Bytes total() const { return std::accumulate(bytes_.begin(), bytes_.end(), Bytes{0}); }
  [[nodiscard]] Bytes largest() const { return *std::max_element(bytes_.begin(), bytes_.end()); }
  [[nodiscard]] double mean() const { return static_cast<double>(total()) / static_cast<double>(bytes_.size()); }

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

/// The bits of the labels that a phase spans.
[[nodiscard]] constexpr NodeId bits_of(const Phase& phase) { return (phase.size() - 1) * phase.stride; }
/// Calls use(slot) for the slots whose bits of `phase` are those of `partner`, in ascending order.
template <class Use>
void for_slots(const Phase& phase, NodeId partner, const Use& use) {
  const NodeId fixed = bits_of(phase);
  const NodeId others = (phase.nodes - 1) & ~fixed;
  for (NodeId rest = 0;; rest = (rest - others) & others) {
    use(rest | (partner & fixed));
    if (rest == others) return;
  }
}
/// The message from `node` to `partner` in `phase`: bytes of the blocks in all slots whose bits of the phase are the
/// partner's.
[[nodiscard]] Bytes message_bytes(const BlockSizes& sizes, const BlockPlaces& places, const Phase& phase, NodeId node,
                                  NodeId partner);
/// Bytes of all blocks that the node has.
[[nodiscard]] Bytes held_bytes(const BlockSizes& sizes, const BlockPlaces& places, NodeId node);

/// Largest dimension for which every node is followed.
inline constexpr unsigned max_unequal_dim = 10;

struct UnequalExchangeCost {
  double us = 0;                     ///< when the last node ends
  double equal_us = 0;               ///< of the equation, whose blocks all have the mean number of bytes
  std::vector<double> phase_ends{};  ///< when the last node ends each phase, in us
  Bytes longest_message = 0;
  Bytes moved_bytes = 0;  ///< over all messages of all nodes
};

/// In a step both partners begin when the later of them has ended its step before. A message of m bytes over h hops
/// takes lambda + tau m + delta + delta_hop h (ExchangeParameters, with the parameters of short and empty messages
/// where there are such), and the step the longer of its two messages; with synchronisation, a message without bytes
/// before it. A phase ends with the permutation of the blocks that the node then has, where the equation charges one;
/// barriers are as in the equation. With blocks of one size of at least one byte all nodes end together, at the time of
/// exchange_cost(); messages without bytes have a start-up of their own here, and that of others in the equation.
///
/// The equation differs in two ways. It has no node that waits for a partner with more bytes: with Direct every step
/// takes as long as the longest message of those who wait for one another. And its phases move the mean: over several
/// phases, messages of many blocks come nearer to it than single blocks do, which is in favour of more phases.
[[nodiscard]] UnequalExchangeCost unequal_exchange_cost(const Partition& partition, const BlockSizes& sizes,
                                                        const ExchangeParameters& parameters,
                                                        const ExchangeOptions& options);

/// The partition of least unequal_exchange_cost(); of equals the one with fewest phases.
[[nodiscard]] Partition best_unequal_partition(const BlockSizes& sizes, const ExchangeParameters& parameters,
                                               const ExchangeOptions& options);

}  // namespace ecube
