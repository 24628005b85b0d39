// SPDX-License-Identifier: Apache-2.0
// The table of runs, fitted growth and aims.
#include "tests/benchmarks/speed_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ecube::bench {

namespace {

const Result* find(const Table& table, const std::string& family, unsigned dim) {
  for (const Result& result : table.results) {
    if (result.line.family == family && result.line.dim == dim) return &result;
  }
  return nullptr;
}

void print_runs(const Table& table) {
  if (table.results.empty()) return;
  fmt::print("\nwhole processes, the best of the runs of each, one core; the bare wheel moves the same circuits\n");
  fmt::print("{:<32}{:>3}{:>7}{:>15}{:>10}{:>12}{:>10}{:>12}{:>9}\n", "", "d", "m", "messages", "seconds", "million/s",
             "events", "bytes", "of bare");
  fmt::print("{:<32}{:>3}{:>7}{:>15}{:>10}{:>12}{:>10}{:>12}{:>9}\n", "", "", "", "", "", "", "/message", "/node",
             "wheel");
  for (const Result& result : table.results) {
    const ProgramRun& run = result.best;
    const double rate = run.circuits / run.seconds;
    const double bytes = std::max(0.0, run.peak_bytes - table.start.peak_bytes) / std::exp2(result.line.dim);
    fmt::print("{:<32}{:>3}{:>7.0f}{:>15.0f}{:>10.3f}{:>12.3f}{:>10.2f}{:>12.0f}{:>9.3f}\n", result.line.family,
               result.line.dim, result.line.size, run.circuits, run.seconds, rate / 1e6, run.events / run.circuits,
               bytes, rate / result.wheel);
  }
}

/// The exponent a of y ~ x^a, by least squares of the logarithms.
double exponent(const std::vector<std::pair<double, double>>& points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [px, py] : points) {
    const double lx = std::log2(px);
    const double ly = std::log2(py);
    n += 1, x += lx, y += ly, xx += lx * lx, xy += lx * ly;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

/// How time grows with the nodes at one size, and with the size at one number of nodes.
void print_growth(const Table& table) {
  std::map<std::string, std::map<double, std::vector<std::pair<double, double>>>> by_nodes;
  std::map<std::string, std::map<unsigned, std::vector<std::pair<double, double>>>> by_size;
  for (const Result& result : table.results) {
    // The start of the program does not grow with the run, so it is subtracted.
    const double seconds = result.best.seconds - table.start.seconds;
    if (seconds < 0.001) continue;
    by_nodes[result.line.family][result.line.size].emplace_back(std::exp2(result.line.dim), seconds);
    by_size[result.line.family][result.line.dim].emplace_back(result.line.size, seconds);
  }
  bool first = true;
  const auto print = [&](const std::string& family, const char* what, const std::string& at, const auto& points) {
    if (points.size() < 2) return;
    if (first) fmt::print("\ntime beyond the start of the program grows as a power, fitted\n");
    first = false;
    fmt::print("{:<32} {:<28} {:>6.2f}   {} points, {}\n", family, what, exponent(points), points.size(), at);
  };
  for (const auto& [family, sizes] : by_nodes) {
    for (const auto& [size, points] : sizes)
      print(family, "of the nodes N = 2^d", fmt::format("m = {:.0f}", size), points);
  }
  for (const auto& [family, dims] : by_size)
    for (const auto& [dim, points] : dims) print(family, "of the size m", fmt::format("d = {}", dim), points);
}

/// How the hull grows with the dimension: Theta(sqrt d) faces and time to make it, and Theta(log d) to look a block up
/// (Bokhari 1993, abstract).
void print_hull(const Table& table) {
  const auto print = [](const char* what, const char* claim, const auto& values, const auto& of) {
    if (values.size() < 2) return;
    std::vector<std::pair<double, double>> points;
    for (const auto& [dim, value] : values) points.emplace_back(of(dim), value);
    fmt::print("{:<32} {:<28} {:>6.2f}   {} points, d = {} .. {}\n", what, claim, exponent(points), points.size(),
               values.begin()->first, values.rbegin()->first);
  };
  if (table.hull.size() < 2 && table.look_up.size() < 2) return;
  fmt::print("\nthe hull of optimality grows as a power, fitted; Bokhari 1993 proves sqrt d and log d\n");
  const auto dimension = [](unsigned dim) { return static_cast<double>(dim); };
  print("faces", "of d, 0.5 proved", table.faces, dimension);
  print("time to make it", "of d, 0.5 proved", table.hull, dimension);
  print("time of a look-up", "of log2 d, 1 proved", table.look_up,
        [](unsigned dim) { return std::log2(static_cast<double>(dim)); });
}

void print_aims(const Table& table) {
  bool first = true;
  const auto aim = [&](const std::string& what, double reached, const std::string& unit, double asked, bool at_least) {
    if (first) fmt::print("\naims of the project on an idle core\n");
    first = false;
    fmt::print("{:<52} {:>10.3f} {:<10} {} {:g}   {}\n", what, reached, unit, at_least ? "at least" : "at most ", asked,
               (at_least ? reached >= asked : reached <= asked) ? "reached" : "missed");
  };
  const auto seconds = [&](const char* family, unsigned dim, double asked, double gigabytes) {
    const Result* const result = find(table, family, dim);
    if (result == nullptr) return;
    aim(fmt::format("{}, d = {}", family, dim), result->best.seconds, "s", asked, false);
    aim(fmt::format("{}, d = {}, memory", family, dim), result->best.peak_bytes / 1e9, "GB", gigabytes, false);
  };
  if (const Result* const direct = find(table, "exchange Direct", 10)) {
    aim("exchange Direct, d = 10, 16 bytes, of the bare wheel",
        direct->best.circuits / direct->best.seconds / direct->wheel, "", 0.42, true);
  }
  if (const Result* const random = find(table, "exchange random", 10)) {
    aim("exchange random, d = 10, 16 bytes, of the bare wheel",
        random->best.circuits / random->best.seconds / random->wheel, "", 0.42, true);
  }
  for (const unsigned dim : {6U, 10U}) {
    const Result* const traffic = find(table, "uniform traffic", dim);
    if (traffic == nullptr) continue;
    aim(fmt::format("uniform traffic, d = {}, of the bare wheel", dim),
        traffic->best.circuits / traffic->best.seconds / traffic->wheel, "", dim == 10 ? 0.3 : 0.25, true);
    const double bytes = std::max(0.0, traffic->best.peak_bytes - table.start.peak_bytes) / std::exp2(dim);
    if (dim == 10) aim("uniform traffic, d = 10, memory of a node", bytes / 1e3, "KB", 40, false);
  }
  if (const auto cube = table.grants.find("cube:10"); cube != table.grants.end()) {
    for (const auto& [topology, grants] : table.grants) {
      if (topology != cube->first)
        aim("grants of " + topology + ", of those of cube:10", grants / cube->second, "", 0.8, true);
    }
  }
  seconds("exchange Direct, no payload", 16, 1200, 0.128);
  seconds("combine hybrid, no payload", 20, 120, 8);
  seconds("exchange Standard, no payload", 20, 60, 4);
  seconds("shuffle n ports", 16, 20, 2);
  if (const Result* const six = find(table, "exchange Direct", 6))
    aim("exchange Direct, d = 6", six->best.seconds * 1e3, "ms", 50, false);
  if (table.start.good) aim("start-up", table.start.seconds * 1e3, "ms", 20, false);
  for (const auto& [known, ratio] : table.asked) {
    if (ratio) fmt::print("{:<52} {:>10.3f} times\n", "features tested, of the time known, " + known, *ratio);
  }
  if (table.traced) aim("exchange Direct, d = 6, traced, of the time without", *table.traced, "times", 3, false);
}

void print_rtl(const Table& table, const std::string& dim) {
  const auto& rates = table.rtl;
  if (!rates.contains("rtl d=" + dim) || !rates.contains("event d=" + dim)) return;
  const double rtl = rates.at("rtl d=" + dim);
  const double event = rates.at("event d=" + dim);
  fmt::print("d={} uniform traffic: rtl {:.0f} cycles/s, event {:.0f} cycles/s, ratio 1 : {:.0f}\n", dim, rtl, event,
             event / rtl);
}

}  // namespace

void print(const Table& table) {
  print_runs(table);
  print_growth(table);
  print_hull(table);
  print_aims(table);
  print_rtl(table, "3");
  print_rtl(table, "6");
}

}  // namespace ecube::bench
