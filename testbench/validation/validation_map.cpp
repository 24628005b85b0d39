// SPDX-License-Identifier: Apache-2.0
// The error map: its runs, its panels and its lines.
#include <fmt/core.h>

#include <array>
#include <cmath>

#include "models/machine/spelling.h"
#include "testbench/text/csv.h"
#include "testbench/text/text.h"
#include "testbench/validation/validation.h"

namespace ecube {

// Workload, preset, unit, algorithm, run, sizes. Exchanges carry check words: the blocks of all pairs of nodes would
// not fit.
extern const char* const mapped_table;

namespace {

/// A colour of the palette for each bin.
constexpr std::array<unsigned, 5> bin_colours = {2, 4, 1, 3, 7};

/// "+12.3", "+1234" or "0.0".
std::string error_word(double error) {
  if (std::abs(error) < 0.05) return "0.0";
  return std::abs(error) < 999.5 ? fmt::format("{:+.1f}", error) : fmt::format("{:+.0f}", error);
}

Cell cell_of(const ErrorSpread& spread) {
  const ErrorBin bin = bin_of(spread);
  return {.text = bin == ErrorBin::stalled ? "stalled" : error_word(*spread.median_percent),
          .colour = bin_colours[static_cast<std::size_t>(bin)]};
}

std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{:.6f}", *value) : ""; }

}  // namespace

std::span<const MappedEquation> mapped_equations() {
  static const std::vector<MappedEquation> equations = [] {
    std::vector<MappedEquation> all;
    for (const std::vector<std::string>& row : table_rows(mapped_table, 6)) {
      MappedEquation& one = all.emplace_back(MappedEquation{row[0], row[1], row[2], row[3], row[4], {}});
      for (const std::string_view size : split(row[5], ' ')) one.sizes.push_back(std::stoul(std::string(size)));
    }
    return all;
  }();
  return equations;
}

ErrorBin bin_of(const ErrorSpread& spread) {
  if (2 * spread.stalled > spread.runs || !spread.median_percent) return ErrorBin::stalled;
  const double error = std::abs(*spread.median_percent);
  if (error <= 1) return ErrorBin::one;
  if (error <= 5) return ErrorBin::five;
  return error <= 20 ? ErrorBin::twenty : ErrorBin::above;
}

std::string_view words_of(ErrorBin bin) {
  constexpr std::array<std::string_view, 5> words = {"<= 1 %", "<= 5 %", "<= 20 %", "> 20 %", "stalled"};
  return words[static_cast<std::size_t>(bin)];
}

std::vector<MapCell> map_cells(const ValidationSetup& setup, const MappedEquation& equation, unsigned dim) {
  std::vector<MapCell> cells;
  for (const double jitter_us : map_jitters_us) {
    for (const std::uint64_t size : equation.sizes) {
      const std::string run = fmt::format("{} --machine {} --dim {} {} {} --jitter '{} us' --seed ", equation.workload,
                                          equation.preset, dim, equation.run, size, jitter_us);
      std::vector<ValidationPoint> runs;
      for (std::uint64_t seed = 1; seed <= (jitter_us > 0 ? map_seeds : 1); ++seed) {
        runs.push_back(setup.point(run + std::to_string(seed)));
      }
      cells.push_back({&equation, dim, size, jitter_us, runs.front().run, spread_of(runs)});
    }
  }
  return cells;
}

Reproduction error_map(const std::vector<MapCell>& cells) {
  Reproduction map{.columns = static_cast<unsigned>(std::size(map_dims))};
  const MapCell* before = nullptr;
  for (const MapCell& cell : cells) {
    if (before == nullptr || before->equation != cell.equation || before->dim != cell.dim) {
      Grid grid{.title = fmt::format("{} on {}, d {}: error in percent", cell.equation->workload, cell.equation->preset,
                                     cell.dim),
                .corner = fmt::format("jitter us / {}", cell.equation->unit),
                .columns = {},
                .rows = {}};
      for (const std::uint64_t size : cell.equation->sizes) grid.columns.push_back(grouped(size));
      map.panels.emplace_back(std::move(grid));
      before = nullptr;
    }
    auto& grid = std::get<Grid>(map.panels.back());
    if (before == nullptr || before->jitter_us != cell.jitter_us) grid.add(fmt::format("{:g}", cell.jitter_us));
    grid.cells.back().push_back(cell_of(cell.spread));
    before = &cell;
  }
  Grid key{.title = "colours", .corner = {}, .columns = {}, .rows = {"median error, either way"}};
  key.cells.emplace_back();
  for (const ErrorBin bin : {ErrorBin::one, ErrorBin::five, ErrorBin::twenty, ErrorBin::above, ErrorBin::stalled}) {
    key.columns.emplace_back();
    key.cells.back().push_back(
        {.text = std::string(words_of(bin)), .colour = bin_colours[static_cast<std::size_t>(bin)]});
  }
  map.panels.emplace_back(std::move(key));
  return map;
}

std::string map_text(const std::vector<MapCell>& cells) {
  std::string text =
      "equation,machine,dim,size,unit,jitter_us,seeds,stalled,median_error_percent,p5_error_percent,"
      "p95_error_percent,bin,run\n";
  for (const MapCell& cell : cells) {
    const ErrorSpread& spread = cell.spread;
    text += fmt::format("{},{},{},{},{},{:g},{},{},{},{},{},{},{}\n", cell.equation->workload, cell.equation->preset,
                        cell.dim, cell.size, cell.equation->unit, cell.jitter_us, spread.runs, spread.stalled,
                        csv_number(spread.median_percent), csv_number(spread.low_percent),
                        csv_number(spread.high_percent), words_of(bin_of(spread)), csv_quoted(cell.run));
  }
  return text;
}

}  // namespace ecube
