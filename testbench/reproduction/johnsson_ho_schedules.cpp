// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Figures 2, 5, 8 and 9: tables of exchange sequences.
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

using Cells = std::map<std::uint32_t, std::string>;  ///< by step

/// `control`: 0 for the storage dimension, v for the one beyond.
std::string entry(char control, std::uint32_t constituent, std::uint32_t index) {
  const std::string primes(constituent, '\'');
  return fmt::format("{}{},{}{}", control, control == 'v' ? "" : primes, index, primes);
}

struct Expected {
  Cells cells{};
  std::optional<std::uint32_t> synchronises{};  ///< column
};

/// A row of a figure as it is printed, by chains: "v:5-6@1 0':1-6@5" is v,5 v,6 in steps 1 and 2, then 0',1' .. 0',6'
/// from step 5 on; a prime on v stands for the constituent whose dimensions follow. "*3": a synchronisation point in
/// column 3.
Expected read(std::string_view row) {
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
      expected.cells[step++] = entry(control, constituent, index);
    }
  }
  return expected;
}

Reproduction schedule_figure(TestBench& bench, const Machine& machine, std::string_view figure) {
  ShuffleWorkload workload;
  std::vector<unsigned> orders;
  std::vector<std::string> printed_rows;
  std::uint64_t steps = 0;
  for (const auto& [name, text] : printed(figure)) {
    if (name == "order") orders.push_back(static_cast<unsigned>(std::stoul(text)));
    if (name == "elements") workload.elements = std::stoul(text);
    if (name == "steps") steps = std::stoul(text);
    if (name == "algorithm" && text == "concurrent") workload.mixed = MixedAlgorithm::concurrent;
    if (name == "algorithm" && text == "pipelined") workload.mixed = MixedAlgorithm::pipelined;
    if (name == "row") printed_rows.push_back(text);
  }
  const unsigned dim = std::accumulate(orders.begin(), orders.end(), 0U);
  workload.permutation = constituents(orders);
  workload.ports.engines = Ports::n;
  RowSchedule schedule = schedules_of(workload.permutation, workload, dim).front();
  schedule.rows = judged(schedule.rows, "rows of the schedule");
  schedule.steps = judged(schedule.steps, "steps of the schedule");

  Reproduction result;
  Grid grid = grid_of(figure);
  for (std::uint32_t step = 1; step <= schedule.steps; ++step) grid.columns.push_back(std::to_string(step));
  std::vector<std::set<unsigned>> dims(schedule.steps + std::size_t{1});  // of each step
  std::vector<Cells> rows;
  for (const ScheduleRow& row : schedule.rows) {
    Cells& cells = rows.emplace_back();
    for (const RowEntry& one : row.entries) {
      cells[one.step] = entry(one.extra ? 'v' : '0', one.constituent, one.index);
      unsigned first = 0;
      for (std::uint32_t j = 0; j < one.constituent; ++j) first += orders[j];
      dims[one.step].insert(first + one.index - 1);
    }
  }
  // Rows in the order of the figure, then the rows that the figure does not have.
  std::vector<std::size_t> order;
  std::string lacking;
  std::multiset<std::uint32_t> printed_points;
  for (const std::string& printed_row : printed_rows) {
    const Expected expected = read(printed_row);
    if (expected.synchronises) printed_points.insert(*expected.synchronises);
    std::size_t number = 0;
    const auto taken = [&] { return std::find(order.begin(), order.end(), number) != order.end(); };
    while (number < rows.size() && (rows[number] != expected.cells || taken())) ++number;
    if (number < rows.size()) order.push_back(number);
    if (number == rows.size()) lacking += (lacking.empty() ? "" : ", ") + printed_row;
  }
  for (std::size_t number = 0; number < rows.size(); ++number) {
    if (std::find(order.begin(), order.end(), number) == order.end()) order.push_back(number);
  }
  std::multiset<std::uint32_t> points;
  unsigned plain = 0;
  std::map<std::uint32_t, unsigned> names;  // of sets, in the order in which they are shown
  for (const std::size_t number : order) {
    const ScheduleRow& row = schedule.rows[number];
    if (row.set) names.try_emplace(*row.set, static_cast<unsigned>(names.size()));
    std::vector<Cell>& cells =
        grid.add(row.set ? fmt::format("set {}.{}", names[*row.set], row.half) : fmt::format("d{}", plain++));
    cells.resize(schedule.steps);
    for (const RowEntry& one : row.entries) {
      Cell& cell = cells[one.step - 1];
      cell.text = rows[number][one.step];
      cell.colour = one.extra ? 4U + one.constituent : 2 * one.constituent;
    }
    if (row.set && row.half == 0) {
      points.insert(schedule.sets[*row.set].sync_after);
      Cell& cell = cells[schedule.sets[*row.set].sync_after - 1];
      cell.text += cell.text.empty() ? "*" : " *";
    }
  }
  result.panels.emplace_back(std::move(grid));
  result.count(print, "steps", steps, schedule.steps);
  result.count(print, "rows of the schedule", printed_rows.size(), rows.size());
  result.text(print, "rows of the figure that are not in the schedule, entry by entry", "none",
              lacking.empty() ? "none" : lacking);
  if (!printed_points.empty()) {
    // The paper does not say when within its row a set synchronises.
    result.count(print,
                 fmt::format("synchronisation points (steps {} in the figure, {} here)", fmt::join(printed_points, " "),
                             fmt::join(points, " ")),
                 printed_points.size(), judged(points.size(), "synchronisation points"));
  }

  GeneralisedShuffle shuffle(workload, dim);
  MoveRecorder recorder;
  const ShuffleMeasurement measured = MeasuredMachine(bench, machine).shuffle(dim, workload, shuffle, &recorder);
  std::vector<std::vector<std::set<unsigned>>> sent(schedule.steps + std::size_t{1},
                                                    std::vector<std::set<unsigned>>(std::size_t{1} << dim));
  bool once = true;
  for (const RecordedMove& move : judged(recorder.moves(), "messages")) {
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
  result.count(print, "machine: elements exchanged in sequence", steps,
               judged(measured.counted.steps, "counted steps"));
  result.statement(ours, "machine: all elements where the permutation sends them",
                   judged(measured.verified == true, "verified"));
  return result;
}

}  // namespace

Reproduction jh_fig2(TestBench& bench, const Machine& machine) { return schedule_figure(bench, machine, "jh-fig2"); }

Reproduction jh_fig5(TestBench& bench, const Machine& machine) { return schedule_figure(bench, machine, "jh-fig5"); }

Reproduction jh_fig8(TestBench& bench, const Machine& machine) { return schedule_figure(bench, machine, "jh-fig8"); }

Reproduction jh_fig9(TestBench& bench, const Machine& machine) { return schedule_figure(bench, machine, "jh-fig9"); }

}  // namespace ecube
