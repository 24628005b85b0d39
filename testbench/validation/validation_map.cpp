// SPDX-License-Identifier: Apache-2.0
// The error map: its runs, its panels and its lines.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "models/machine/spelling.h"
#include "testbench/report/page.h"
#include "testbench/run/commands.h"
#include "testbench/run/progress_line.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"
#include "testbench/validation/validation.h"

namespace ecube {

// Workload (exchange, combine or shuffle), preset, unit, algorithm, run, sizes: each workload on the ideal machine and
// on one that was built. Exchanges carry check words: the blocks of all pairs of nodes would not fit.
extern const char* const mapped_table;

namespace {

/// Dimensions and jitters of the map, and the seeds of a cell: several with jitter, one without.
constexpr unsigned map_dims[] = {2, 4, 6, 8};
constexpr double map_jitters_us[] = {0, 0.1, 1, 5, 20, 100};
constexpr std::uint64_t map_seeds = 5;

constexpr std::array<ErrorBin, 5> bins = {
    {{"<= 1 %", 2, 1}, {"<= 5 %", 4, 5}, {"<= 20 %", 1, 20}, {"> 20 %", 3}, {"stalled", 7}}};

/// "+12.3", "+1234" or "0.0".
std::string error_word(double error) {
  if (std::abs(error) < 0.05) return "0.0";
  return std::abs(error) < 999.5 ? fmt::format("{:+.1f}", error) : fmt::format("{:+.0f}", error);
}

Cell cell_of(const ErrorSpread& spread) {
  const ErrorBin& bin = bin_of(spread);
  return {.text = &bin == &bins.back() ? "stalled" : error_word(*spread.median_percent), .colour = bin.colour};
}

Json cell_json(const MapCell& cell) {
  Json json = {{"equation", cell.equation->workload},
               {"machine", cell.equation->preset},
               {"algorithm", cell.equation->what},
               {"dim", cell.dim},
               {"size", cell.size},
               {"unit", cell.equation->unit},
               {"jitter_us", cell.jitter_us},
               {"run", cell.run},
               {"bin", bin_of(cell.spread).words}};
  add_spread(json, cell.spread);
  return json;
}

void print_map(const ErrorMap& map) {
  fmt::print("error of the equations over size, dimension and jitter: the median over {} seeds, in percent\n\n",
             map_seeds);
  for (const Grid& grid : map.grids) print_grid(grid);
  std::map<std::pair<const MappedEquation*, const ErrorBin*>, std::size_t> counts;
  for (const MapCell& cell : map.cells) ++counts[{cell.equation, &bin_of(cell.spread)}];
  fmt::print("{:<22}", "cells");
  for (const ErrorBin& bin : bins) fmt::print(" {:>8}", bin.words);
  fmt::print("  algorithm\n");
  const MappedEquation* last = nullptr;
  for (const MapCell& cell : map.cells) {
    if (cell.equation == last) continue;
    last = cell.equation;
    fmt::print("{:<22}", fmt::format("{} {}", last->workload, last->preset));
    for (const ErrorBin& bin : bins) fmt::print(" {:>8}", counts[{last, &bin}]);
    fmt::print("  {}\n", last->what);
  }
}

/// Grids alone: tables, for which nothing is drawn.
std::string map_page(const ValidateArguments& arguments, const ErrorMap& map) {
  std::string command = own_command() + " validate --map";
  for (const std::string& name : arguments.families) command += " " + name;
  for (const std::string& change : arguments.set) command += " --set " + shell_word(change);
  const Json entry = {{"id", "error-map"},
                      {"what", "How far each equation is off, error map: size, dimension and jitter"},
                      {"panels", panels_json(map.picture())},
                      {"checks", Json::array()},
                      {"command", command},
                      {"files", Json::array({"error-map.csv"})}};
  return results_page("How far the equations are off", command, {}, true, Json::array({entry}), PageCharts::none);
}

}  // namespace

std::vector<MappedEquation> mapped_equations(const std::vector<std::string>& workloads) {
  std::vector<MappedEquation> equations;
  for (const std::vector<std::string>& row : table_rows(mapped_table, 6)) {
    if (!workloads.empty() && std::ranges::find(workloads, row[0]) == workloads.end()) continue;
    MappedEquation& one = equations.emplace_back(MappedEquation{row[0], row[1], row[2], row[3], row[4], {}});
    for (const std::string_view size : split(row[5], ' ')) one.sizes.push_back(std::stoul(std::string(size)));
  }
  return equations;
}

const ErrorBin& bin_of(const ErrorSpread& spread) {
  if (2 * spread.stalled > spread.runs || !spread.median_percent) return bins.back();
  const double error = std::abs(*spread.median_percent);
  return *std::find_if(bins.begin(), bins.end() - 2, [&](const ErrorBin& bin) { return error <= bin.most_percent; });
}

void ErrorMap::add(const MappedEquation& equation, unsigned dim,
                   const std::function<ValidationPoint(const std::string& run)>& point) {
  Grid& grid = grids.emplace_back(
      Grid{.title = fmt::format("{} on {}, d {}: error in percent", equation.workload, equation.preset, dim),
           .corner = fmt::format("jitter us / {}", equation.unit)});
  for (const std::uint64_t size : equation.sizes) grid.columns.push_back(grouped(size));
  for (const double jitter_us : map_jitters_us) {
    std::vector<Cell>& row = grid.add(fmt::format("{:g}", jitter_us));
    for (const std::uint64_t size : equation.sizes) {
      const std::string run = fmt::format("{} --machine {} --dim {} {} {} --jitter '{} us' --seed ", equation.workload,
                                          equation.preset, dim, equation.run, size, jitter_us);
      std::vector<ValidationPoint> runs;
      for (std::uint64_t seed = 1; seed <= (jitter_us > 0 ? map_seeds : 1); ++seed) {
        runs.push_back(point(run + std::to_string(seed)));
      }
      cells.push_back({&equation, dim, size, jitter_us, runs.front().run, spread_of(runs)});
      row.push_back(cell_of(cells.back().spread));
    }
  }
}

Panels ErrorMap::picture() const {
  Grid key{.title = "colours"};
  std::vector<Cell>& row = key.add("median error, either way");
  for (const ErrorBin& bin : bins) {
    key.columns.emplace_back();
    row.push_back({.text = std::string(bin.words), .colour = bin.colour});
  }
  Panels picture(grids.begin(), grids.end());
  picture.emplace_back(std::move(key));
  return picture;
}

std::string map_text(const std::vector<MapCell>& cells) {
  std::string text =
      "equation,machine,dim,size,unit,jitter_us,seeds,stalled,median_error_percent,p5_error_percent,"
      "p95_error_percent,bin,run\n";
  const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:.6f}", *value) : ""; };
  for (const MapCell& cell : cells) {
    const ErrorSpread& spread = cell.spread;
    text += fmt::format("{},{},{},{},{},{:g},{},{},{},{},{},{},{}\n", cell.equation->workload, cell.equation->preset,
                        cell.dim, cell.size, cell.equation->unit, cell.jitter_us, spread.runs, spread.stalled,
                        number(spread.median_percent), number(spread.low_percent), number(spread.high_percent),
                        bin_of(spread).words, csv_quoted(cell.run));
  }
  return text;
}

