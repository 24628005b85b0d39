// SPDX-License-Identifier: Apache-2.0
// Bokhari 1993: run times of partitions, their tables, and the faces of the hull of optimality.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "models/hull.h"
#include "testbench/reproduction/measured_machine.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

/// Parts in non-decreasing order without commas, as the paper prints them.
std::string printed(const Partition& partition) {
  std::string text;
  for (const unsigned part : partition.parts()) text.insert(0, std::to_string(part));
  return text;
}

/// Figure 1: lambda 100, delta 10 us, tau 2, rho 1 us/byte.
constexpr HullParameters figure_1 = {.message_us = 110, .tau_us_per_byte = 2, .rho_us_per_byte = 1, .barrier_us = 0};

HullLine line_of(const Partition& partition) {
  const ExchangeParameters parameters = {.lambda_us = 100, .tau_us_per_byte = 2, .delta_us = 10, .rho_us_per_byte = 1};
  const ExchangeOptions options = {.hops = HopCount::average};
  const double at_0 = exchange_cost(partition, 0, parameters, options).total();
  return {.phases = static_cast<unsigned>(partition.size()),
          .slope = exchange_cost(partition, 1, parameters, options).total() - at_0,
          .intercept = at_0};
}

/// A vertex of the hull: m in bytes and t in us, as fractions worked out by hand.
struct Vertex {
  double bytes;
  double us;
};

Chart figure_1_panel(MeasuredMachine& machine, unsigned dim, Reproduction& result) {
  constexpr double most = 64;
  Chart chart{.title = fmt::format("d = {}", dim),
              .x = {.label = "block size m, bytes", .logarithmic = true, .least = 0.5, .most = most},
              .y = {.label = "time, ms", .logarithmic = true}};
  const Hull hull(dim, figure_1);
  std::set<std::string> faces;
  for (const HullFace& face : hull.faces()) faces.insert(hull.partition(face).name());
  double worst = 0;
  unsigned colour = 0;
  const std::vector<Partition> partitions = partitions_of(dim);
  std::vector<Series> on_top;
  for (const Partition& partition : partitions) {
    const HullLine line = line_of(partition);
    const auto ms = [&](double bytes) { return static_cast<double>(line.intercept + line.slope * bytes) / 1000; };
    const bool face = faces.contains(partition.name());
    const std::string name = "{" + printed(partition) + "}";
    Series predicted{.name = name + (face ? " predicted" : " (no face)"),
                     .kind = face ? SeriesKind::predicted : SeriesKind::outline,
                     .colour = colour};
    Series measured{.name = name + " measured", .kind = SeriesKind::measured, .colour = colour};
    for (double bytes = 0.5; bytes <= most * 1.001; bytes *= std::exp2(0.125)) {
      predicted.points.emplace_back(bytes, ms(bytes));
    }
    for (const Bytes bytes : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U, 24U, 32U, 48U, 64U}) {
      const double took = machine.exchange_us(partition, bytes) / 1000;
      worst = std::max(worst, std::abs(took / ms(static_cast<double>(bytes)) - 1) * 100);
      measured.points.emplace_back(bytes, took);
    }
    if (face) {
      ++colour;
      on_top.push_back(std::move(predicted));
      on_top.push_back(std::move(measured));
    } else {
      chart.series.push_back(std::move(predicted));
    }
  }
  chart.series.insert(chart.series.end(), on_top.begin(), on_top.end());
  result.checks.push_back(statement(
      fmt::format("d = {}: all {} partitions on the machine take what the equation says", dim, partitions.size()),
      worst < 1e-6, fmt::format("furthest off {:.2g} %", worst)));
  return chart;
}

