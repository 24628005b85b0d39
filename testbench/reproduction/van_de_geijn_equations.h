// SPDX-License-Identifier: Apache-2.0
// van de Geijn 1991: the times of the combine's versions as printed, written here so that no check compares models/
// with itself.
#pragma once

#include <cmath>

#include "testbench/reproduction/judged.h"

namespace ecube::van_de_geijn {

/// Times by n items and d dimensions.
struct Rates {
  double alpha = 0;
  double beta = 0;
  double gamma = 0;

  [[nodiscard]] double version_1(double n, unsigned d) const {
    return judged(2 * d * (alpha + n * beta) + d * n * gamma, "time of Version 1");
  }
  [[nodiscard]] double version_2(double n, unsigned d) const {
    return judged(d * (alpha + n * beta + n * gamma), "time of Version 2");
  }
  [[nodiscard]] double version_3(double n, unsigned d) const {
    return judged(2 * d * alpha + (1 - 1 / std::exp2(d)) * n * (2 * beta + gamma), "time of Version 3");
  }
  /// The hybrid, with full vectors in k directions.
  [[nodiscard]] double corollary_4(double n, unsigned d, unsigned k) const {
    const double left = std::exp2(k) / std::exp2(d);
    return judged(2 * (d - k) * alpha + (1 - left) * n * (2 * beta + gamma) + k * (alpha + left * n * (beta + gamma)),
                  "time by Corollary 4");
  }
};

}  // namespace ecube::van_de_geijn
