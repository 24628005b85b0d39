// SPDX-License-Identifier: Apache-2.0
// Grids and charts as text, CSV and JSON.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "testbench/figure/figure.h"
#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"

namespace ecube {

namespace {

std::string_view word_of(SeriesKind kind) {
  return std::array{"predicted", "measured", "published", "for orientation"}[static_cast<std::size_t>(kind)];
}

void append_csv(std::string& csv, const Chart& chart) {
  csv += fmt::format("panel,series,kind,{},{}\n", csv_field(chart.x.label), csv_field(chart.y.label));
  for (const Series& series : chart.series) {
    for (const auto& [x, y] : series.points) {
      csv += fmt::format("{},{},{},{:.12g},{:.12g}\n", csv_field(chart.title), csv_field(series.name),
                         word_of(series.kind), x, y);
    }
  }
}

void append_csv(std::string& csv, const Grid& grid) {
  csv += fmt::format("panel,{},column,entry\n", grid.corner.empty() ? "row" : csv_field(grid.corner));
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    for (std::size_t column = 0; column < grid.columns.size(); ++column) {
      csv += fmt::format("{},{},{},{}\n", csv_field(grid.title), csv_field(grid.rows[row]),
                         csv_field(grid.columns[column]), csv_field(grid.cells[row][column].text));
    }
  }
}

Json json_of(const Axis& axis) {
  Json json = {{"label", axis.label}, {"logarithmic", axis.logarithmic}};
  if (axis.least) json["least"] = *axis.least;
  if (axis.most) json["most"] = *axis.most;
  return json;
}

Json json_of(const Chart& chart) {
  const auto series = json_list(chart.series, [](const Series& one) -> Json {
    return {{"name", one.name}, {"kind", word_of(one.kind)}, {"colour", one.colour}, {"points", one.points}};
  });
  return {{"title", chart.title}, {"x", json_of(chart.x)}, {"y", json_of(chart.y)}, {"series", series}};
}

Json json_of(const Grid& grid) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    Json cells = Json::array();
    for (const Cell& cell : grid.cells[row]) {
      cells.push_back({{"text", cell.text}});
      if (cell.colour) cells.back()["colour"] = *cell.colour;
    }
    rows.push_back({{"name", grid.rows[row]}, {"cells", cells}});
  }
  return {{"title", grid.title}, {"corner", grid.corner}, {"columns", grid.columns}, {"rows", rows}};
}

}  // namespace

std::string csv_of(const Panels& panels) {
  std::string csv;
  std::size_t kind = ~std::size_t{0};
  for (const auto& panel : panels) {
    // One header line for panels of one kind with the same axes: a table that any program can read.
    std::string text;
    std::visit([&](const auto& one) { append_csv(text, one); }, panel);
    const std::size_t header = text.find('\n') + 1;
    const bool same = kind == panel.index() && csv.starts_with(text.substr(0, header));
    kind = panel.index();
    csv += same ? text.substr(header) : (csv.empty() ? "" : "\n") + text;
  }
  return csv;
}

Json panels_json(const Panels& panels) {
  return json_list(panels,
                   [](const auto& panel) { return std::visit([](const auto& one) { return json_of(one); }, panel); });
}

void print_grid(const Grid& grid) {
  std::vector<std::vector<std::string>> lines = {{grid.corner}};
  lines.front().insert(lines.front().end(), grid.columns.begin(), grid.columns.end());
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    std::vector<std::string>& line = lines.emplace_back(1, grid.rows[row]);
    for (std::size_t column = 0; column < grid.columns.size(); ++column) line.push_back(grid.cells[row][column].text);
  }
  std::vector<std::size_t> widths(1 + grid.columns.size());
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  fmt::print("{}\n", grid.title);
  for (const std::vector<std::string>& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) text += fmt::format("  {:<{}}", line[i], widths[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  }
  fmt::print("\n");
}

}  // namespace ecube
