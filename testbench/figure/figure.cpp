// SPDX-License-Identifier: Apache-2.0
// Grids as text.
#include "testbench/figure/figure.h"

#include <fmt/core.h>

#include <algorithm>

namespace ecube {

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
