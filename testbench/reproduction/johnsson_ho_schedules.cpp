// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Figures 2, 5, 8 and 9: tables of exchange sequences.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "testbench/reproduction/counted_shuffles.h"
#include "testbench/reproduction/recorded_moves.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

/// "0',3'" or "v,3'": the storage dimension of a constituent or v, and the dimension with which it is exchanged.
std::string text_of(const RowEntry& entry) {
  const std::string primes(entry.constituent, '\'');
  return fmt::format("{},{}{}", entry.extra ? "v" : "0" + primes, entry.index, primes);
}

/// A row as printed.tsv has those of the figures, by chains: "v:5-6@1 0':1-6@5" is v,5 v,6 in steps 1 and 2, then 0',1'
/// .. 0',6' from step 5 on; a prime on v stands for the constituent whose dimensions follow.
std::string text_of(const ScheduleRow& row) {
  std::string text;
  std::size_t next = 0;
  while (next < row.entries.size()) {
    const RowEntry& first = row.entries[next];
    std::uint32_t length = 0;
    const auto goes_on = [&](const RowEntry& one) {
      return one.extra == first.extra && one.constituent == first.constituent && one.index == first.index + length &&
             one.step == first.step + length;
    };
    for (; next < row.entries.size() && goes_on(row.entries[next]); ++next) ++length;
    text += fmt::format("{}{}{}:{}-{}@{}", text.empty() ? "" : " ", first.extra ? 'v' : '0',
                        std::string(first.constituent, '\''), first.index, first.index + length - 1, first.step);
  }
  return text;
}

/// Rows in the order of the figure, then the rows that the figure does not have.
struct RowOrder {
  std::vector<std::size_t> order{};
  std::string lacking{};  ///< rows of the figure that are not in the schedule
  std::multiset<unsigned long> printed_points{};

  /// "*3 " before a printed row: its set synchronises in column 3.
  RowOrder(const std::vector<std::string>& printed_rows, const std::vector<ScheduleRow>& rows) {
    const auto taken = [this](std::size_t number) { return std::ranges::find(order, number) != order.end(); };
    for (const std::string& printed_row : printed_rows) {
      const std::size_t chains = printed_row.front() == '*' ? printed_row.find(' ') + 1 : 0;
      if (chains > 0) printed_points.insert(std::stoul(printed_row.substr(1)));
      std::size_t number = 0;
      while (number < rows.size() && (text_of(rows[number]) != printed_row.substr(chains) || taken(number))) ++number;
      if (number < rows.size()) order.push_back(number);
      if (number == rows.size()) lacking += (lacking.empty() ? "" : ", ") + printed_row;
    }
    for (std::size_t number = 0; number < rows.size(); ++number) {
      if (!taken(number)) order.push_back(number);
    }
  }
};

/// Adds the rows to the grid. Returns the points at which sets synchronise.
std::multiset<std::uint32_t> draw(Grid& grid, const RowSchedule& schedule, const std::vector<std::size_t>& order) {
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
      cells[one.step - 1] = {text_of(one), one.extra ? 4U + one.constituent : 2 * one.constituent};
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

/// The dimensions in which the constituents, of these orders, exchange in each step, [step].
std::vector<Dims> dimensions_of(const RowSchedule& schedule, const std::vector<unsigned>& orders) {
  std::vector<Dims> dims(schedule.steps + std::size_t{1});
  for (const ScheduleRow& row : schedule.rows) {
    for (const RowEntry& one : row.entries) {
      dims[one.step].insert(std::accumulate(orders.begin(), orders.begin() + one.constituent, one.index - 1));
    }
  }
  return dims;
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
    if (name == "algorithm" && text == "pipelined") workload.mixed = MixedAlgorithm::pipelined;  // or concurrent
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
  const RowOrder order(printed_rows, schedule.rows);
  const std::multiset<std::uint32_t> points = draw(grid, schedule, order.order);
  result.panels.emplace_back(std::move(grid));
  result.count("steps", steps, schedule.steps);
  result.count("rows", printed_rows.size(), schedule.rows.size());
  result.text("lacking", "none", order.lacking.empty() ? "none" : order.lacking);
  if (!order.printed_points.empty()) {
    // The paper does not say when within its row a set synchronises.
    result.count("synchronisation", order.printed_points.size(), judged(points.size(), "synchronisation points"),
                 fmt::join(order.printed_points, " "), fmt::join(points, " "));
  }

  GeneralisedShuffle shuffle(workload, dim);
  MoveRecorder recorder(machine);
  const ShuffleMeasurement measured = machine.shuffle(dim, workload, shuffle);
  const bool once = sent_once(recorder.moves(), dimensions_of(schedule, orders), dim);
  result.statement("sent_once", once, "", std::size_t{1} << dim);
  result.count("exchanged", steps, judged(measured.counted.steps, "counted steps"));
  result.statement("permuted", judged(measured.verified == true, "verified"));
}

}  // namespace ecube
