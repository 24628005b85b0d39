// SPDX-License-Identifier: Apache-2.0
// Shuffles counted and timed on a machine.
#pragma once

#include <string_view>

#include "testbench/reproduction/results.h"

namespace ecube {

/// Element exchanges and start-ups in sequence.
struct Counts {
  std::uint64_t steps = 0;
  std::uint64_t startups = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

inline void spoil(Counts& counts, std::string_view how) {
  spoil(counts.steps, how);
  spoil(counts.startups, how);
}

[[nodiscard]] constexpr std::uint64_t over(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// A row of the paper's tables.
struct ShuffleAlgorithm {
  std::string_view name;
  bool one_port = false;
  MixedAlgorithm mixed = MixedAlgorithm::one_port;
  RealAlgorithm real = RealAlgorithm::a1;
  ShuffleMethod method = ShuffleMethod::constituents;

  [[nodiscard]] ShuffleWorkload workload(const DimensionPermutation& permutation, std::uint64_t elements,
                                         std::uint64_t packet = 1) const {
    return {.permutation = permutation,
            .elements = elements,
            .method = method,
            .mixed = mixed,
            .real = real,
            .packet = static_cast<std::uint32_t>(packet),
            .ports = {one_port ? 1 : Ports::n}};
  }
};

/// Measures shuffles on a machine, and keeps the distance of their times from steps and start-ups times the fitted cost
/// of each.
class Counted {
 public:
  explicit Counted(MeasuredMachine machine) : machine_(std::move(machine)) {}

  Counts count(const DimensionPermutation& permutation, std::uint64_t elements, const ShuffleAlgorithm& by,
               std::uint64_t packet = 1) {
    const ShuffleWorkload workload = by.workload(permutation, elements, packet);
    const ShuffleMeasurement measured = machine_.shuffle(permutation.real_order(), workload);
    us_ = judged(measured.run.result.us, "time of {} elements", elements);
    MeasuredMachine other = machine_.with([&](Machine& m) { m.node.ports = workload.ports; });
    const ShuffleParameters cost = other.calibration().shuffle(element_bytes, workload.packet);
    const double predicted = static_cast<double>(measured.counted.startups) * cost.tau_us +
                             static_cast<double>(measured.counted.steps) * cost.tc_us_per_element;
    furthest_.add(us_, predicted);
    return judged(Counts{measured.counted.steps, measured.counted.startups}, "counts, {}", by.name);
  }
  /// Of the last run.
  [[nodiscard]] double us() const { return us_; }
  /// Adds the statements of a result, then how far all times were off.
  void add_to(Findings& result) const {
    result.add_statements();
    result.within("fitted_costs", furthest_);
  }

 private:
  MeasuredMachine machine_;
  double us_ = 0;
  Furthest furthest_;
};

/// Mixed constituents of the given orders, each with a storage dimension of its own, or real ones.
[[nodiscard]] inline DimensionPermutation constituents(std::span<const unsigned> orders, bool mixed = true) {
  std::vector<DimensionPermutation::Cycle> cycles;
  unsigned first = 0;
  for (unsigned j = 0; j < orders.size(); ++j) {
    DimensionPermutation::Cycle& cycle = cycles.emplace_back();
    for (unsigned i = orders[j]; i-- > 0;) cycle.push_back({.storage = false, .bit = first + i});
    if (mixed) cycle.push_back({.storage = true, .bit = j});
    first += orders[j];
  }
  return {cycles, {}};
}

/// `count` real constituents of one order.
[[nodiscard]] inline DimensionPermutation real_constituents(unsigned order, unsigned count) {
  return constituents(std::vector<unsigned>(count, order), false);
}

}  // namespace ecube
