// SPDX-License-Identifier: Apache-2.0
// Partitions of a cube's dimension, the phases of a multiphase complete exchange and the blocks each phase moves. On
// several ports: each part of the blocks goes through the phases in an order of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine/cube.h"
#include "models/machine/machine.h"
#include "models/machine/topology.h"

namespace ecube {

/// A composition of d: the parts d_1 .. d_n, each at least 1, in the order of the phases (Bokhari 1993, section 2.3).
/// d is the number of dimensions of the network, of which a phase spans whole ones.
class Partition {
 public:
  /// InputError without parts, for a part of 0 and for a sum beyond max_predicted_dim.
  explicit Partition(std::vector<unsigned> parts);

  /// "3,3", "direct" or "standard" for a cube of dimension `dim` (1 .. max_predicted_dim); blanks around a part are
  /// ignored. InputError with what is valid for `dim`. "best" is not known here.
  [[nodiscard]] static Partition parse(std::string_view text, unsigned dim);
  /// The same for a network: as many dimensions as it has.
  [[nodiscard]] static Partition parse(std::string_view text, const Topology& topology);

  /// One phase over the whole cube: Direct. `dim` is 1 .. max_predicted_dim in all three.
  [[nodiscard]] static Partition direct(unsigned dim) { return Partition({dim}); }
  /// A phase for each dimension: Standard.
  [[nodiscard]] static Partition standard(unsigned dim) { return Partition(std::vector<unsigned>(dim, 1)); }
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
  [[nodiscard]] std::string braced_name() const { return "{" + name() + "}"; }

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
/// The partitions worth a trial: those of a cube, whose phases take the same in any order; of other networks, whose
/// dimensions differ, all compositions.
[[nodiscard]] std::vector<Partition> partitions_of(const Topology& topology);
/// The partition of least cost(partition); of equals the one with fewest phases.
template <class Cost>
[[nodiscard]] Partition cheapest(const std::vector<Partition>& partitions, const Cost& cost) {
  const Partition* best = nullptr;
  double least = 0;
  for (const Partition& partition : partitions) {
    const double own = cost(partition);
    if (best != nullptr && (own > least || (own == least && partition.size() >= best->size()))) continue;
    least = own;
    best = &partition;
  }
  return *best;
}
/// E(d,1) .. E(d,d).
[[nodiscard]] std::vector<Partition> equipartitions_of(unsigned dim);

/// How a node's N block slots stand in memory between phases. Slot b starts with the block for node b and ends with
/// the block from node b, whichever the order; what arrives from a partner overwrites the slots sent to it.
enum class BlockOrder : std::uint8_t {
  high,     ///< phases span digits from the last down, blocks sent are contiguous, then slots rotate left (the
            ///< pseudo-code)
  low,      ///< phases span digits from 0 up, blocks sent are strided, then slots rotate right
  inplace,  ///< phases span digits from the last down, no slot ever moves
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

/// One phase: a Direct exchange among all nodes that agree outside the phase's digits of the labels.
struct Phase {
  unsigned first = 0;       ///< of the dimensions that it spans
  unsigned dims = 0;        ///< that it spans
  NodeId stride = 1;        ///< between nodes whose sub-indices differ by one
  NodeId members = 1;       ///< of a group that exchanges
  NodeId nodes = 1;         ///< of the network
  std::uint16_t index = 0;  ///< 0 .. n-1 in the order of execution
  BlockOrder order = BlockOrder::high;

