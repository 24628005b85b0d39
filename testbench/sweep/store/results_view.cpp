// SPDX-License-Identifier: Apache-2.0
// From members of JSON objects to columns.
#include "testbench/sweep/store/results_view.h"

#include <fmt/core.h>
#include <sqlite3.h>

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

std::string quoted_name(std::string_view name) {
  std::string result = "\"";
  for (const char c : name) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

/// Compiles one statement, with nothing behind it. The words have been checked before; this finds wrong grammar and
/// wrong numbers of arguments.
void compile(StoreDatabase& database, const std::string& statement, const DerivedColumn& column) {
  sqlite3* const handle = database.sql().getHandle();
  sqlite3_stmt* compiled = nullptr;
  const char* rest = nullptr;
  const int problem =
      sqlite3_prepare_v3(handle, statement.c_str(), static_cast<int>(statement.size()) + 1, 0, &compiled, &rest);
  const std::string why = problem == SQLITE_OK ? "it is more than one statement" : sqlite3_errmsg(handle);
  const bool one = problem == SQLITE_OK && compiled != nullptr && *rest == '\0';
  sqlite3_finalize(compiled);
  if (one) return;
  throw ErrorText(fmt::format("the derived column {} is no SQL expression: {}", ecube::quoted(column.name), why))
      .at(column.place, "as us_per_byte = \"measured_us / bytes\"; names with points in [brackets]")
      .error();
}

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
    columns += fmt::format(", json_extract(axis, '$.\"{}\"') AS {}", axis.key, quoted_name(axis.key));
  }
  for (const auto& [name, path] : measures) columns += fmt::format(", json_extract(result, '{}') AS {}", path, name);
  const std::string rows = fmt::format(" FROM (SELECT {} FROM points WHERE status = 'done')", columns);
  check_derived(derived, result_columns(axes));
  std::string all = "*";
  StoreDatabase tables;
  tables.only_read();
  for (const DerivedColumn& column : derived) {
    compile(tables, fmt::format("SELECT ({}){}", column.expression, rows), column);
    all += fmt::format(", ({}) AS {}", column.expression, quoted_name(column.name));
  }
  return fmt::format("SELECT {}{}", all, rows);
}

}  // namespace ecube
