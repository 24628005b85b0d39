// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Figures 5, 8 and 9: tables of exchange sequences.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "testbench/reproduction/counted_shuffles.h"
#include "testbench/reproduction/recorded_moves.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

/// A row of a figure as it is printed, by chains: "v:5-6@1 0':1-6@5" is v,5 v,6 in steps 1 and 2, then 0',1' .. 0',6'
/// from step 5 on; a prime on v stands for the constituent whose dimensions follow. "*3": a synchronisation point in
/// column 3.
using PrintedRow = std::string_view;

using Cells = std::map<std::uint32_t, std::string>;  ///< by step

std::string entry(bool extra, std::uint32_t constituent, std::uint32_t index) {
  const std::string primes(constituent, '\'');
  return fmt::format("{},{}{}", extra ? "v" : "0" + primes, index, primes);
}

struct Expected {
  Cells cells{};
  std::optional<std::uint32_t> synchronises{};  ///< column
};

Expected read(PrintedRow row) {
  Expected expected;
  const auto number = [&] {
    std::uint32_t value = 0;
    const auto read = std::from_chars(row.data(), row.data() + row.size(), value);
    row.remove_prefix(static_cast<std::size_t>(read.ptr - row.data()));
    return value;
  };
  while (!row.empty()) {
    const char control = row.front();
    row.remove_prefix(1);
    if (control == '*') expected.synchronises = number();
    if (control == '*' || control == ' ') continue;
    std::uint32_t constituent = 0;
    for (; row.front() == '\''; row.remove_prefix(1)) ++constituent;
    row.remove_prefix(1);  // :
    const std::uint32_t first = number();
    row.remove_prefix(1);  // -
    const std::uint32_t last = number();
    row.remove_prefix(1);  // @
    std::uint32_t step = number();
    for (std::uint32_t index = first; index <= last; ++index) {
      expected.cells[step++] = entry(control == 'v', constituent, index);
    }
  }
  return expected;
}

struct PrintedFigure {
  std::string_view title;
  std::vector<unsigned> orders;
  std::uint64_t elements;
  std::uint32_t steps;
  MixedAlgorithm algorithm;
  std::vector<PrintedRow> rows;
};

Reproduction schedule_figure(TestBench& bench, const Machine& machine, const PrintedFigure& figure) {
  ShuffleWorkload workload;
  const unsigned dim = std::accumulate(figure.orders.begin(), figure.orders.end(), 0U);
  workload.permutation = constituents(figure.orders);
  workload.elements = figure.elements;
  workload.mixed = figure.algorithm;
  workload.ports.engines = Ports::n;
  const RowSchedule schedule = schedules_of(workload.permutation, workload, dim).front();

  Reproduction result;
  Grid grid{.title = std::string(figure.title), .corner = "step", .columns = {}, .rows = {}};
  for (std::uint32_t step = 1; step <= schedule.steps; ++step) grid.columns.push_back(std::to_string(step));
  std::vector<std::set<unsigned>> dims(schedule.steps + std::size_t{1});  // of each step
  std::vector<Cells> rows;
  for (const ScheduleRow& row : schedule.rows) {
    Cells& cells = rows.emplace_back();
    for (const RowEntry& one : row.entries) {
      cells[one.step] = entry(one.extra, one.constituent, one.index);
      unsigned first = 0;
      for (std::uint32_t j = 0; j < one.constituent; ++j) first += figure.orders[j];
      dims[one.step].insert(first + one.index - 1);
    }
  }
  // Rows in the order of the figure, then the rows that the figure does not have.
  std::vector<std::size_t> order;
  std::multiset<std::uint32_t> printed_points;
  for (const PrintedRow& printed : figure.rows) {
    const Expected expected = read(printed);
    if (expected.synchronises) printed_points.insert(*expected.synchronises);
    for (std::size_t number = 0; number < rows.size(); ++number) {
      if (rows[number] != expected.cells || std::find(order.begin(), order.end(), number) != order.end()) continue;
      order.push_back(number);
      break;
    }
  }
  const std::size_t equal = order.size();
  for (std::size_t number = 0; number < rows.size(); ++number) {
    if (std::find(order.begin(), order.end(), number) == order.end()) order.push_back(number);
  }
  std::multiset<std::uint32_t> points;
  unsigned plain = 0;
  std::map<std::uint32_t, unsigned> names;  // of sets, in the order in which they are shown
  for (const std::size_t number : order) {
    const ScheduleRow& row = schedule.rows[number];
    if (row.set) names.try_emplace(*row.set, static_cast<unsigned>(names.size()));
    grid.rows.push_back(row.set ? fmt::format("set {}.{}", names[*row.set], row.half) : fmt::format("d{}", plain++));
    grid.cells.emplace_back(schedule.steps);
    for (const RowEntry& one : row.entries) {
      Cell& cell = grid.cells.back()[one.step - 1];
      cell.text = rows[number][one.step];
      cell.colour = one.extra ? 4U + one.constituent : 2 * one.constituent;
    }
    if (row.set && row.half == 0) {
      points.insert(schedule.sets[*row.set].sync_after);
      Cell& cell = grid.cells.back()[schedule.sets[*row.set].sync_after - 1];
      cell.text += cell.text.empty() ? "*" : " *";
    }
  }
  result.panels.emplace_back(std::move(grid));
  result.count(print, "steps", figure.steps, schedule.steps);
  result.count(print, "rows of the schedule", figure.rows.size(), rows.size());
  result.count(print, "rows of the figure that are in the schedule, entry by entry", figure.rows.size(), equal);
  if (!printed_points.empty()) {
    // The paper does not say when within its row a set synchronises.
    result.count(print,
                 fmt::format("synchronisation points (steps {} in the figure, {} here)", fmt::join(printed_points, " "),
                             fmt::join(points, " ")),
                 printed_points.size(), points.size());
  }

  GeneralisedShuffle shuffle(workload, dim);
  MoveRecorder recorder;
  const ShuffleMeasurement measured = MeasuredMachine(bench, machine).shuffle(dim, workload, shuffle, &recorder);
  std::vector<std::vector<std::set<unsigned>>> sent(schedule.steps + std::size_t{1},
                                                    std::vector<std::set<unsigned>>(std::size_t{1} << dim));
  bool once = true;
  for (const RecordedMove& move : recorder.moves()) {
    if (move.label > schedule.steps) once = false;
    if (move.label <= schedule.steps) {
      once = once &&
             sent[move.label][move.from].insert(static_cast<unsigned>(std::countr_zero(move.from ^ move.to))).second;
    }
  }
  for (std::uint32_t step = 1; step <= schedule.steps; ++step) {
    once = once && std::all_of(sent[step].begin(), sent[step].end(),
                               [&](const std::set<unsigned>& of_node) { return of_node == dims[step]; });
  }
  result.statement(
      ours,
      fmt::format("machine: in each step each of {} nodes sent once in each dimension of the table, in no other",
                  std::size_t{1} << dim),
      once);
  result.count(print, "machine: elements exchanged in sequence", figure.steps, measured.counted.steps);
  result.statement(ours, "machine: all elements where the permutation sends them", measured.verified == true);
  return result;
}

}  // namespace

