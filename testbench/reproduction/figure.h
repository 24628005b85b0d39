// SPDX-License-Identifier: Apache-2.0
// A published table or figure, done again: its data, its checks, its verdict.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "testbench/test_bench.h"

namespace ecube {

/// How a series is drawn: what an equation says dashed, what the machine took as marks, what is published as a thin
/// line or as crosses, and what is there for orientation thin and grey.
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
};

/// One cell of a grid, shaded by a colour of the palette or not at all.
struct Cell {
  std::string text{};
  std::optional<unsigned> colour{};
};

/// Memory locations by nodes, rows by steps, or any table.
struct Grid {
  std::string title;
  std::string corner{};  ///< what the rows are
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::vector<std::vector<Cell>> cells{};  ///< [row][column]
};

using Panel = std::variant<Chart, Grid>;

/// One statement held against what was reached.
struct Check {
  std::string statement;
  std::string published{};  ///< what the paper, or its equation, says
  std::string reached{};    ///< by calculation or on the machine
  bool holds = true;
  /// (reached - published) / published, of numbers that are reported and decide nothing.
  std::optional<double> distance_percent{};
};

struct Reproduction {
  std::vector<Panel> panels{};
  unsigned columns = 2;  ///< of panels in the picture
  std::vector<Check> checks{};
  std::string verdict{};

  [[nodiscard]] bool pass() const;
  /// The verdict, or which checks do not hold.
  [[nodiscard]] std::string conclusion() const;
};

/// A result by its id.
struct PublishedResult {
  std::string_view id;
  std::string_view what;
  Reproduction (*reproduce)(TestBench& bench);
};

/// |reached - published| <= tolerance_percent of published.
[[nodiscard]] Check within(std::string statement, double published, double reached, double tolerance_percent,
                           std::string_view unit);
/// The distance from a published number, which decides nothing.
[[nodiscard]] Check distance(std::string statement, double published, double reached, std::string_view unit);
/// A statement that holds or does not.
[[nodiscard]] Check statement(std::string text, bool holds, std::string reached = {});

/// On standard output.
void print_grid(const Grid& grid);

}  // namespace ecube
