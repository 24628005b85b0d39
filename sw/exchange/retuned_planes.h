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
  /// `masks` outlives it. No planes: nothing is tuned.
  RetunedPlanes(Node& node, unsigned planes, Retuning retuning, const std::vector<NodeId>& masks)
      : node_(node), planes_(planes), retuning_(retuning), masks_(masks) {
    tune_to(planes);
  }

  [[nodiscard]] bool any() const { return planes_ != 0; }
  [[nodiscard]] std::uint8_t plane() const { return static_cast<std::uint8_t>(step_ % planes_); }
  /// The step has been done. `last`: of its phase, so that a permutation follows.
  void step_done(bool last) {
    if (!any()) return;
    ++step_;
    if (retuning_ == Retuning::each) return tune_to(step_ + planes_);
    if (!last || retuning_ == Retuning::together) next_set();
  }
  void permuted() {
    if (any() && retuning_ == Retuning::after) next_set();
  }

 private:
  void next_set() {
    if (step_ % planes_ == 0) tune_to(step_ + planes_);
  }
  /// Planes are tuned up to the mask of this step.
  void tune_to(std::size_t end) {
    for (; tuned_ < std::min(end, masks_.size()); ++tuned_) {
      tunes_.push_back(node_.start_tune(static_cast<std::uint8_t>(tuned_ % planes_), masks_[tuned_]));
      std::erase_if(tunes_, [](const Pending& tune) { return tune.done(); });
    }
  }

  Node& node_;
  std::size_t planes_;
  Retuning retuning_;
  const std::vector<NodeId>& masks_;
  std::size_t step_ = 0;
  std::size_t tuned_ = 0;
  std::vector<Pending> tunes_;
};

}  // namespace ecube
