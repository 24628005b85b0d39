// SPDX-License-Identifier: Apache-2.0
// Checks, and grids as text.
#include "testbench/reproduction/figure.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ecube {

bool Reproduction::pass() const {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.holds; });
}

std::string Reproduction::conclusion() const {
  if (pass()) return verdict;
  std::string failed = "differs:";
  for (const Check& check : checks) {
    if (!check.holds) failed += fmt::format(" \"{}\" does not hold;", check.statement);
  }
  failed.back() = '.';
  return failed;
}

namespace {

std::string with_unit(double number, std::string_view unit) {
  return fmt::format("{:.6g}{}{}", number, unit.empty() ? "" : " ", unit);
}

double percent_from(double published, double reached) {
  return published == 0 ? 100 * reached : 100 * (reached / published - 1);
}

}  // namespace

Check within(std::string statement, double published, double reached, double tolerance_percent, std::string_view unit) {
  const double off = percent_from(published, reached);
  return {.statement = std::move(statement),
          .published = with_unit(published, unit),
          .reached = with_unit(reached, unit),
          .holds = std::abs(off) <= tolerance_percent,
          .distance_percent = off};
}

Check distance(std::string statement, double published, double reached, std::string_view unit) {
  Check check = within(std::move(statement), published, reached, 0, unit);
  check.holds = true;
  return check;
}

Check statement(std::string text, bool holds, std::string reached) {
  return {.statement = std::move(text), .reached = std::move(reached), .holds = holds};
}

void print_grid(const Grid& grid) {
  std::size_t first = grid.corner.size();
  for (const std::string& row : grid.rows) first = std::max(first, row.size());
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < grid.columns.size(); ++column) {
    std::size_t width = grid.columns[column].size();
    for (const auto& row : grid.cells) width = std::max(width, row[column].text.size());
    widths.push_back(width);
  }
  const auto print_row = [&](const std::string& name, const auto& text_of) {
    std::string line = fmt::format("  {:<{}}", name, first);
    for (std::size_t column = 0; column < widths.size(); ++column) {
      line += fmt::format("  {:<{}}", text_of(column), widths[column]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  };
  fmt::print("{}\n", grid.title);
  print_row(grid.corner, [&](std::size_t column) { return grid.columns[column]; });
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    print_row(grid.rows[row], [&](std::size_t column) { return grid.cells[row][column].text; });
  }
  fmt::print("\n");
}

}  // namespace ecube
