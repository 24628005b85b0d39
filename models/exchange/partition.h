// SPDX-License-Identifier: Apache-2.0
// Partitions of a cube's dimension, the phases of a multiphase complete exchange and the blocks each phase moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine/cube.h"
#include "models/machine/machine.h"

namespace ecube {

/// A composition of d: the parts d_1 .. d_n, each at least 1, in the order of the phases (Bokhari 1993, section 2.3).
class Partition {
 public:
  /// InputError without parts, for a part of 0 and for a sum beyond max_predicted_dim.
  explicit Partition(std::vector<unsigned> parts);

  /// "3,3", "direct" or "standard" for a cube of dimension `dim` (1 .. max_predicted_dim); blanks around a part are
  /// ignored. InputError with what is valid for `dim`. "best" is not known here.
  [[nodiscard]] static Partition parse(std::string_view text, unsigned dim);

  /// One phase over the whole cube: Direct. `dim` is 1 .. max_predicted_dim in all three.
  [[nodiscard]] static Partition direct(unsigned dim);
  /// A phase for each dimension: Standard.
  [[nodiscard]] static Partition standard(unsigned dim);
  /// E(d,n), parts that differ by at most 1, larger ones first (Bokhari 1993 (3), which lists smaller ones first);
  /// 1 <= phases <= dim.
  [[nodiscard]] static Partition equipartition(unsigned dim, unsigned phases);

  [[nodiscard]] unsigned dim() const { return dim_; }
  /// Number of phases, n.
  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] std::span<const unsigned> parts() const { return parts_; }
  [[nodiscard]] bool is_equipartition() const;
  /// "3,3", as parse() reads it.
  [[nodiscard]] std::string name() const;
  /// "{3,3}", as the papers write it.
  [[nodiscard]] std::string braced_name() const;

  friend bool operator==(const Partition&, const Partition&) = default;

 private:
  std::vector<unsigned> parts_;
  unsigned dim_ = 0;
};

/// All partitions of `dim`, parts non-increasing, from {d} to {1,..,1} in reverse lexicographic order. Their number
/// grows as exp(2.57 sqrt d) / (7 d): 627 for d = 20, 37,338 for d = 40.
[[nodiscard]] std::vector<Partition> partitions_of(unsigned dim);
/// All 2^(d-1) compositions of `dim`, 1 <= dim <= max_simulated_dim.
[[nodiscard]] std::vector<Partition> compositions_of(unsigned dim);
/// E(d,1) .. E(d,d).
[[nodiscard]] std::vector<Partition> equipartitions_of(unsigned dim);

/// How a node's 2^d block slots stand in memory between phases. Slot b starts with the block for node b and ends with
/// the block from node b, whichever the order; what arrives from a partner overwrites the slots sent to it.
enum class BlockOrder : std::uint8_t {
  high,     ///< phases span bits from d-1 down, blocks sent are contiguous, then slots rotate left (the pseudo-code)
  low,      ///< phases span bits from 0 up, blocks sent are strided, then slots rotate right
  inplace,  ///< phases span bits from d-1 down, no slot ever moves
};

/// Ascending slots: `runs` runs of `run` neighbouring slots, `stride` slots from one run's start to the next.
struct SlotRuns {
  NodeId first = 0;
  NodeId run = 0;
  NodeId runs = 0;
  NodeId stride = 0;

  [[nodiscard]] constexpr NodeId count() const { return run * runs; }
  /// The i-th slot, i < count().
  [[nodiscard]] constexpr NodeId operator[](NodeId i) const { return first + i / run * stride + i % run; }
  friend constexpr bool operator==(const SlotRuns&, const SlotRuns&) = default;
};

/// One phase: a Direct exchange in every subcube that spans the phase's bits of the labels.
struct Phase {
  Subcube subcube;
  std::uint16_t index = 0;  ///< 0 .. n-1 in the order of execution
  unsigned dim = 0;         ///< of the whole cube
  BlockOrder order = BlockOrder::high;

  /// Nodes of a subcube: the phase has steps 1 .. size() - 1.
  [[nodiscard]] constexpr NodeId size() const { return subcube.size(); }
  /// XOR schedule: every step pairs all nodes, and loads no directed link more than once.
  [[nodiscard]] constexpr NodeId partner(NodeId node, NodeId step) const { return node ^ (step << subcube.low); }
  /// The 2^(d-d_i) slots sent to the node of sub-index `q`, its effective block, which what it sends overwrites in the
  /// same order. For the own sub-index: the slots that stay.
  [[nodiscard]] constexpr SlotRuns slots(NodeId q) const {
    const NodeId effective = NodeId{1} << (dim - subcube.dim);  // blocks of an effective block
    switch (order) {
      case BlockOrder::high:
        return {q * effective, effective, 1, effective};
      case BlockOrder::low:
        return {q, 1, effective, size()};
      case BlockOrder::inplace:
        break;
    }
    return {q << subcube.low, NodeId{1} << subcube.low, effective >> subcube.low, size() << subcube.low};
  }
  /// Where the permutation that ends the phase moves the block in `slot`.
  [[nodiscard]] NodeId slot_after(NodeId slot) const;
  /// The permutation is a transposition of blocks: number of columns of the matrix that is read by columns.
  [[nodiscard]] constexpr NodeId columns() const {
    return NodeId{1} << (order == BlockOrder::high ? dim - subcube.dim : subcube.dim);
  }
  /// True when that permutation moves nothing: in place, or a rotation by d_i = d.
  [[nodiscard]] constexpr bool is_identity() const { return order == BlockOrder::inplace || subcube.dim == dim; }
};

/// The phases in the order of execution; std::invalid_argument above max_simulated_dim.
[[nodiscard]] std::vector<Phase> phases(const Partition& partition, BlockOrder order);

/// True when a phase over `part` of `dim` dimensions ends with a shuffle to be paid for. In place there is none to
/// charge; otherwise only Direct's rotation by d moves nothing, and `identity` decides.
[[nodiscard]] constexpr bool pays_shuffle(unsigned part, unsigned dim, BlockOrder order, IdentityShuffle identity) {
  return order != BlockOrder::inplace && (part < dim || identity == IdentityShuffle::charge);
}

}  // namespace ecube