Reproduction johnsson_ho_figure_5(TestBench& bench, const Machine& machine) {
  Reproduction result =
      schedule_figure(bench, machine,
                      {.title = "(a6 a5 a4 a3 a2 a1 | a0), K = 18; * synchronisation point",
                       .orders = {6},
                       .elements = 18,
                       .steps = 11,
                       .algorithm = MixedAlgorithm::concurrent,
                       .rows = {"*3 v:5-6@1 0:1-5@6", "v:5-6@2 0:1-5@7", "*5 v:3-6@1 0:1-3@8", "v:3-6@2 0:1-3@9",
                                "0:1-6@1", "0:1-6@2", "0:1-6@3", "0:1-6@4", "0:1-6@5"}});
  return result;
}

Reproduction johnsson_ho_figure_8(TestBench& bench, const Machine& machine) {
  return schedule_figure(bench, machine,
                         {.title = "(a5 a4 a3 a2 a1 | a0) and (a5' a4' a3' a2' a1' | a0'), K = 24",
                          .orders = {5, 5},
                          .elements = 24,
                          .steps = 16,
                          .algorithm = MixedAlgorithm::pipelined,
                          .rows = {"0:1-5@1 0':1-5@8", "0:1-5@2 0':1-5@9", "0:1-5@3 0':1-5@10", "0:1-5@4 0':1-5@11",
                                   "0:1-5@5 0':1-5@12", "0':1-5@1 0:1-5@6", "0':1-5@2 0:1-5@7", "0':1-5@3 0:1-5@8",
                                   "0':1-5@4 0:1-5@9", "0':1-5@5 0:1-5@10", "0':1-5@6 0:1-5@11", "0':1-5@7 0:1-5@12"}});
}

Reproduction johnsson_ho_figure_9(TestBench& bench, const Machine& machine) {
  Reproduction result = schedule_figure(
      bench, machine,
      {.title = "(a6 .. a1 | a0) and (a6' .. a1' | a0'), K = 28; * synchronisation point",
       .orders = {6, 6},
       .elements = 28,
       .steps = 16,
       .algorithm = MixedAlgorithm::concurrent,
       .rows = {"*3 v:5-6@1 0':1-6@5 0:1-5@11", "v:5-5@2 0:6-6@3 0':1-6@6 0:1-5@12", "*5 v:3-6@1 0':1-6@7 0:1-3@13",
                "v:3-6@2 0':1-6@8 0:1-3@14", "0:1-6@1 0':1-6@9", "0:1-6@2 0':1-6@10", "v':5-6@1 0:1-6@3 0':1-5@11",
                "*10 v':5-6@2 0:1-6@4 0':1-5@12", "v':3-6@1 0:1-6@5 0':1-3@13", "*12 v':3-6@2 0:1-6@6 0':1-3@14",
                "0':1-6@1 0:1-6@7", "0':1-6@2 0:1-6@8", "0':1-6@3 0:1-6@9", "0':1-6@4 0:1-6@10"}});
  return result;
}

}  // namespace ecube
