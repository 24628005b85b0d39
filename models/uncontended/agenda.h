// SPDX-License-Identifier: Apache-2.0
// Due work, in order of service.
#pragma once

#include <cmath>
#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

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
    std::uint32_t place = 0;
    if (free_.empty()) {
      place = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({at, rank, what});
    } else {
      place = free_.back();
      free_.pop_back();
      entries_[place] = {at, rank, what};
    }
    turns_.push({moment_of(at), rank, order, number_++, place});
  }
  [[nodiscard]] bool empty() const { return turns_.empty(); }
  [[nodiscard]] Time first_time() const { return entries_[turns_.top().place].at; }
  [[nodiscard]] Entry take() {
    const std::uint32_t place = turns_.top().place;
    turns_.pop();
    free_.push_back(place);
    return entries_[place];
  }

 private:
  struct Turn {
    Time moment{};
    Rank rank = Rank::left;
    std::uint64_t order = 0;
    std::uint64_t number = 0;
    std::uint32_t place = 0;  ///< of the entry

    bool operator<(const Turn& other) const {  // the first is on top
      if (moment != other.moment) return moment > other.moment;
      return std::tie(rank, order, number) > std::tie(other.rank, other.order, other.number);
    }
  };

  std::priority_queue<Turn> turns_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::uint64_t number_ = 0;
};

}  // namespace ecube::uncontended
