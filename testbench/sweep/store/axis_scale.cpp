// SPDX-License-Identifier: Apache-2.0
// Units of axis values.
#include "testbench/sweep/store/axis_scale.h"

#include <array>

#include "models/machine/quantity.h"

namespace ecube {

namespace {

struct Unit {
  std::string_view spelled;
  std::string_view unit;
  double factor;
};

// As models/machine/quantity.h has them: sizes are counted in powers of 1,024, rates in powers of 1,000.
constexpr double kib = 1024;
constexpr std::array<Unit, 33> units{{
    {"", "", 1},
    {"cycles", "cycles", 1},
    {"cycle", "cycles", 1},
    {"ns", "us", 1e-3},
    {"us", "us", 1},
    {"ms", "us", 1e3},
    {"s", "us", 1e6},
    {"B", "B", 1},
    {"KB", "B", kib},
    {"KiB", "B", kib},
    {"MB", "B", kib* kib},
    {"MiB", "B", kib* kib},
    {"GB", "B", kib* kib* kib},
    {"GiB", "B", kib* kib* kib},
    {"Hz", "MHz", 1e-6},
    {"kHz", "MHz", 1e-3},
    {"MHz", "MHz", 1},
    {"GHz", "MHz", 1e3},
    {"B/s", "MB/s", 1e-6},
    {"kB/s", "MB/s", 1e-3},
    {"KB/s", "MB/s", 1e-3},
    {"MB/s", "MB/s", 1},
    {"GB/s", "MB/s", 1e3},
    {"cycles/byte", "cycles/byte", 1},
    {"cycle/byte", "cycles/byte", 1},
    {"ns/byte", "us/byte", 1e-3},
    {"us/byte", "us/byte", 1},
    {"ms/byte", "us/byte", 1e3},
    {"cycles/item", "cycles/item", 1},
    {"cycle/item", "cycles/item", 1},
    {"ns/item", "us/item", 1e-3},
    {"us/item", "us/item", 1},
    {"ms/item", "us/item", 1e3},
}};

}  // namespace

std::optional<ScaledValue> scaled(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const std::size_t digits = text.find_last_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  std::string_view unit = text.substr(digits + 1);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  const Parsed<Ratio> number = parse_ratio(text.substr(0, digits + 1));
  if (!number) return std::nullopt;
  for (const Unit& known : units) {
    if (known.spelled != unit) continue;
    return ScaledValue{(*number).value() * known.factor, known.unit};
  }
  return std::nullopt;
}

std::vector<AxisScale> axis_scales(const Study& study) {
  std::vector<AxisScale> result;
  for (const StudyAxis& axis : study.axes) {
    for (std::size_t key = 0; key < axis.keys.size(); ++key) {
      AxisScale scale{.key = axis.keys[key]};
      scale.numeric = axis.kind == StudyAxis::Kind::listed;
      for (std::size_t place = 0; scale.numeric && place < axis.values.size(); ++place) {
        const std::optional<ScaledValue> value = scaled(axis.values[place][key]);
        if (place == 0 && value) scale.unit = value->unit;
        scale.numeric = value && value->unit == scale.unit;
      }
      // "0011" is a strategy, not eleven.
      if (scale.unit.empty() && key < axis.quoted.size() && axis.quoted[key]) scale.numeric = false;
      if (!scale.numeric) scale.unit.clear();
      result.push_back(std::move(scale));
    }
  }
  return result;
}

}  // namespace ecube
