// SPDX-License-Identifier: Apache-2.0
// The causes of a loop's cycles, each of which counts once (hw/node/README.md, N14).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "models/machine/cube.h"

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
  [[nodiscard]] Cycles total() const;
  /// `cycles` cycles in the same proportions, whole numbers whose sum is `cycles`. If there are no proportions, all are
  /// issue.
  [[nodiscard]] LoopTimes scaled_to(Cycles cycles) const;
  LoopTimes& operator+=(const LoopTimes& other);
  friend bool operator==(const LoopTimes&, const LoopTimes&) = default;
};

}  // namespace ecube::node
