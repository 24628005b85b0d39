// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, mixed shuffles: their times, Figure 6 and Tables 1 and 2; their tables of exchange sequences,
// Figures 2, 5, 8 and 9.
#include <fmt/format.h>

#include <array>
#include <map>
#include <numeric>
#include <set>

#include "testbench/reproduction/counted_shuffles.h"

namespace ecube {

namespace {

constexpr ShuffleAlgorithm one_port_shuffle = {"one-port", true};
constexpr ShuffleAlgorithm pipelined_shuffle = {"pipelined", false, MixedAlgorithm::pipelined};
constexpr ShuffleAlgorithm concurrent_shuffle = {"concurrent pipelined", false, MixedAlgorithm::concurrent};
constexpr ShuffleAlgorithm transposed_shuffle = {"transpositions", false, MixedAlgorithm::concurrent, RealAlgorithm::a1,
                                                 ShuffleMethod::transpositions};
constexpr ShuffleAlgorithm two_aapcs_shuffle = {"two AAPCs", false, MixedAlgorithm::concurrent, RealAlgorithm::a1,
                                                ShuffleMethod::two_aapcs};
constexpr ShuffleAlgorithm aapc_shuffle = {"pipelined AAPC", false, MixedAlgorithm::aapc};

enum class ScheduleRegion : std::uint8_t { pipelining, concurrent, concurrent_pipelined };

/// Table 2 as printed, with packets of b elements. With one constituent it is Table 1 and, with b = 1, Theorem 1, whose
/// first case is corrected to "sigma <= 3 or K <= 8".
struct Table2 {
  std::span<const unsigned> orders;
  std::uint64_t k;
  std::uint64_t b = 1;