void check_vertices(unsigned dim, std::span<const Vertex> vertices, Reproduction& result) {
  const Hull hull(dim, figure_1);
  result.checks.push_back(statement(fmt::format("d = {}: {} faces", dim, vertices.size() + 1),
                                    hull.faces().size() == vertices.size() + 1,
                                    fmt::format("{} faces", hull.faces().size())));
  if (hull.faces().size() != vertices.size() + 1) return;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const HullFace& face = hull.faces()[i + 1];
    const auto bytes = static_cast<double>(hull.block(face));
    const std::string meet = fmt::format("d = {}: {{{}}} and {{{}}} meet at", dim,
                                         printed(hull.partition(hull.faces()[i])), printed(hull.partition(face)));
    const double us = static_cast<double>(
        face.line.slope * std::ldexp(static_cast<Wide>(bytes), static_cast<int>(dim)) + face.line.intercept);
    result.checks.push_back(within(meet, vertices[i].bytes, bytes, 1e-9, "B"));
    result.checks.push_back(within(meet, vertices[i].us, us, 1e-9, "us"));
  }
}

std::vector<std::string> numbers(std::size_t count) {
  std::vector<std::string> result;
  for (std::size_t i = 1; i <= count; ++i) result.push_back(std::to_string(i));
  return result;
}

}  // namespace

Reproduction bokhari_figure_1(TestBench& bench) {
  MeasuredMachine machine(bench, "hull");
  Reproduction result;
  result.panels.emplace_back(figure_1_panel(machine, 4, result));
  result.panels.emplace_back(figure_1_panel(machine, 6, result));
  check_vertices(4, std::array{Vertex{55.0 / 12, 3080.0 / 3}, Vertex{495.0 / 17, 50820.0 / 17}}, result);
  check_vertices(
      6, std::array{Vertex{55.0 / 48, 1540}, Vertex{275.0 / 64, 6105.0 / 2}, Vertex{2695.0 / 81, 1073380.0 / 81}},
      result);
  for (const Partition& partition : {Partition({4, 2}), Partition({5, 1})}) {
    const HullLine a = line_of(Partition({3, 3}));
    const HullLine b = line_of(partition);
    result.checks.push_back(within(fmt::format("d = 6: {{33}} and {{{}}} meet at", printed(partition)), 55,
                                   static_cast<double>((b.intercept - a.intercept) / (a.slope - b.slope)), 1e-9, "B"));
  }
  result.verdict =
      "agrees: the faces are {1111}, {22}, {4} and {111111}, {222}, {33}, {6} as the paper says, {112} only touches "
      "the "
      "hull, and all partitions of cardinality 2 of 6 meet in one point";
  return result;
}

Reproduction bokhari_figure_2(TestBench& /*bench*/) {
  Reproduction result;
  for (const unsigned d : {11U, 16U}) {
    Chart chart{.title = fmt::format("d = {}", d),
                .x = {.label = "cardinality n", .least = 0, .most = d + 1.0},
                .y = {.label = "size of a part", .least = 0, .most = d + 1.0}};
    Series curve{.name = "d / n", .kind = SeriesKind::predicted, .colour = 7};
    Series parts{.name = "parts of E(d,n)", .kind = SeriesKind::measured, .colour = 0};
    Series tangent{.name = "tangent of slope -1", .kind = SeriesKind::outline};
    std::set<unsigned> levels;
    for (unsigned n = 1; n <= d; ++n) {
      const Partition partition = Partition::equipartition(d, n);
      for (const unsigned part : std::set<unsigned>(partition.parts().begin(), partition.parts().end())) {
        parts.points.emplace_back(n, part);
      }
      levels.insert(d / n);
    }
    for (double n = 0.9; n <= d; n += 0.1) curve.points.emplace_back(n, d / n);
    const auto root = static_cast<unsigned>(std::sqrt(d));
    tangent.points = {{0, 2.0 * root}, {2.0 * root, 0}};
    chart.series = {tangent, curve, parts};
    result.panels.emplace_back(std::move(chart));
    const Hull hull(d, figure_1);
    const unsigned expected = d < root * (root + 1) ? 2 * root - 1 : 2 * root;
    result.checks.push_back(
        within(fmt::format("d = {}: levels floor(d/n)", d), expected, static_cast<double>(levels.size()), 0, ""));
    const bool bounded = hull.faces().size() >= 2 * root - 1 && hull.faces().size() <= std::size_t{3} * root;
    result.checks.push_back(statement(fmt::format("d = {}: between {} and {} faces", d, 2 * root - 1, 3 * root),
                                      bounded, fmt::format("{} faces", hull.faces().size())));
  }
  result.verdict =
      "agrees; the number of levels is 2 floor(sqrt d) - 1 if d < r (r + 1) with r = floor(sqrt d), else one more: "
      "what "
      "the paper says by whether a point lies on the diagonal";
  return result;
}

