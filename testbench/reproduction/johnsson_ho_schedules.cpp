// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Figures 2, 5, 8 and 9: tables of exchange sequences.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <regex>
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
Expected read(const std::string& row) {
  static const std::regex part(R"(\*(\d+)|(\w)('*):(\d+)-(\d+)@(\d+))");
  Expected expected;
  for (std::sregex_iterator at(row.begin(), row.end(), part), end; at != end; ++at) {
    const auto number = [&at](std::size_t group) { return static_cast<std::uint32_t>(std::stoul(at->str(group))); };
    if ((*at)[1].matched) {
      expected.synchronises = number(1);
      continue;
    }
    const auto constituent = static_cast<std::uint32_t>(at->length(3));
    for (std::uint32_t index = number(4), step = number(6); index <= number(5); ++index) {
      expected.cells[step++] = entry(at->str(2).front(), constituent, index);
    }
  }
  return expected;
}

/// Rows in the order of the figure, then the rows that the figure does not have.
struct RowOrder {
  std::vector<std::size_t> order{};
  std::string lacking{};  ///< rows of the figure that are not in the schedule
  std::multiset<std::uint32_t> printed_points{};

  RowOrder(const std::vector<std::string>& printed_rows, const std::vector<Cells>& rows) {
    const auto taken = [this](std::size_t number) { return std::ranges::find(order, number) != order.end(); };
    for (const std::string& printed_row : printed_rows) {
      const Expected expected = read(printed_row);
      if (expected.synchronises) printed_points.insert(*expected.synchronises);
      std::size_t number = 0;
      while (number < rows.size() && (rows[number] != expected.cells || taken(number))) ++number;
      if (number < rows.size()) order.push_back(number);
      if (number == rows.size()) lacking += (lacking.empty() ? "" : ", ") + printed_row;
    }
    for (std::size_t number = 0; number < rows.size(); ++number) {
      if (!taken(number)) order.push_back(number);
    }
  }
};

/// Adds the rows to the grid. Returns the points at which sets synchronise.
std::multiset<std::uint32_t> draw(Grid& grid, const RowSchedule& schedule, const std::vector<std::size_t>& order,
                                  std::vector<Cells>& rows) {
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
  return points;
}

using Dims = std::set<unsigned>;

/// Whether in each step each node sent once in each of these dimensions, [step], and in no other.
bool sent_once(const std::vector<RecordedMove>& moves, const std::vector<Dims>& dims, unsigned dim) {
  std::vector<std::vector<Dims>> sent(dims.size(), std::vector<Dims>(std::size_t{1} << dim));
  for (const RecordedMove& move : moves) {
    if (move.label >= dims.size()) return false;
    const auto dimension = static_cast<unsigned>(std::countr_zero(move.from ^ move.to));
    if (!sent[move.label][move.from].insert(dimension).second) return false;
  }
  for (std::size_t step = 1; step < dims.size(); ++step) {
    if (std::ranges::any_of(sent[step], [&](const Dims& one) { return one != dims[step]; })) {
      return false;
    }
  }
  return true;
}

/// The entries of each row by their step; and the dimensions of each step are inserted into `dims`, [step].
std::vector<Cells> cells_of(const RowSchedule& schedule, const std::vector<unsigned>& orders, std::vector<Dims>& dims) {
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
  return rows;
}

}  // namespace

void jh_schedule(Findings& result, MeasuredMachine& machine) {
  ShuffleWorkload workload;
  std::vector<unsigned> orders;
  std::vector<std::string> printed_rows;
  std::uint64_t steps = 0;
  for (const auto& [name, text] : printed(result.id())) {
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

  Grid grid = grid_of(result.id());
  for (std::uint32_t step = 1; step <= schedule.steps; ++step) grid.columns.push_back(std::to_string(step));
  std::vector<Dims> dims(schedule.steps + std::size_t{1});  // of each step
  std::vector<Cells> rows = cells_of(schedule, orders, dims);
  const RowOrder order(printed_rows, rows);
  const std::multiset<std::uint32_t> points = draw(grid, schedule, order.order, rows);
  result.panels.emplace_back(std::move(grid));
  result.count("steps", steps, schedule.steps);
  result.count("rows", printed_rows.size(), rows.size());
  result.text("lacking", "none", order.lacking.empty() ? "none" : order.lacking);
  if (!order.printed_points.empty()) {
    // The paper does not say when within its row a set synchronises.
    result.count("synchronisation", order.printed_points.size(), judged(points.size(), "synchronisation points"),
                 fmt::join(order.printed_points, " "), fmt::join(points, " "));
  }

  GeneralisedShuffle shuffle(workload, dim);
  MoveRecorder recorder;
  const ShuffleMeasurement measured = machine.shuffle(dim, workload, shuffle, &recorder);
  result.statement("sent_once", sent_once(judged(recorder.moves(), "messages"), dims, dim), "", std::size_t{1} << dim);
  result.count("exchanged", steps, judged(measured.counted.steps, "counted steps"));
  result.statement("permuted", judged(measured.verified == true, "verified"));
}

}  // namespace ecube