  [[nodiscard]] std::uint64_t beta() const { return orders.size(); }
  [[nodiscard]] std::uint64_t sum() const { return std::accumulate(orders.begin(), orders.end(), std::uint64_t{0}); }
  [[nodiscard]] std::uint64_t longest() const { return *std::ranges::max_element(orders); }
  [[nodiscard]] ScheduleRegion region() const {
    if (longest() <= 3 || k <= 8 * beta() * b) return ScheduleRegion::pipelining;
    return k <= 2 * b * (sum() + 1) ? ScheduleRegion::concurrent : ScheduleRegion::concurrent_pipelined;
  }
  /// Table 1 has fewer elements.
  [[nodiscard]] Counts one_port() const { return {over(sum() * k, 2 * b), sum() * over(k, 2 * b)}; }
  [[nodiscard]] Counts aapc() const {
    const std::uint64_t packets = over(k, 2 * b) + sum() - beta();
    return {packets * b, packets};
  }
  [[nodiscard]] Counts few_elements() const {
    return {over(k, 2 * beta()) + (sum() - 1) * b, over(k, 2 * beta() * b) + sum() - 1};
  }
  [[nodiscard]] Counts pipelined() const {
    if (k <= 2 * b * sum()) return few_elements();
    return {over(k, 2) + (longest() - 1) * b, over(k, 2 * b) + longest() - 1};
  }
  [[nodiscard]] Counts concurrent() const {
    if (region() == ScheduleRegion::concurrent) return {(sum() + 3) * b, sum() + 3};
    if (region() == ScheduleRegion::concurrent_pipelined) return {k / 2 + 2 * b, over(k, 2 * b) + 2};
    return longest() <= 3 ? pipelined() : few_elements();
  }
  /// With b = 1, corrected: one formula for all orders.
  [[nodiscard]] std::uint64_t corrected_pipelined() const {
    return std::max(k / 2 + longest() - 1, over(k, 2 * beta()) + sum() - 1);
  }
  [[nodiscard]] std::uint64_t corrected_concurrent() const {
    const std::uint64_t plain = corrected_pipelined();
    return longest() < 4 ? plain : std::min(plain, std::max(k / 2, sum() + 1) + 2);
  }
};

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

/// Whether each node sent once in each step in each of the dimensions in which the constituents, of these orders,
/// exchange then, and in no other.
bool sent_once(const std::vector<RecordedMove>& moves, const RowSchedule& schedule, std::span<const unsigned> orders) {
  std::vector<std::array<unsigned, 3>> sent;  // step, node, dimension
  for (const RecordedMove& move : moves) {
    sent.push_back({move.label, move.from, static_cast<unsigned>(std::countr_zero(move.from ^ move.to))});
  }
  std::vector<std::array<unsigned, 3>> wanted;
  const NodeId nodes = NodeId{1} << std::accumulate(orders.begin(), orders.end(), 0U);
  for (const ScheduleRow& row : schedule.rows) {
    for (const RowEntry& one : row.entries) {
      const unsigned dimension = std::accumulate(orders.begin(), orders.begin() + one.constituent, one.index - 1);
      for (NodeId node = 0; node < nodes; ++node) wanted.push_back({one.step, node, dimension});
    }
  }
  std::ranges::sort(sent);
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return sent == wanted;
}

}  // namespace

void jh_fig6(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  Grid& grid = result.grid("jh-fig6");
  for (unsigned order = 8; order >= 1; --order) {
    std::vector<Cell>& cells = grid.add(std::to_string(order));
    const std::array orders = {order};
    for (std::uint64_t k = 2; k <= 24; k += 2) {
      const std::uint64_t pipelined = machine.count(constituents(orders), k, pipelined_shuffle).steps;
      const std::uint64_t concurrent = machine.count(constituents(orders), k, concurrent_shuffle).steps;
      const Table2 theorem_1 = {orders, k};
      constexpr std::array<std::string_view, 3> letters = {"P", "C", "CP"};
      const bool faster = concurrent < pipelined;
      const auto own_letter = static_cast<std::size_t>(faster ? theorem_1.region() : ScheduleRegion::pipelining);
      cells.push_back(
          {.text = fmt::format("{} {}", letters[own_letter], std::min(pipelined, concurrent)), .colour = own_letter});
      const std::string where = fmt::format("sigma {} K {}", order, k);
      result["pays"].add(faster == (theorem_1.region() != ScheduleRegion::pipelining), where);
      result["steps"].add(std::min(pipelined, concurrent) == theorem_1.concurrent().steps, where);
    }
  }
  machine.add_to(result);
}

void jh_table1(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  constexpr std::array algorithms = {one_port_shuffle, pipelined_shuffle, concurrent_shuffle};
  Chart& chart = result.chart("jh-table1");
  for (unsigned order = 1; order <= 7; ++order) {
    const std::array orders = {order};
    for (const std::uint64_t b : {1U, 2U, 4U}) {
      for (std::uint64_t k = 2 * b; k <= 32; k += 2) {
        const Table2 table = {orders, k, b};
        const std::array rows = {Counts{order * k / 2, order * over(k, 2 * b)}, table.pipelined(), table.concurrent()};
        for (unsigned i = 0; i < rows.size(); ++i) {
          // The concurrent schedule has no short packets.
          if (i == 2 && k % (2 * b) != 0) continue;
          const Counts counted = machine.count(constituents(orders), k, algorithms[i], b);
          // A short last packet is exchanged at the same time as whole ones, so its steps cost nothing.
          result[i].add(counted == rows[i], "sigma {} K {} B {}", order, k, b);
          if (order == 6 && b == 1) chart.add_pair(i, k, rows[i].steps, counted.steps);
        }
      }
    }
  }
  // Two AAPCs go through as many further storage dimensions as there are processor dimensions.
  Counted others(preset);
  for (unsigned order = 2; order <= 4; ++order) {
    const std::array orders = {order};
    for (std::uint64_t k = std::uint64_t{2} << order; k <= 64; k *= 2) {
      const std::uint64_t steps = others.count(constituents(orders), k, concurrent_shuffle).steps;
      const std::string where = fmt::format("sigma {} K {}", order, k);
      result["two_aapcs"].add(others.count(constituents(orders), k, two_aapcs_shuffle).steps > steps, where);
      result["transpositions"].add(others.count(constituents(orders), k, transposed_shuffle).steps > steps, where);
    }
  }
  machine.add_to(result);
}

void jh_table2(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  const std::vector<std::vector<unsigned>> same = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {2, 2, 2}, {3, 3, 3}};
  const std::vector<std::vector<unsigned>> different = {{3, 1}, {3, 2}, {4, 2}, {5, 3}, {6, 2}, {4, 2, 2}};
  for (const bool equal_orders : {true, false}) {
    for (const std::vector<unsigned>& orders : equal_orders ? same : different) {
      const DimensionPermutation permutation = constituents(orders);
      Chart chart = chart_of("jh-table2", orders[0], orders[1]);
      const std::uint64_t unit = std::uint64_t{1} << orders.size();
      for (std::uint64_t k = unit; k <= 40; k += unit) {
        const std::string where = fmt::format("orders {}, K {}", fmt::join(orders, " "), k);
        const Table2 table = {orders, k};
        const std::array printed = {table.pipelined().steps, table.concurrent().steps};
        const std::array corrected = {table.corrected_pipelined(), table.corrected_concurrent()};
        for (unsigned i = 0; i < 2; ++i) {
          const std::uint64_t steps =
              machine.count(permutation, k, i == 0 ? pipelined_shuffle : concurrent_shuffle).steps;
          const std::size_t first = (equal_orders ? 0U : 4U) + 2 * i;
          result[first].add(steps == printed[i], where);
          result[first + 1].add(steps == corrected[i], where);
          chart.add_pair(i, k, printed[i], steps);
        }
        if (!equal_orders) continue;
        const std::uint64_t by_aapc = machine.count(permutation, k, aapc_shuffle).steps;
        result["aapc"].add(by_aapc == table.beta() * over(k, 2 * table.beta()) + table.sum() - table.beta(), where);
        result["aapc_printed"].add(by_aapc == table.aapc().steps, where);
        const Counts least = {table.sum() * k / 2, table.sum() * k / 2};
        result["one_port"].add(machine.count(permutation, k, one_port_shuffle) == least, where);
      }
      if (orders[0] == 5) result.panels.emplace_back(std::move(chart));
    }
  }
  machine.add_to(result);
}

