// SPDX-License-Identifier: Apache-2.0
// CSV and gnuplot scripts.
#include "testbench/figure/files.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "testbench/system/child_process.h"
#include "testbench/text/csv.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// Colours that the colour-blind can tell apart (Okabe and Ito 2008).
constexpr std::array<std::string_view, 8> palette = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                     "#E69F00", "#56B4E9", "#7A5C00", "#000000"};
constexpr std::array<std::string_view, 8> shades = {"#CFE3F0", "#F6DCCB", "#CCECE3", "#F3DDE8",
                                                    "#FAEBCC", "#DDF0FA", "#E4DECC", "#DDDDDD"};
constexpr std::array<int, 8> marks = {7, 5, 9, 13, 11, 15, 4, 6};

void write_text(const std::string& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + path);
}

std::string_view word_of(SeriesKind kind) {
  switch (kind) {
    case SeriesKind::predicted:
      return "predicted";
    case SeriesKind::measured:
      return "measured";
    case SeriesKind::published:
      return "published";
    case SeriesKind::outline:
      break;
  }
  return "for orientation";
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

/// A string for gnuplot, between single quotes.
std::string quoted_for_gnuplot(std::string_view text) {
  std::string result = "'";
  for (const char letter : text) result += letter == '\'' ? std::string("''") : std::string(1, letter);
  return result + "'";
}

std::string range(const Axis& axis) {
  const auto side = [](const std::optional<double>& limit) { return limit ? fmt::format("{:.8g}", *limit) : "*"; };
  return fmt::format("[{}:{}]", side(axis.least), side(axis.most));
}

constexpr double panel_width = 560;
constexpr double chart_height = 430;
constexpr double cell_height = 21;
constexpr double letter_width = 8.7;  // of the widest fonts that browsers take for Helvetica, 13 points
constexpr double grid_margin = 12;
constexpr double grid_title = 46;
constexpr double chart_letter_width = 7.2;

double key_rows(const Chart& chart) {
  std::size_t widest = 1;
  for (const Series& series : chart.series) widest = std::max(widest, series.name.size());
  const double columns =
      std::max(1.0, std::floor(panel_width / (chart_letter_width * static_cast<double>(widest) + 60)));
  return std::ceil(static_cast<double>(chart.series.size()) / columns);
}

double height_of(const Panel& panel) {
  if (const auto* const chart = std::get_if<Chart>(&panel)) return chart_height + 17 * key_rows(*chart);
  return grid_title + grid_margin + cell_height * (static_cast<double>(std::get<Grid>(panel).rows.size()) + 1.2);
}

/// The width of the names left of the cells.
double names_width(const Grid& grid) {
  std::size_t letters = grid.corner.size();
  for (const std::string& row : grid.rows) letters = std::max(letters, row.size());
  return static_cast<double>(letters) * letter_width + 16;
}

double width_of(const Panel& panel) {
  const auto* const grid = std::get_if<Grid>(&panel);
  if (grid == nullptr) return panel_width;
  std::size_t widest = 0;
  for (std::size_t column = 0; column < grid->columns.size(); ++column) {
    widest = std::max(widest, grid->columns[column].size());
    for (const auto& row : grid->cells) widest = std::max(widest, row[column].text.size());
  }
  const double cell = std::max(30.0, static_cast<double>(widest) * letter_width + 12);
  return std::max({static_cast<double>(grid->columns.size()) * cell + names_width(*grid) + 2 * grid_margin,
                   static_cast<double>(grid->title.size()) * letter_width + 40, 200.0});
}

/// The place of a panel in its picture, in shares of the picture's width and height, and the picture's size.
struct PanelBox {
  double left = 0;
  double bottom = 0;
  double right = 1;
  double top = 1;
  double picture_width = 0;
  double picture_height = 0;
};

void append_script(std::string& script, const Chart& chart, unsigned number, const PanelBox& /*box*/) {
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    script += fmt::format("$data_{}_{} << EOD\n", number, i);
    for (const auto& [x, y] : chart.series[i].points) script += fmt::format("{:.10g} {:.10g}\n", x, y);
    script += "EOD\n";
  }
  script += fmt::format("set title {} noenhanced\nset xlabel {} offset 0,0.6 noenhanced\nset ylabel {} noenhanced\n",
                        quoted_for_gnuplot(chart.title), quoted_for_gnuplot(chart.x.label),
                        quoted_for_gnuplot(chart.y.label));
  script +=
      "set margins -1,-1,-1,-1\nset border 3\nset tics nomirror out\nset grid back linecolor rgb '#E4E4E4' linewidth "
      "0.6\n";
  script += "set xtics autofreq\nset ytics autofreq\nset format '%g'\n";
  // A legend below the plot covers no data, however many series there are.
  script += "set key below center horizontal samplen 3 spacing 1.1 noenhanced\n";
  script += fmt::format("{} logscale x\n{} logscale y\n", chart.x.logarithmic ? "set" : "unset",
                        chart.y.logarithmic ? "set" : "unset");
  script += fmt::format("set xrange {}\nset yrange {}\nplot ", range(chart.x), range(chart.y));
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    const std::size_t hue = series.colour % palette.size();
    std::string with;
    switch (series.kind) {
      case SeriesKind::predicted:
        with = fmt::format("lines linecolor rgb '{}' linewidth 1.8 dashtype (8,5)", palette[hue]);
        break;
      case SeriesKind::measured:
        with = fmt::format("points pointtype {} pointsize 0.7 linecolor rgb '{}'", marks[hue], palette[hue]);
        break;
      case SeriesKind::published:
        with = fmt::format("points pointtype 2 pointsize 1.2 linewidth 1.8 linecolor rgb '{}'", palette[hue]);
        break;
      case SeriesKind::outline:
        with = "lines linecolor rgb '#A8A8A8' linewidth 0.8";
        break;
    }
    script += fmt::format("{}$data_{}_{} using 1:2 with {} title {}", i == 0 ? "" : ", \\\n     ", number, i, with,
                          quoted_for_gnuplot(series.name));
  }
  script += "\n";
}

