// SPDX-License-Identifier: Apache-2.0
// The columns of results: values of axes as numbers in one unit, figures, and derived columns with what their
// expressions may contain.
#pragma once

#include <array>
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

inline constexpr std::array<std::string_view, 38> derived_functions{
    "abs",   "acos",  "asin",   "atan",   "atan2",  "ceil",   "ceiling", "coalesce", "cos",   "cosh",
    "exp",   "floor", "ifnull", "iif",    "instr",  "length", "ln",      "log",      "log10", "log2",
    "lower", "max",   "min",    "mod",    "nullif", "pi",     "pow",     "power",    "round", "sign",
    "sin",   "sinh",  "sqrt",   "substr", "tan",    "tanh",   "trunc",   "upper"};

/// InputError, with the place, unless every derived column has a name of its own and is one expression of `columns`,
/// numbers, texts, operators and derived_functions. Such an expression reads its own row and nothing else, cannot end
/// the surrounding SQL, and takes a bounded number of steps. Studies and stores may come from strangers: SQLite
/// compiles every expression under an authorizer first, in a database of one table with no rows.
void check_derived(const std::vector<DerivedColumn>& derived, const std::vector<std::string>& columns);

[[nodiscard]] std::vector<std::string> result_columns(const std::vector<AxisScale>& axes);

/// The query that gives the rows. InputError when a derived column is not one harmless expression of the others.
[[nodiscard]] std::string results_query(const std::vector<AxisScale>& axes, const std::vector<DerivedColumn>& derived);

}  // namespace ecube
