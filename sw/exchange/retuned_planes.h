// SPDX-License-Identifier: Apache-2.0
// The planes of a node, tuned to one mask after the other.
#pragma once

#include <algorithm>
#include <optional>
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
      : node_(node), retuning_(retuning), masks_(masks), tunes_(planes) {
    tune();
  }

  [[nodiscard]] std::uint8_t plane() const { return static_cast<std::uint8_t>(step_ % tunes_.size()); }
  /// The step has been done. `last`: of its phase, so that a permutation follows.
  void step_done(bool last) {
    ++step_;
    if (retuning_ == Retuning::each || ((!last || retuning_ == Retuning::together) && begins_set())) tune();
  }
  void permuted() {
    if (retuning_ == Retuning::after && begins_set()) tune();
  }

 private:
  [[nodiscard]] bool begins_set() const { return step_ % tunes_.size() == 0; }
  /// Each plane to the mask that it is used for next: its last one has been used, so that its last tune is complete.
  void tune() {
    for (; tuned_ < std::min(step_ + tunes_.size(), masks_.size()); ++tuned_) {
      const std::size_t plane = tuned_ % tunes_.size();
      tunes_[plane] = node_.start_tune(static_cast<std::uint8_t>(plane), masks_[tuned_]);
    }
  }

  Node& node_;
  Retuning retuning_;
  const std::vector<NodeId>& masks_;
  std::size_t step_ = 0;
  std::size_t tuned_ = 0;
  std::vector<std::optional<Pending>> tunes_;  ///< [plane]
};

}  // namespace ecube
