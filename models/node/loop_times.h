// SPDX-License-Identifier: Apache-2.0
// The causes of a loop's cycles, each of which counts once (hw/node/README.md, N14).
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "models/machine/cube.h"
#include "models/machine/ratio.h"

namespace ecube::node {

/// The cause of a cycle of a loop.
enum class LoopTime : std::uint8_t {
  issue,      ///< an operation issues, or takes the core
  load_miss,  ///< the core waits while a read has its transfers: a fill, a walk, an uncached or pipelined load, a word
  page_miss,  ///< the same while its page of the DRAM is opened
  bus,        ///< a read waits for the bus, or an access for a write buffer
  fifo,       ///< the FIFO has no room, or no word
  operand,    ///< a result of the core or of a hit is not ready yet
  drain       ///< all operations have taken their cycles; writes and loads end
};
inline constexpr std::array<std::string_view, 7> loop_time_names{"issue",     "load_miss", "page_miss", "bus",
                                                                 "fifo_full", "operand",   "drain"};

/// Cycles by cause.
struct LoopTimes {
  std::array<Cycles, loop_time_names.size()> cycles{};

  [[nodiscard]] Cycles& operator[](LoopTime what) { return cycles[static_cast<std::size_t>(what)]; }
  [[nodiscard]] Cycles operator[](LoopTime what) const { return cycles[static_cast<std::size_t>(what)]; }
  [[nodiscard]] Cycles total() const { return std::accumulate(cycles.begin(), cycles.end(), Cycles{0}); }
  /// `cycles` cycles in the same proportions, whole numbers whose sum is `cycles`. If there are no proportions, all are
  /// issue.
  [[nodiscard]] LoopTimes scaled_to(Cycles cycles) const;
  LoopTimes& operator+=(const LoopTimes& other) {
    for (std::size_t i = 0; i < cycles.size(); ++i) cycles[i] += other.cycles[i];
    return *this;
  }
  friend bool operator==(const LoopTimes&, const LoopTimes&) = default;
};

inline LoopTimes LoopTimes::scaled_to(Cycles wanted) const {
  const Cycles all = total();
  if (all == wanted) return *this;
  LoopTimes scaled;
  if (all == 0) {
    scaled[LoopTime::issue] = wanted;
    return scaled;
  }
  // Differences of rounded sums up to each share: their sum is exact, and none is more than a cycle off.
  Cycles up_to = 0;
  Cycles given = 0;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    up_to += cycles[i];
    const auto share = static_cast<Cycles>(UInt128{up_to} * wanted / all);
    scaled.cycles[i] = share - given;
    given = share;
  }
  return scaled;
}

}  // namespace ecube::node
