// SPDX-License-Identifier: Apache-2.0
// Barriers or clocks that keep the nodes of a collective routine together.
#pragma once

#include "sw/api/barrier.h"
#include "sw/api/phase_clock.h"

namespace ecube {

/// Where nodes wait for one another: by a barrier before every phase or every step, by clocks that agree on when phases
/// begin, or not at all.
class Pace {
 public:
  explicit Pace(Barrier barrier) : barrier_(barrier) {}

  /// When phases begin, with Barrier::clock.
  [[nodiscard]] PhaseClock& clock() { return clock_; }
  Task<> begin_phase(Node& node, std::uint16_t phase) {
    if (barrier_ == Barrier::phase) co_await barrier(node, phase);
    if (barrier_ == Barrier::clock) co_await clock_.phase(node, phase);
  }
  /// True when `barrier` comes before every step.
  [[nodiscard]] bool steps() const { return barrier_ == Barrier::step; }

 private:
  Barrier barrier_;
  PhaseClock clock_;
};

}  // namespace ecube