void append_script(std::string& script, const Grid& grid, unsigned number, const PanelBox& box) {
  const std::size_t rows = grid.rows.size();
  const std::size_t columns = grid.columns.size();
  script +=
      "unset key\nunset border\nunset tics\nunset grid\nunset logscale x\nunset logscale y\nunset xlabel\nunset "
      "ylabel\n";
  script += fmt::format("set title {} noenhanced\n", quoted_for_gnuplot(grid.title));
  // The rows' names stand left of the cells, at coordinates below 0; a cell is 1 wide and 1 high.
  const double width = (box.right - box.left) * box.picture_width - 2 * grid_margin;
  const double cell = (width - names_width(grid)) / static_cast<double>(columns);
  script += fmt::format("set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n",
                        box.left + grid_margin / box.picture_width, box.right - grid_margin / box.picture_width);
  const double top = box.top - grid_title / box.picture_height;
  script += fmt::format("set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n", top,
                        top - cell_height * (static_cast<double>(rows) + 1.2) / box.picture_height);
  script += fmt::format("set xrange [{:.4g}:{}]\nset yrange [{}:-1.2]\n", -names_width(grid) / cell, columns, rows);
  script += fmt::format("$cells_{} << EOD\n", number);
  const auto line = [&](double x, double y, std::string_view colour, const std::string& text) {
    script += fmt::format("{:.4g} {:.4g} 0x{} \"{}\"\n", x, y, colour.substr(1), text);
  };
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const Cell& one = grid.cells[row][column];
      const std::string_view shade = one.colour ? shades[*one.colour % shades.size()] : std::string_view("#FFFFFF");
      line(static_cast<double>(column) + 0.5, static_cast<double>(row) + 0.5, shade, one.text);
    }
  }
  script += fmt::format("EOD\n$names_{} << EOD\n", number);
  for (std::size_t column = 0; column < columns; ++column) {
    line(static_cast<double>(column) + 0.5, -0.5, "#000000", grid.columns[column]);
  }
  script += fmt::format("EOD\n$rows_{} << EOD\n", number);
  line(-0.12, -0.5, "#000000", grid.corner);
  for (std::size_t row = 0; row < rows; ++row) line(-0.12, static_cast<double>(row) + 0.5, "#000000", grid.rows[row]);
  script += fmt::format(
      "EOD\nset style fill solid 1.0 border rgb '#BBBBBB'\n"
      "plot $cells_{0} using 1:2:(0.5):(0.5):3 with boxxyerror linecolor rgb variable, \\\n"
      "     $cells_{0} using 1:2:4 with labels noenhanced, \\\n"
      "     $names_{0} using 1:2:4 with labels noenhanced textcolor rgb '#444444', \\\n"
      "     $rows_{0} using 1:2:4 with labels right noenhanced textcolor rgb '#444444'\n",
      number);
}

