// SPDX-License-Identifier: Apache-2.0
// From members of JSON objects to columns.
#include "testbench/sweep/store/results_view.h"

#include <fmt/core.h>

#include <array>

#include "testbench/run/figures.h"
#include "testbench/sweep/store/derived_columns.h"

namespace ecube {

namespace {

constexpr std::array<std::string_view, 5> of_the_point{"number", "id", "seed", "repetition", "wall_s"};

}  // namespace

std::vector<std::string> result_columns(const std::vector<AxisScale>& axes) {
  std::vector<std::string> names(of_the_point.begin(), of_the_point.end());
  for (const AxisScale& axis : axes) names.push_back(axis.key);
  for (const Figure& figure : figures()) names.emplace_back(figure.column);
  return names;
}

std::string results_query(const std::vector<AxisScale>& axes, const std::vector<DerivedColumn>& derived) {
  std::string columns = "number, id, seed, repetition, wall_s";
  for (const AxisScale& axis : axes) {
    columns += fmt::format(", json_extract(axis, '$.\"{}\"') AS {}", axis.key, sql_name(axis.key));
  }
  for (const Figure& figure : figures()) {
    columns += fmt::format(", json_extract(result, '$.{}') AS {}", figure.member, figure.column);
  }
  const std::string rows = fmt::format(" FROM (SELECT {} FROM points WHERE status = 'done')", columns);
  check_derived(derived, result_columns(axes));
  std::string all = "*";
  for (const DerivedColumn& column : derived) {
    all += fmt::format(", (\n{}\n) AS {}", column.expression, sql_name(column.name));
  }
  return fmt::format("SELECT {}{}", all, rows);
}

}  // namespace ecube
