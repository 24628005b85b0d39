// SPDX-License-Identifier: Apache-2.0
// Bokhari 1993, Figures 1 and 2, Table 3 and section 3.5: run times of partitions and the faces of their hull.
#include <fmt/format.h>

#include <array>
#include <set>

#include "models/machine/spelling.h"
#include "testbench/reproduction/equations.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

using namespace bokhari;

/// Figure 1, for the hull of models/.
constexpr HullParameters hull_of_figure_1 = {
    .message_us = message, .tau_us_per_byte = tau, .rho_us_per_byte = rho, .barrier_us = 0};

/// The panel of one dimension. Checks the machine against equation (6), and the fastest partitions against print.
void add_figure_1(MeasuredMachine& machine, unsigned dim, const std::string& printed_faces, Findings& result) {
  constexpr double most = 64;
  constexpr std::array<Bytes, 12> sizes = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  Chart& chart = result.chart("bokhari-fig1", dim);
  const std::vector<Partition> partitions = partitions_of(dim);
  const std::vector<Partition> faces = machine.fastest(partitions, sizes);
  Furthest furthest;
  for (const Partition& partition : partitions) {
    const Line line = equation_6(partition);
    const auto colour = static_cast<unsigned>(std::ranges::find(faces, partition) - faces.begin());
    const bool is_face = colour < faces.size();
    const std::string name = braced(partition);
    Series predicted{.name = name + (is_face ? " predicted" : " (no face)"),
                     .kind = is_face ? SeriesKind::predicted : SeriesKind::outline,
                     .colour = colour};
    for (double bytes = 0.5; bytes <= most * 1.001; bytes *= std::exp2(0.125)) {
      predicted.points.emplace_back(bytes, line.at(bytes) / 1000);
    }
    Series measured{.name = name + " measured", .kind = SeriesKind::measured, .colour = colour};
    for (const Bytes bytes : sizes) {
      const double us = machine.exchange_us(partition, bytes);
      furthest.add(us, line.at(static_cast<double>(bytes)));
      measured.points.emplace_back(bytes, us / 1000);
    }
    chart.series.push_back(std::move(predicted));
    if (is_face) chart.series.push_back(std::move(measured));
  }
  // Faces are drawn on top.
  std::stable_partition(chart.series.begin(), chart.series.end(),
                        [](const Series& one) { return one.kind == SeriesKind::outline; });
  result.within("equation_6", furthest, dim, partitions.size());
  result.text("fastest", printed_faces, braced(faces), dim);
}

/// Two partitions whose lines meet, and whether the paper says where.
struct Vertex {
  ComparedWith with;
  Partition before;
  Partition after;
};

/// The cardinalities that the method of section 3.5 visits, as printed: n = 1 .. r, then for n = r .. 2r the ends
/// ceil(d/(n+1)) and floor(d/n) of a sequence; r = floor(sqrt d).
std::set<unsigned> printed_enumeration(unsigned dim) {
  const auto root = static_cast<unsigned>(std::sqrt(dim));
  std::set<unsigned> visited;
  for (unsigned n = 1; n <= root; ++n) visited.insert(n);
  for (unsigned n = root; n <= 2 * root; ++n) visited.insert({(dim + n) / (n + 1), dim / n});
  return visited;
}

}  // namespace

void bokhari_fig1(Findings& result, MeasuredMachine& machine) {
  add_figure_1(machine, 4, "{1111} {22} {4}", result);
  add_figure_1(machine, 6, "{111111} {222} {33} {6}", result);
  // For d = 4 the proof of Theorem 1 prints the meeting points of the lines.
  const std::array vertices = {Vertex{print, Partition::standard(4), Partition({2, 2})},
                               Vertex{print, Partition({2, 1, 1}), Partition({2, 2})},
                               Vertex{print, Partition({2, 2}), Partition({4})},
                               Vertex{ours, Partition::standard(6), Partition({2, 2, 2})},
                               Vertex{ours, Partition({2, 2, 2}), Partition({3, 3})},
                               Vertex{ours, Partition({3, 3}), Partition({6})},
                               Vertex{print, Partition({3, 3}), Partition({4, 2})},
                               Vertex{print, Partition({3, 3}), Partition({5, 1})}};
  for (const auto& [with, one, other] : vertices) {
    const Line line = equation_6(one);
    const double bytes = meeting(line, equation_6(other));
    const Line measured = measured_line(machine, one);
    const double measured_bytes = meeting(measured, measured_line(machine, other));
    const std::string meet =
        fmt::format("d = {}: measured lines of {} and {} meet at", one.dim(), braced(one), braced(other));
    result.add(number_check(with, meet, bytes, measured_bytes, rounding, "B"));
    result.add(number_check(ours, meet + " (time)", line.at(bytes), measured.at(measured_bytes), rounding, "us"));
  }
}

void bokhari_fig2(Findings& result, MeasuredMachine& /*machine*/) {
  for (const unsigned d : {11U, 16U}) {
    Chart& chart = result.chart("bokhari-fig2", d, d + 1);
    const auto root = static_cast<unsigned>(std::sqrt(d));
    chart.series[0].points = {{0, 2.0 * root}, {2.0 * root, 0}};
    for (double n = 0.9; n <= d; n += 0.1) chart.series[1].points.emplace_back(n, d / n);
    std::set<unsigned> levels;
    std::vector<std::string> differing;
    for (unsigned n = 1; n <= d; ++n) {
      const Partition partition = equipartition(d, n);
      for (const unsigned part : std::set<unsigned>(partition.parts().begin(), partition.parts().end())) {
        chart.series[2].points.emplace_back(n, part);
      }
      levels.insert(partition.parts().back());
      // Equation (3).
      std::vector<unsigned> printed(d % n, (d + n - 1) / n);
      printed.insert(printed.end(), n - d % n, d / n);
      if (partition != Partition(printed)) differing.push_back(fmt::format("E({},{})", d, n));
    }
    result.statement("equation_3", differing.empty(), joined(differing, " "), d);
    const bool on_diagonal = d / root == root;
    result.number("levels", on_diagonal ? 2 * root - 1 : 2 * root, levels.size(), d);
    const Hull hull(d, hull_of_figure_1);
    result.range("faces", 2 * root - 1, 3 * root, judged(hull.faces().size(), "faces of {} dimensions", d), d);
  }
}