void jh_table2_packets(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  constexpr std::array algorithms = {one_port_shuffle, aapc_shuffle, pipelined_shuffle, concurrent_shuffle};
  Chart& chart = result.chart("jh-table2-packets");
  constexpr std::size_t first = 3;  // of the tallies of the other algorithms
  struct PacketGrid {
    std::vector<unsigned> orders;
    std::vector<std::uint64_t> packets;
    std::uint64_t most;  ///< of 2^beta B elements
  };
  for (const PacketGrid& grid :
       {PacketGrid{{2, 2}, {2, 4}, 6}, PacketGrid{{5, 5}, {2}, 6}, PacketGrid{{2, 2, 2}, {2, 4}, 4}}) {
    const std::uint64_t beta = grid.orders.size();
    for (const std::uint64_t b : grid.packets) {
      for (std::uint64_t k = b << beta; k <= grid.most * (b << beta); k += b << beta) {
        const Table2 table = {grid.orders, k, b};
        const std::array rows = {table.one_port(), table.aapc(), table.pipelined(), table.concurrent()};
        const std::string where = fmt::format("{} of order {}, K {}, B {}", beta, grid.orders[0], k, b);
        for (unsigned i = 0; i < rows.size(); ++i) {
          const Counts counted = machine.count(constituents(grid.orders), k, algorithms[i], b);
          if (i == 0) {
            result["one_port_packets"].add(counted.startups == rows[0].startups, where);
            result["one_port_printed"].add(counted.steps == rows[0].steps, where);
            result["one_port_elements"].add(counted.steps == table.sum() * k / 2, where);
          } else {
            result[first + std::size_t{2} * (i - 1) + (k % (2 * beta * b) == 0 ? 0 : 1)].add(counted == rows[i], where);
          }
          if (i == 1) {
            const std::uint64_t packets = beta * over(over(k, 2 * b), beta) + table.sum() - beta;
            result["aapc_rounded"].add(counted == Counts{packets * b, packets}, where);
          }
          if (grid.orders[0] == 5) chart.add_pair(i, k, rows[i].startups, counted.startups);
        }
      }
    }
  }
  machine.add_to(result);
}

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

  Grid& grid = result.grid(result.id());
  for (std::uint32_t step = 1; step <= schedule.steps; ++step) grid.columns.push_back(std::to_string(step));
  const RowOrder order(printed_rows, schedule.rows);
  const std::multiset<std::uint32_t> points = draw(grid, schedule, order.order);
  result.number("steps", steps, schedule.steps);
  result.number("rows", printed_rows.size(), schedule.rows.size());
  result.text("lacking", "none", order.lacking.empty() ? "none" : order.lacking);
  if (!order.printed_points.empty()) {
    // The paper does not say when within its row a set synchronises.
    result.number("synchronisation", order.printed_points.size(), judged(points.size(), "synchronisation points"),
                  fmt::join(order.printed_points, " "), fmt::join(points, " "));
  }

  GeneralisedShuffle shuffle(workload, dim);
  MoveRecorder recorder(machine);
  const ShuffleMeasurement measured = machine.shuffle(dim, workload, shuffle);
  result.statement("sent_once", sent_once(recorder.moves(), schedule, orders), "", std::size_t{1} << dim);
  result.number("exchanged", steps, judged(measured.counted.steps, "counted steps"));
  result.statement("permuted", judged(measured.verified == true, "verified"));
}

}  // namespace ecube