  /// Nodes of a group: the phase has steps 1 .. size() - 1.
  [[nodiscard]] constexpr NodeId size() const { return members; }
  /// The group as bits of the label, where Topology::digits_are_bits().
  [[nodiscard]] constexpr Subcube subcube() const {
    return {static_cast<unsigned>(std::countr_zero(stride)), static_cast<unsigned>(std::countr_zero(members))};
  }
  /// The number of a node in its group.
  [[nodiscard]] constexpr NodeId index_of(NodeId node) const { return node / stride % members; }
  /// XOR schedule: every step pairs all nodes, and loads no directed link of complete dimensions more than once.
  [[nodiscard]] constexpr NodeId partner(NodeId node, NodeId step) const { return node ^ (step * stride); }
  /// Blocks that a message of the phase takes along, its effective block.
  [[nodiscard]] constexpr NodeId effective() const { return nodes / members; }
  /// The slots sent to the node of sub-index `q`, its effective block, which what it sends overwrites in the same
  /// order. For the own sub-index: the slots that stay.
  [[nodiscard]] constexpr SlotRuns slots(NodeId q) const {
    switch (order) {
      case BlockOrder::high:
        return {q * effective(), effective(), 1, effective()};
      case BlockOrder::low:
        return {q, 1, effective(), members};
      case BlockOrder::inplace:
        break;
    }
    return {q * stride, stride, effective() / stride, members * stride};
  }
  /// The permutation is a transposition of blocks: number of columns of the matrix that is read by columns.
  [[nodiscard]] constexpr NodeId columns() const { return order == BlockOrder::high ? effective() : members; }
  /// True when that permutation moves nothing: in place, or a rotation by d_i = d.
  [[nodiscard]] constexpr bool is_identity() const { return order == BlockOrder::inplace || members == nodes; }
};

/// Where the block in `slot` of a matrix of `slots` blocks is when the matrix has been read by columns.
[[nodiscard]] constexpr NodeId slot_by_columns(NodeId slot, NodeId columns, NodeId slots) {
  return slot % columns * (slots / columns) + slot / columns;
}

/// The phases in the order of execution, on a network of as many dimensions as the partition's.
[[nodiscard]] std::vector<Phase> phases(const Partition& partition, BlockOrder order, const Topology& topology);
/// The same on a cube; std::invalid_argument above max_simulated_dim.
[[nodiscard]] std::vector<Phase> phases(const Partition& partition, BlockOrder order);

/// True when a phase ends with a shuffle to be paid for. In place there is none to charge; otherwise only Direct's
/// rotation by d moves nothing, and `identity` decides.
[[nodiscard]] constexpr bool pays_shuffle(const Phase& phase, BlockOrder order, IdentityShuffle identity) {
  return order != BlockOrder::inplace && (phase.members < phase.nodes || identity == IdentityShuffle::charge);
}

// Several ports.

/// Whether the message for a mask of a phase is sent together with that for its complement, over the dimensions that
/// the mask leaves free.
enum class MaskPairing : std::uint8_t { on, off };

/// A block of `bytes` bytes cut into one part for each phase. Parts differ by at most one byte, longer ones first;
/// parts without bytes have nothing to send. Of a block without bytes part 0 travels, as messages of zero bytes.
class BlockParts {
 public:
  /// `phases` >= 1.
  constexpr BlockParts(Bytes bytes, unsigned phases) : bytes_(bytes), phases_(phases) {}

  /// Parts 0 .. travelling() - 1 are sent, the others are empty.
  [[nodiscard]] constexpr unsigned travelling() const {
    return bytes_ == 0 ? 1 : bytes_ < phases_ ? static_cast<unsigned>(bytes_) : phases_;
  }
  [[nodiscard]] constexpr Bytes length(unsigned part) const {
    return bytes_ / phases_ + (part < bytes_ % phases_ ? 1 : 0);
  }