namespace {

/// A row of Table 3 as printed: the third column cut off or rounded after six digits.
struct Table3Row {
  unsigned phases;
  unsigned sum;
  double inverse_sum;
  std::string_view parts;
};

constexpr std::array<Table3Row, 15> table_3 = {{{1, 128, 0.007812, "7"},
                                                {2, 66, 0.515625, "16"},
                                                {2, 36, 0.281250, "25"},
                                                {2, 24, 0.187500, "34"},
                                                {3, 36, 1.031250, "115"},
                                                {3, 22, 0.812500, "124"},
                                                {3, 18, 0.750000, "133"},
                                                {3, 16, 0.625000, "223"},
                                                {4, 22, 1.562500, "1114"},
                                                {4, 16, 1.375000, "1123"},
                                                {4, 14, 1.250000, "1222"},
                                                {5, 16, 2.125000, "11113"},
                                                {5, 14, 2.000000, "11122"},
                                                {6, 14, 2.750000, "111112"},
                                                {7, 14, 3.500000, "1111111"}}};

}  // namespace

Reproduction bokhari_table_3(TestBench& /*bench*/) {
  Reproduction result;
  Grid grid{.title = "Partitions of e = 7",
            .corner = "A",
            .columns = {"n", "sum of 2^a", "sum of 2^-a", "equipartition"},
            .rows = {}};
  std::size_t equal = 0;
  std::size_t equipartitions = 0;
  for (const Partition& partition : partitions_of(7)) {
    double sum = 0;
    double inverse = 0;
    for (const unsigned part : partition.parts()) {
      sum += std::ldexp(1.0, static_cast<int>(part));
      inverse += std::ldexp(1.0, -static_cast<int>(part));
    }
    const auto row = std::find_if(table_3.begin(), table_3.end(),
                                  [&](const Table3Row& one) { return one.parts == printed(partition); });
    const bool same = row != table_3.end() && row->phases == partition.size() && row->sum == sum &&
                      std::abs(row->inverse_sum - inverse) < 1e-6;
    equal += same ? 1 : 0;
    const bool marked = partition.is_equipartition();
    equipartitions += marked ? 1 : 0;
    grid.rows.push_back("{" + printed(partition) + "}");
    grid.cells.push_back({{std::to_string(partition.size())},
                          {fmt::format("{:.0f}", sum)},
                          {fmt::format("{:.7g}", inverse)},
                          {marked ? fmt::format("E(7,{})", partition.size()) : "", std::nullopt}});
    if (marked) grid.cells.back()[3].colour = 0;
  }
  result.panels.emplace_back(std::move(grid));
  result.checks.push_back(within("rows equal to the printed ones", 15, static_cast<double>(equal), 0, ""));
  result.checks.push_back(within("equipartitions, one for each n", 7, static_cast<double>(equipartitions), 0, ""));
  result.verdict =
      "agrees in all numbers. Erratum of the scan: its last column stands beside the wrong rows from n = 2 on; E(7,2) "
      "is "
      "{34}, E(7,3) {223}, E(7,4) {1222}, E(7,5) {11122}";
  return result;
}

