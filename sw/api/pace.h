// SPDX-License-Identifier: Apache-2.0
// Barriers, or times that every node has computed, that keep the nodes of a collective routine together.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "sw/api/barrier.h"
#include "sw/api/node.h"

namespace ecube {

/// Where phases take a precise amount of time and all clocks agree, every node can compute when the next phase begins
/// (Bokhari 1993, section 3). A node that is late begins at once.
class PhaseClock {
 public:
  /// Begins phase i at the cycle starts[i].
  void set(std::vector<Cycles> starts) { starts_ = std::move(starts); }

  /// Does nothing until the phase begins, and notes when the node was there.
  [[nodiscard]] Awaited phase(Node& node, std::size_t index) {
    const Cycles start = starts_.at(index);
    const auto after = static_cast<std::int64_t>(node.now()) - static_cast<std::int64_t>(start);
    if (after > 0) ++late_;
    last_after_ = begun_ == 0 ? after : std::max(last_after_, after);
    ++begun_;
    return node.until(start);
  }

  /// Phases of all nodes that were begun, and how many of these were late.
  [[nodiscard]] std::uint64_t begun() const { return begun_; }
  [[nodiscard]] std::uint64_t late() const { return late_; }
  /// Cycles by which the latest of all nodes came after the start of its phase; negative if all were early.
  [[nodiscard]] std::int64_t last_after() const { return last_after_; }

 private:
  std::vector<Cycles> starts_;
  std::uint64_t begun_ = 0;
  std::uint64_t late_ = 0;
  std::int64_t last_after_ = 0;
};

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