 private:
  Bytes bytes_;
  unsigned phases_;
};

/// The masks of a step: a node exchanges with (own label XOR mask), and where masks are paired with
/// (own label XOR complement) at the same time. Bits count from the lowest dimension of the phase.
struct StepMasks {
  NodeId mask = 0;
  NodeId complement = 0;  ///< 0: none
};

/// Steps of a phase over `dims` dimensions: 2^(dims - 1) with pairs of masks, else 2^dims - 1.
[[nodiscard]] constexpr std::uint64_t steps_of_phase(unsigned dims, MaskPairing pairing) {
  return pairing == MaskPairing::on ? std::uint64_t{1} << (dims - 1) : (std::uint64_t{1} << dims) - 1;
}

/// The masks of step 0 .. steps_of_phase() - 1. Pairs come in order of the smaller mask, the full mask, whose
/// complement is empty, last. A pair has no dimension in common: neither links nor inject ports (lowest dimension) nor
/// eject ports (highest dimension).
[[nodiscard]] constexpr StepMasks masks_of_step(NodeId step, unsigned dims, MaskPairing pairing) {
  if (pairing == MaskPairing::off) return {step + 1, 0};
  const NodeId full = (NodeId{1} << dims) - 1;
  if (step + 1 == NodeId{1} << (dims - 1)) return {full, 0};
  return {step + 1, full ^ (step + 1)};
}

/// The phase and the permutation of a part in a stage.
struct StagePart {
  unsigned part = 0;
  unsigned phase = 0;
  unsigned slot_low = 0;     ///< lowest bit of the current slot numbers that says where a block goes
  unsigned rotate_left = 0;  ///< after the stage slot s moves to s rotated left by this many of d bits; 0: none moves
};

/// A multiphase exchange in as many stages as it has phases: in stage s part j of all blocks runs phase (j + s) mod n,
/// so that the phases of a stage use dimensions that are disjoint. The next stage of a node begins when all its parts
/// have ended the one before.
///
/// A part's slots have the order that its phase has on one port (BlockOrder), except in stage 0, where all parts have
/// the initial order of the blocks. The last permutation restores the initial order. With BlockOrder::inplace no part
/// is ever permuted.
class ExchangeStages {
 public:
  /// Any dimension up to max_predicted_dim.
  ExchangeStages(const Partition& partition, BlockOrder order)
      : dim_(partition.dim()), order_(order), dims_(partition.parts().begin(), partition.parts().end()) {
    unsigned sum = 0;
    for (const unsigned dims : dims_) {
      before_.push_back(sum);
      sum += dims;
    }
  }

  /// Number of stages, phases and parts.
  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(dims_.size()); }
  [[nodiscard]] unsigned dim() const { return dim_; }
  /// Dimensions of a phase, d_i, and the lowest of them.
  [[nodiscard]] unsigned phase_dims(unsigned phase) const { return dims_[phase]; }
  [[nodiscard]] unsigned phase_low(unsigned phase) const {
    return order_ == BlockOrder::low ? before_[phase] : dim_ - before_[phase] - dims_[phase];
  }
  [[nodiscard]] StagePart at(unsigned stage, unsigned part) const {
    StagePart what{.part = part, .phase = (part + stage) % count()};
    const unsigned rotated = rotation(stage, part);
    what.slot_low = (phase_low(what.phase) + rotated) % dim_;
    what.rotate_left = (rotation(stage + 1, part) + dim_ - rotated) % dim_;
    return what;
  }
  /// True when the permutation of the part `what` at the end of a stage is charged: never in place; `identity` decides
  /// for a permutation that moves nothing.
  [[nodiscard]] bool pays_permutation(const StagePart& what, IdentityShuffle identity) const {
    return order_ != BlockOrder::inplace && (what.rotate_left != 0 || identity == IdentityShuffle::charge);
  }

 private:
  /// Bits by which the slots of `part` are rotated left in `stage`; 0 after the last stage.
  [[nodiscard]] unsigned rotation(unsigned stage, unsigned part) const {
    if (stage == 0 || stage == count() || order_ == BlockOrder::inplace) return 0;
    const unsigned before = before_[(part + stage) % count()];
    return order_ == BlockOrder::high ? before : (dim_ - before) % dim_;
  }

  unsigned dim_;
  BlockOrder order_;
  std::vector<unsigned> dims_;    ///< d_i
  std::vector<unsigned> before_;  ///< d_0 + .. + d_(i-1)
};

}  // namespace ecube
