// SPDX-License-Identifier: Apache-2.0
// Cost parameters measured back from the machine by micro-benchmarks.
#pragma once

#include "hw/cube.h"
#include "models/exchange_cost.h"
#include "models/fit.h"

namespace ecube {

struct Calibration {
  MessageFit message;
  double rho_us_per_byte = 0;
  double barrier_us_per_dim = 0;

  /// Parameters of the exchange equation for a cube of dimension `dim`.
  [[nodiscard]] ExchangeParameters exchange(unsigned dim) const;
};

/// Dimension the micro-benchmarks use: the least with three distances.
inline constexpr unsigned calibration_dim = 3;

/// Runs ping-pong over sizes and distances, a permutation and a barrier on `cube` (elaborated for calibration_dim at
/// least), without jitter, and fits. Resets the cube.
[[nodiscard]] Calibration calibrate(Cube& cube, const Machine& machine);

}  // namespace ecube
