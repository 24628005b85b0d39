// SPDX-License-Identifier: Apache-2.0
// Shuffles counted and timed on a preset, and how many points a formula has right.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "testbench/reproduction/figure.h"
#include "testbench/reproduction/measured_machine.h"

namespace ecube {

/// Element exchanges and start-ups in sequence.
struct Counts {
  std::uint64_t steps = 0;
  std::uint64_t startups = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

[[nodiscard]] constexpr std::uint64_t over(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Measures shuffles on a preset and keeps how far their times are from steps and start-ups with the fitted cost of
/// each.
class Counted {
 public:
  Counted(TestBench& bench, std::string_view preset) : machine_(bench, preset) {}

  Counts count(unsigned dim, const ShuffleWorkload& workload) {
    const ShuffleMeasurement measured = machine_.shuffle(dim, workload);
    us_ = measured.run.result.us;
    Machine machine = machine_.machine();
    machine.node.ports = workload.ports;
    MeasuredMachine own = machine_;
    own.machine() = machine;
    const ShuffleParameters cost =
        own.calibration().shuffle(static_cast<std::uint32_t>(element_bytes), workload.packet);
    const double predicted = static_cast<double>(measured.counted.startups) * cost.tau_us +
                             static_cast<double>(measured.counted.steps) * cost.tc_us_per_element;
    worst_percent_ = std::max(worst_percent_, std::abs(us_ / predicted - 1) * 100);
    return {measured.counted.steps, measured.counted.startups};
  }
  /// Of the last run.
  [[nodiscard]] double us() const { return us_; }
  [[nodiscard]] Check times() const {
    return statement("machine: every time is start-ups and steps times their fitted costs", worst_percent_ < 0.1,
                     fmt::format("furthest off {:.2g} %", worst_percent_));
  }

 private:
  MeasuredMachine machine_;
  double us_ = 0;
  double worst_percent_ = 0;
};

[[nodiscard]] inline ShuffleWorkload workload_of(const DimensionPermutation& permutation, std::uint64_t elements,
                                                 bool one_port) {
  ShuffleWorkload workload;
  workload.permutation = permutation;
  workload.elements = elements;
  workload.ports.engines = one_port ? 1 : Ports::n;
  return workload;
}

/// How many of the points counted on the machine a formula has right.
struct Tally {
  std::size_t points = 0;
  std::size_t right = 0;
  std::string first_wrong{};

  void add(bool equal, const std::string& where) {
    ++points;
    right += equal ? 1 : 0;
    if (!equal && first_wrong.empty()) first_wrong = where;
  }
  [[nodiscard]] Check check(const std::string& what) const {
    Check check = statement(what, right == points, fmt::format("{} of {} points", right, points));
    if (!first_wrong.empty()) check.reached += ", not at " + first_wrong;
    return check;
  }
};

}  // namespace ecube
