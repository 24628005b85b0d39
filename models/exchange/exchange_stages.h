// SPDX-License-Identifier: Apache-2.0
// The complete exchange on several ports: each part of the blocks goes through the phases in an order of its own.
#pragma once

#include <vector>

#include "models/exchange/partition.h"

namespace ecube {

/// Whether the message for a mask of a phase is sent together with that for its complement, over the dimensions that
/// the mask leaves free.
enum class MaskPairing : std::uint8_t { on, off };

/// A block of `bytes` bytes cut into one part for each phase. Parts differ by at most one byte, longer ones first;
/// parts without bytes have nothing to send. Of a block without bytes part 0 travels, as messages of zero bytes.
class BlockParts {
 public:
  /// `phases` >= 1.
  constexpr BlockParts(Bytes bytes, unsigned phases) : bytes_(bytes), phases_(phases) {}

  [[nodiscard]] constexpr unsigned count() const { return phases_; }
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
