// SPDX-License-Identifier: Apache-2.0
// How far off the equations are, over block size, dimension and jitter.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/figure/figure.h"
#include "testbench/validation/validation.h"

namespace ecube {

/// A mapped equation, on a machine. Sizes are of a block, a vector or a node's elements, in `unit`.
struct MappedEquation {
  std::string_view workload;  ///< exchange, combine or shuffle
  std::string_view preset;
  std::string_view unit;
  std::string_view what;  ///< the algorithm that runs
  std::string_view run;   ///< its options, the last of which takes the size
  std::span<const std::uint64_t> sizes;
};

/// Exchange, combine and shuffle, each on the ideal machine and on one that was built.
[[nodiscard]] std::span<const MappedEquation> mapped_equations();

/// Dimensions and jitters of the map, and the seeds of a cell: several with jitter, one without.
inline constexpr unsigned map_dims[] = {2, 4, 6, 8};
inline constexpr double map_jitters_us[] = {0, 0.1, 1, 5, 20, 100};
inline constexpr std::uint64_t map_seeds = 5;

/// How far off: the absolute value of the median error in percent is at most 1, 5 or 20, or above; stalled where more
/// than half of the seeds did not finish.
enum class ErrorBin : std::uint8_t { one, five, twenty, above, stalled };

[[nodiscard]] ErrorBin bin_of(const ErrorSpread& spread);
/// "<= 1 %", "<= 5 %", "<= 20 %", "> 20 %", "stalled".
[[nodiscard]] std::string_view words_of(ErrorBin bin);

struct MapCell {
  const MappedEquation* equation = nullptr;
  unsigned dim = 0;
  std::uint64_t size = 0;
  double jitter_us = 0;
  std::string run;  ///< of seed 1
  ErrorSpread spread{};
};

/// The cells of an equation in one dimension, by jitter, then by size.
[[nodiscard]] std::vector<MapCell> map_cells(const ValidationSetup& setup, const MappedEquation& equation,
                                             unsigned dim);

/// The map as panels, one for each equation and dimension, and a legend of the colours.
[[nodiscard]] Reproduction error_map(const std::vector<MapCell>& cells);

/// The map as CSV, a line for each cell.
[[nodiscard]] std::string map_text(const std::vector<MapCell>& cells);

}  // namespace ecube
