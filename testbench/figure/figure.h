// SPDX-License-Identifier: Apache-2.0
// The data of a published table or figure that is done again: charts and grids.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "testbench/figure/verdict.h"

namespace ecube {

/// How a series is drawn: predictions dashed, measurements as marks, published values as a thin line or as crosses, and
/// outlines for orientation thin and grey.
enum class SeriesKind : std::uint8_t { predicted, measured, published, outline };

struct Series {
  std::string name;
  SeriesKind kind = SeriesKind::predicted;
  std::vector<std::pair<double, double>> points{};  ///< (x, y)
  unsigned colour = 0;  ///< series of one colour belong together: prediction and measurement of one algorithm
};

struct Axis {
  std::string label;  ///< with its unit
  bool logarithmic = false;
  std::optional<double> least{};
  std::optional<double> most{};
};

struct Chart {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series{};

  /// Adds a point to each of the first series, in their order.
  void add(auto at, auto... values) {
    std::size_t which = 0;
    (series[which++].points.emplace_back(at, values), ...);
  }
  /// Of a chart with a prediction and a measurement of each of several things, in this order: adds a point to both.
  void add_pair(std::size_t which, auto at, auto predicted, auto measured) {
    series[2 * which].points.emplace_back(at, predicted);
    series[2 * which + 1].points.emplace_back(at, measured);
  }
};

/// One cell of a grid, shaded by a colour of the palette or not at all.
struct Cell {
  std::string text{};
  std::optional<unsigned> colour{};
};

/// Memory locations by nodes, rows by steps, or any table.
struct Grid {
  std::string title;
  std::string corner{};  ///< heading of the rows
  std::vector<std::string> columns{};
  std::vector<std::string> rows{};
  std::vector<std::vector<Cell>> cells{};  ///< [row][column]

  /// Adds a row; its cells, none at first.
  std::vector<Cell>& add(std::string_view row) {
    rows.emplace_back(row);
    return cells.emplace_back();
  }
};

using Panels = std::vector<std::variant<Chart, Grid>>;

void print_grid(const Grid& grid);
[[nodiscard]] std::string csv_of(const Panels& panels);
/// As the report's pages draw them (testbench/report/page/results.js).
[[nodiscard]] nlohmann::ordered_json panels_json(const Panels& panels);

}  // namespace ecube
