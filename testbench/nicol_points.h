// SPDX-License-Identifier: Apache-2.0
// The points that Nicol & Bokhari 1994 state in their text for the iPSC/860, measured on the preset.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/test_bench.h"

namespace ecube {

/// One published statement. Without a number it either holds or does not.
struct PublishedPoint {
  std::string statement;
  std::string unit;
  std::optional<double> published;
  std::optional<double> measured;
  bool holds = true;  ///< of statements without a number

  /// (measured - published) / published, in percent.
  [[nodiscard]] std::optional<double> distance_percent() const {
    if (!published || !measured) return std::nullopt;
    return 100 * (*measured / *published - 1);
  }
};

/// Measures all points on the preset ipsc860; crossings are bisected to a byte. Some hundred runs of d = 5 and 6.
[[nodiscard]] std::vector<PublishedPoint> measure_nicol_points(TestBench& bench);

}  // namespace ecube