void bokhari_table3(Findings& result, MeasuredMachine& /*machine*/) {
  Grid& grid = result.grid("bokhari-table3");
  const std::vector<PrintedRow> table_3 = printed("bokhari-table3");
  std::size_t equal = 0;
  std::vector<Partition> marks;
  for (const Partition& partition : judged(partitions_of(7), "partitions of 7")) {
    const double sum = power_sum(partition);
    const double inverse = inverse_power_sum(partition);
    // The third column is cut off after six digits.
    const PrintedRow row = {braced(partition),
                            fmt::format("{} {} {:.6f}", partition.size(), sum, std::floor(inverse * 1e6) / 1e6)};
    equal += std::ranges::find(table_3, row) != table_3.end() ? 1 : 0;
    const bool marked = partition.is_equipartition();
    if (marked) marks.push_back(partition);
    grid.add(braced(partition)) = {{std::to_string(partition.size())},
                                   {fmt::format("{:.0f}", sum)},
                                   {fmt::format("{:.7g}", inverse)},
                                   marked ? Cell{fmt::format("E(7,{})", partition.size()), 0} : Cell{}};
  }
  result.number("equal_rows", 15, equal);
  result.number("cardinalities", 7, marks.size());  // E(7,n) has n parts
  // E(7,7) stands below the last row.
  result.text("marked", "{7} {16} {124} {1123} {111112} {1111111}", braced(marks));
}

void bokhari_table4(Findings& result, MeasuredMachine& /*machine*/) {
  const std::vector<PrintedRow> columns = printed("bokhari-table4");
  Grid& grid = result.grid("bokhari-table4");
  for (unsigned row = 1; row <= 15; ++row) grid.rows.push_back(std::to_string(row));
  grid.cells.assign(15, std::vector<Cell>(7));
  for (unsigned d = 7; d >= 1; --d) {
    const std::vector<Partition> partitions = listed(d);
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      const std::string name = braced(partitions[i]);
      grid.cells[i][7 - d].text = name.substr(1, name.size() - 2);
      if (partitions[i].parts().back() == 1 && d > 1) grid.cells[i][7 - d].colour = 0;
    }
    result.text("partitions", columns[d - 1].text, braced(partitions), d);
    for (unsigned a = 1; a < d; ++a) {
      std::vector<Partition> smaller;
      for (const Partition& partition : partitions) {
        std::vector<unsigned> parts(partition.parts().begin(), partition.parts().end());
        const auto found = std::ranges::find(parts, a);
        if (found == parts.end()) continue;
        parts.erase(found);
        smaller.emplace_back(parts);
      }
      result["without_a_part"].add(std::ranges::is_permutation(smaller, partitions_of(d - a)), "d {}, a {}", d, a);
    }
  }
}

void bokhari_faces(Findings& result, MeasuredMachine& /*machine*/) {
  constexpr unsigned most = 5000;
  constexpr unsigned tried = 20;
  Chart& chart = result.chart("bokhari-faces");
  bool within_bounds = true;
  unsigned at_most = 0;
  unsigned complete = 0;
  std::vector<std::string> sharing;
  std::vector<std::size_t> hulls;
  std::vector<std::size_t> trials;
  for (unsigned d = 1; d <= most; ++d) {
    const Hull hull(d, hull_of_figure_1);
    const auto count = judged(static_cast<unsigned>(hull.faces().size()), "faces of {} dimensions", d);
    const auto root = static_cast<unsigned>(std::sqrt(static_cast<double>(d)));
    within_bounds = within_bounds && count >= 2 * root - 1 && count <= 3 * root;
    at_most = std::max(at_most, count);
    if (d <= tried) {
      hulls.push_back(count);
      trials.push_back(envelope(partitions_of(d)).size());
      for (unsigned n = 1; (n + 1) * (n + 1) <= d; ++n) {
        const Partition fewer = Partition::equipartition(d, n);
        const Partition more = Partition::equipartition(d, n + 1);
        if (fewer.parts().back() > more.parts().front()) continue;
        sharing.push_back(braced(fewer) + " and " + braced(more));
      }
      const std::set<unsigned> visited = printed_enumeration(d);
      const auto is_visited = [&](const HullFace& face) { return visited.contains(face.line.phases); };
      complete += std::ranges::all_of(hull.faces(), is_visited) ? 1 : 0;
    }
    if (d <= tried || d % 50 == 0) chart.add(d, 2.0 * root - 1, 3.0 * root, count);
  }
  result.statement("bounds", within_bounds, fmt::format("at most {} faces", at_most));
  result.text("tried", fmt::format("{}", fmt::join(trials, " ")), fmt::format("{}", fmt::join(hulls, " ")), tried);
  result.number("visited", tried, complete, tried);
  result.text("shared", "none", sharing.empty() ? "none" : joined(sharing, ", "), tried);
}

}  // namespace ecube