std::string script_of(std::string_view id, const Reproduction& reproduction) {
  const auto count = static_cast<unsigned>(reproduction.panels.size());
  const unsigned columns = std::max(1U, std::min(reproduction.columns, count));
  const unsigned lines = (count + columns - 1) / columns;
  double width = 0;
  std::vector<double> heights(lines, 0);
  for (unsigned number = 0; number < count; ++number) {
    width = std::max(width, width_of(reproduction.panels[number]));
    heights[number / columns] = std::max(heights[number / columns], height_of(reproduction.panels[number]));
  }
  double height = 0;
  for (const double one : heights) height += one;
  std::string script = fmt::format(
      "# {}: gnuplot {}.gp draws {}.svg\n"
      "set terminal svg size {:.0f},{:.0f} font 'Helvetica,13' noenhanced background rgb 'white'\nset output '{}.svg'\n"
      "set datafile separator whitespace\nset multiplot\n",
      id, id, id, width * columns, height, id);
  double top = height;
  for (unsigned number = 0; number < count; ++number) {
    const unsigned in_line = number % columns;
    const double own = heights[number / columns];
    const PanelBox box = {.left = in_line * 1.0 / columns,
                          .bottom = (top - own) / height,
                          .right = (in_line + 1.0) / columns,
                          .top = top / height,
                          .picture_width = width * columns,
                          .picture_height = height};
    script += fmt::format("set origin {:.5f},{:.5f}\nset size {:.5f},{:.5f}\n", box.left, box.bottom,
                          box.right - box.left, box.top - box.bottom);
    std::visit([&](const auto& panel) { append_script(script, panel, number, box); }, reproduction.panels[number]);
    if (in_line + 1 == columns) top -= own;
  }
  return script + "unset multiplot\n";
}

/// Runs gnuplot with `arguments`, and without settings of the user or of a directory, in `directory`; its exit status,
/// or nothing if there is none. A Ctrl-C is this program's to obey: the picture is drawn to its end, so that no
/// interruption looks like a failure of gnuplot.
std::optional<int> gnuplot(const std::string& directory, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"gnuplot", "-d"});
  try {
    const ChildEnd end =
        ChildProcess({.words = std::move(arguments), .directory = directory, .own_group = true}).wait();
    constexpr int signalled = 128;
    return end.by_signal ? signalled : end.number;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace

bool has_gnuplot() { return gnuplot(".", {"--version"}) == 0; }

std::vector<std::string> write_figure(const std::string& directory, std::string_view id,
                                      const Reproduction& reproduction, bool picture) {
  const std::string name(id);
  std::vector<std::string> files = {name + ".csv"};
  std::string csv;
  std::size_t kind = ~std::size_t{0};
  for (const Panel& panel : reproduction.panels) {
    // One header line for panels of one kind with the same axes: a table that any program can read.
    std::string text;
    std::visit([&](const auto& one) { append_csv(text, one); }, panel);
    const std::size_t header = text.find('\n') + 1;
    const bool same = kind == panel.index() && csv.starts_with(text.substr(0, header));
    kind = panel.index();
    csv += same ? text.substr(header) : (csv.empty() ? "" : "\n") + text;
  }
  write_text(directory + "/" + files[0], csv);
  if (!picture) return files;
  files.push_back(name + ".gp");
  write_text(directory + "/" + files[1], script_of(id, reproduction));
  files.push_back(name + ".svg");
  const auto status = gnuplot(directory, {files[1]});
  if (status != 0) throw std::runtime_error(fmt::format("gnuplot could not draw {}/{}", directory, files[1]));
  return files;
}

}  // namespace ecube
