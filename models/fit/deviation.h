// SPDX-License-Identifier: Apache-2.0
// The deviation of a measurement from its prediction.
#pragma once

#include <cmath>

namespace ecube {

/// 100 (measured - predicted) / predicted, in percent; 0 where the two differ by no more than the rounding of sums of
/// doubles. Not a number, or infinite, where `predicted` is 0.
[[nodiscard]] inline double deviation_percent(double measured, double predicted) {
  constexpr double rounding = 1e-10;
  const double percent = 100.0 * (measured - predicted) / predicted;
  return std::abs(percent) < rounding ? 0 : percent;
}

}  // namespace ecube
