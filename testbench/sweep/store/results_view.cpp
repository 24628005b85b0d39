// SPDX-License-Identifier: Apache-2.0
// From members of JSON objects to columns.
#include "testbench/sweep/store/results_view.h"

#include <fmt/core.h>

#include <array>

#include "testbench/sweep/store/derived_columns.h"

namespace ecube {

namespace {

constexpr std::array<std::string_view, 5> of_the_point{"number", "id", "seed", "repetition", "wall_s"};

/// Columns of the view, and where they are in the JSON object of a run.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> measures{{
    {"measured_cycles", "$.measured.cycles"},
    {"measured_us", "$.measured.us"},
    {"predicted_us", "$.predicted.us"},
    {"error_percent", "$.error_percent"},
    {"circuits", "$.network.circuits"},
    {"payload_bytes", "$.network.payload_bytes"},
    {"blocked_circuits", "$.network.blocked_circuits"},
    {"blocked_cycles", "$.network.blocked_cycles"},
    {"port_blocked_cycles", "$.network.port_blocked_cycles"},
    {"serialised_circuits", "$.network.serialised_circuits"},
    {"lost_messages", "$.network.lost_messages"},
    {"utilisation_mean", "$.network.utilisation_mean"},
    {"utilisation_max", "$.network.utilisation_max"},
    {"verified", "$.verified"},
}};

}  // namespace

std::vector<std::string> result_columns(const std::vector<AxisScale>& axes) {
  std::vector<std::string> names(of_the_point.begin(), of_the_point.end());
  for (const AxisScale& axis : axes) names.push_back(axis.key);
  for (const auto& [name, path] : measures) names.emplace_back(name);
  return names;
}

std::string results_query(const std::vector<AxisScale>& axes, const std::vector<DerivedColumn>& derived) {
  std::string columns = "number, id, seed, repetition, wall_s";
  for (const AxisScale& axis : axes) {
    columns += fmt::format(", json_extract(axis, '$.\"{}\"') AS {}", axis.key, sql_name(axis.key));
  }
  for (const auto& [name, path] : measures) columns += fmt::format(", json_extract(result, '{}') AS {}", path, name);
  const std::string rows = fmt::format(" FROM (SELECT {} FROM points WHERE status = 'done')", columns);
  check_derived(derived, result_columns(axes));
  std::string all = "*";
  for (const DerivedColumn& column : derived) {
    all += fmt::format(", (\n{}\n) AS {}", column.expression, sql_name(column.name));
  }
  return fmt::format("SELECT {}{}", all, rows);
}

}  // namespace ecube
