// SPDX-License-Identifier: Apache-2.0
// How far a measurement is from its prediction.
#pragma once

#include <cmath>

namespace ecube {

/// 100 (measured - predicted) / predicted, in per cent; exactly 0 where the two differ by less than the rounding of sums
/// of doubles. Not a number when nothing was predicted but 0.
[[nodiscard]] inline double deviation_percent(double measured, double predicted) {
  constexpr double rounding = 1e-12;
  if (predicted == 0) return measured == 0 ? 0.0 : std::nan("");
  const double deviation = (measured - predicted) / predicted;
  return std::abs(deviation) < rounding ? 0.0 : 100.0 * deviation;
}

}  // namespace ecube