int run_error_map(const ValidateArguments& arguments) {
  for (const std::string& name : arguments.families) {
    constexpr std::array<std::string_view, 3> valid = {"exchange", "combine", "shuffle"};
    if (std::ranges::find(valid, name) == valid.end()) refuse_word("validate --map", name, valid);
  }
  const std::vector<MappedEquation> equations = mapped_equations(arguments.families);
  std::optional<StagedFiles> directory;
  if (!arguments.directory.empty()) directory.emplace(arguments.directory);
  ValidationSetup setup(arguments);
  CountProgress progress(equations.size() * std::size(map_dims), "steps", arguments.quiet);
  ErrorMap map;
  for (const MappedEquation& equation : equations) {
    for (const unsigned dim : map_dims) {
      progress.next(fmt::format("{} on {}, d {}", equation.workload, equation.preset, dim));
      map.add(equation, dim, [&](const std::string& run) { return setup.point(run); });
    }
  }
  progress.clear();
  std::vector<std::string> files;
  if (directory) {
    directory->write("error-map.csv", map_text(map.cells));
    directory->write("error-map.html", map_page(arguments, map));
    directory->move_each();
    for (const char* const name : {"error-map.csv", "error-map.html"}) {
      files.push_back(directory->directory().path() + "/" + name);
    }
  }
  if (arguments.json) return print_json("validate", {{"map", json_list(map.cells, cell_json)}, {"files", files}});
  print_map(map);
  if (!files.empty()) fmt::print("\nfiles: {}\n", joined(files, "  "));
  return 0;
}

}  // namespace ecube
