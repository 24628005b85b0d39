// SPDX-License-Identifier: Apache-2.0
// The planes of a node, tuned to one mask after the other.
#pragma once

#include <algorithm>
#include <vector>

#include "models/exchange/exchange_cost.h"
#include "sw/api/node.h"

namespace ecube {

/// Step s of a collective operation exchanges with node XOR masks[s], by plane s modulo the number of planes. Nothing
/// is awaited: a send by a plane waits for the tunes asked for before it.
class RetunedPlanes {
 public:
  /// `masks` outlives it; `planes` is 1 or more.
  RetunedPlanes(Node& node, unsigned planes, Retuning retuning, const std::vector<NodeId>& masks)
      : retuning_(retuning), masks_(masks) {
    planes_.reserve(planes);
    for (unsigned plane = 0; plane < planes; ++plane) planes_.emplace_back(node, static_cast<std::uint8_t>(plane));
    tune();
  }

  /// The plane of the next step; all steps before it have been done.
  [[nodiscard]] std::uint8_t next() {
    tune();
    return static_cast<std::uint8_t>(step_++ % planes_.size());
  }
  /// The steps of a phase have been done, and its blocks permuted, or not yet.
  void phase_ended(bool permuted) {
    if (permuted == (retuning_ == Retuning::after)) tune();
  }

 private:
  class Plane final : public Awaited {
   public:
    Plane(Node& node, std::uint8_t number) : Awaited(node, CoreWork{.kind = Work::tune, .plane = number}) {}
    /// Its last mask has been used, so that its last tune is complete.
    void tune(NodeId mask) {
      operation().amount = mask;
      start();
    }
  };
  void tune() {
    if (retuning_ != Retuning::each && step_ % planes_.size() != 0) return;
    const std::size_t end = std::min(step_ + planes_.size(), masks_.size());
    for (; tuned_ < end; ++tuned_) planes_[tuned_ % planes_.size()].tune(masks_[tuned_]);
  }

  Retuning retuning_;
  const std::vector<NodeId>& masks_;
  std::size_t step_ = 0;
  std::size_t tuned_ = 0;
  std::vector<Plane> planes_;
};

}  // namespace ecube
