// SPDX-License-Identifier: Apache-2.0
// The values of an axis as numbers in one unit, for tables and charts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sweep/study.h"

namespace ecube {

/// A key of an axis, and the kind of its column: numbers in a unit, plain numbers (unit empty), or text.
struct AxisScale {
  std::string key;
  bool numeric = false;
  std::string unit{};  ///< cycles, us, B, MHz, MB/s, cycles/byte, us/byte, cycles/item, us/item
  friend bool operator==(const AxisScale&, const AxisScale&) = default;
};

/// A number without a unit, or with one that is converted to the unit of its kind: "95 us" and "0.095 ms" are 95 us.
struct ScaledValue {
  double number = 0;
  std::string_view unit;
};
[[nodiscard]] std::optional<ScaledValue> scaled(std::string_view text);

/// The scales of all keys, in the order of the axes. A key is numeric when all its values are, in one unit.
[[nodiscard]] std::vector<AxisScale> axis_scales(const Study& study);

}  // namespace ecube