Reproduction bokhari_table_4(TestBench& /*bench*/) {
  Reproduction result;
  constexpr std::array<unsigned, 7> printed_counts = {1, 2, 3, 5, 7, 11, 15};
  Grid grid{.title = "Partitions of 1 .. 7, and in colour those with a 1: without it they are the next column",
            .columns = {},
            .rows = numbers(15)};
  grid.cells.assign(15, std::vector<Cell>(7));
  bool augment = true;
  for (unsigned d = 7; d >= 1; --d) {
    const std::vector<Partition> partitions = partitions_of(d);
    grid.columns.push_back(std::to_string(d));
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      const bool has_one = partitions[i].parts().back() == 1;
      grid.cells[i][7 - d] = {.text = printed(partitions[i]), .colour = std::nullopt};
      if (has_one && d > 1) grid.cells[i][7 - d].colour = 0;
    }
    result.checks.push_back(within(fmt::format("partitions of {}", d), printed_counts[d - 1],
                                   static_cast<double>(partitions.size()), 0, ""));
    for (unsigned a = 1; a < d; ++a) {
      std::set<std::string> smaller;
      for (const Partition& partition : partitions) {
        std::vector<unsigned> parts(partition.parts().begin(), partition.parts().end());
        const auto found = std::find(parts.begin(), parts.end(), a);
        if (found == parts.end()) continue;
        parts.erase(found);
        smaller.insert(Partition(parts).name());
      }
      std::set<std::string> expected;
      for (const Partition& partition : partitions_of(d - a)) expected.insert(partition.name());
      augment = augment && smaller == expected;
    }
  }
  result.panels.emplace_back(std::move(grid));
  result.checks.push_back(
      statement("partitions of d with a part a, without it, are the partitions of d - a: all d <= 7, all a", augment));
  result.verdict = "agrees: the columns are those of the table, and Property 8 rests on them";
  return result;
}

Reproduction bokhari_faces(TestBench& /*bench*/) {
  constexpr unsigned most = 5000;
  constexpr std::array<unsigned, 12> first = {1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 6};
  Reproduction result;
  Series faces{.name = "faces of the hull", .kind = SeriesKind::measured, .colour = 0};
  Series least{.name = "2 floor(sqrt d) - 1", .kind = SeriesKind::predicted, .colour = 1};
  Series upper{.name = "3 floor(sqrt d)", .kind = SeriesKind::predicted, .colour = 2};
  bool within_bounds = true;
  bool first_equal = true;
  unsigned at_most = 0;
  for (unsigned d = 1; d <= most; ++d) {
    const auto count = static_cast<unsigned>(Hull(d, figure_1).faces().size());
    auto root = static_cast<unsigned>(std::sqrt(static_cast<double>(d)));
    within_bounds = within_bounds && count >= 2 * root - 1 && count <= 3 * root;
    if (d <= first.size()) first_equal = first_equal && count == first[d - 1];
    at_most = std::max(at_most, count);
    const bool shown = d <= 20 || d % 50 == 0;
    if (!shown) continue;
    faces.points.emplace_back(d, count);
    least.points.emplace_back(d, 2.0 * root - 1);
    upper.points.emplace_back(d, 3.0 * root);
  }
  result.panels.emplace_back(Chart{.title = "Faces on the hull of optimality",
                                   .x = {.label = "cube dimension d", .logarithmic = true},
                                   .y = {.label = "faces", .logarithmic = true, .least = 0.8},
                                   .series = {least, upper, faces}});
  result.checks.push_back(statement("2 floor(sqrt d) - 1 <= faces <= 3 floor(sqrt d) for d = 1 .. 5,000", within_bounds,
                                    fmt::format("at most {} faces", at_most)));
  result.checks.push_back(statement("d = 1 .. 12: 1 2 3 3 4 4 5 5 6 6 7 6 faces (all partitions tried)", first_equal));
  result.verdict =
      "agrees with the bounds of section 3.5. Erratum: the enumeration has to go by level q, with the cardinalities "
      "ceil(d/(q+1)) and floor(d/q), not by n from sqrt d to 2 sqrt d";
  return result;
}

}  // namespace ecube
