// SPDX-License-Identifier: Apache-2.0
// The formula, and the table of its values.
#include "sw/traffic/geometric_gaps.h"

#include <cmath>

namespace ecube {

GeometricGaps::GeometricGaps(double probability, std::uint64_t draws) : pieces_(pieces) {
  if (probability < 1.0) log_of_failure_ = std::log1p(-probability);
  if (draws < worth_it) return;
  const auto gap_at = [this](std::uint64_t place) { return by_formula(place << 11); };
  for (std::uint64_t i = 0; i < pieces; ++i) {
    // Gaps become shorter as u grows. The logarithm of the next u differs by more than the rounding of both: the change
    // is at one place.
    std::uint64_t longer = i << piece_bits;
    std::uint64_t shorter = longer + (std::uint64_t{1} << piece_bits) - 1;
    const Cycles gap = gap_at(longer);
    const Cycles last = gap_at(shorter);
    if (gap == last) {
      pieces_[i] = {.shorter_from = ~std::uint64_t{0}, .gap = gap};
    } else if (gap == last + 1) {
      while (shorter - longer > 1) {
        const std::uint64_t middle = longer + (shorter - longer) / 2;
        (gap_at(middle) == gap ? longer : shorter) = middle;
      }
      pieces_[i] = {.shorter_from = shorter, .gap = gap};
    }
  }
}

Cycles GeometricGaps::by_formula(std::uint64_t random) const {
  if (log_of_failure_ == 0) return 1;
  const double uniform = (static_cast<double>(random >> 11) + 0.5) * 0x1p-53;
  return 1 + static_cast<Cycles>(std::log(uniform) / log_of_failure_);
}

}  // namespace ecube
