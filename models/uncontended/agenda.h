// SPDX-License-Identifier: Apache-2.0
// Due work, in order of service.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

#include "models/machine/cube.h"

namespace ecube::uncontended {

/// A time whose sums are exact in any order.
using Picoseconds = std::int64_t;

/// Whether two times are the same moment. Microseconds that differ by less than a picosecond are the same sum, rounded
/// in another order.
[[nodiscard]] constexpr Cycles moment_of(Cycles cycles) { return cycles; }
[[nodiscard]] constexpr Picoseconds moment_of(Picoseconds time) { return time; }
[[nodiscard]] inline double moment_of(double us) { return std::round(us * 1e6); }

/// The order of service at one moment (hw/README.md sections 4.4 and 8): circuits that have left their node and free
/// their engines and ports; arrivals, whose receipts are due; receipts and then computation that end; programs that
/// continue; requests of the programs.
enum class Rank : std::uint8_t { left, arrival, receipt, computation, program, request };

/// Entries by moment, rank and order; those that are equal in all three as they were added.
template <class Time, class What>
class Agenda {
 public:
  struct Entry {
    Time at{};
    Rank rank = Rank::left;
    What what{};
  };

  void add(Time at, Rank rank, std::uint64_t order, const What& what) {
    entries_.emplace(std::tuple(moment_of(at), rank, order), Entry{at, rank, what});
  }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] Time first_time() const { return entries_.begin()->second.at; }
  [[nodiscard]] Entry take() { return entries_.extract(entries_.begin()).mapped(); }

 private:
  std::multimap<std::tuple<Time, Rank, std::uint64_t>, Entry> entries_;
};

}  // namespace ecube::uncontended
