// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Figure 6, Tables 1 and 2: the times of mixed shuffles.
#include <fmt/format.h>

#include <array>
#include <numeric>

#include "testbench/reproduction/counted_shuffles.h"
#include "testbench/reproduction/results.h"

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

}  // namespace

void jh_fig6(Findings& result, MeasuredMachine& preset) {
  constexpr std::uint64_t most = 24;
  Counted machine(preset);
  Grid grid = grid_of("jh-fig6");
  for (std::uint64_t k = 2; k <= most; k += 2) grid.columns.push_back(std::to_string(k));
  for (unsigned order = 8; order >= 1; --order) {
    std::vector<Cell>& cells = grid.add(std::to_string(order));
    const std::array orders = {order};
    for (std::uint64_t k = 2; k <= most; k += 2) {
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
  result.panels.emplace_back(std::move(grid));
  result.no_number("the figure's lines, which our copy has lost");
  machine.add_to(result);
}

void jh_table1(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  constexpr std::array<std::string_view, 3> names = {"one-port", "pipelining", "concurrent"};
  constexpr std::array algorithms = {one_port_shuffle, pipelined_shuffle, concurrent_shuffle};
  Curves curves(names, ", by the table", ", measured");
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
          if (order == 6 && b == 1) {
            curves.add(i, k, rows[i].steps, counted.steps);
          }
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
  result.panels.emplace_back(chart_of("jh-table1", std::move(curves.series)));
  machine.add_to(result);
}

void jh_table2(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  const std::vector<std::vector<unsigned>> same = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {2, 2, 2}, {3, 3, 3}};
  const std::vector<std::vector<unsigned>> different = {{3, 1}, {3, 2}, {4, 2}, {5, 3}, {6, 2}, {4, 2, 2}};
  constexpr std::array<std::string_view, 2> names = {"pipelined", "concurrent"};
  for (const bool equal_orders : {true, false}) {
    for (const std::vector<unsigned>& orders : equal_orders ? same : different) {
      const DimensionPermutation permutation = constituents(orders);
      Curves curves(names, ", by the table", ", measured");
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
          curves.add(i, k, printed[i], steps);
        }
        if (!equal_orders) continue;
        const std::uint64_t by_aapc = machine.count(permutation, k, aapc_shuffle).steps;
        result["aapc"].add(by_aapc == table.beta() * over(k, 2 * table.beta()) + table.sum() - table.beta(), where);
        result["aapc_printed"].add(by_aapc == table.aapc().steps, where);
        const Counts least = {table.sum() * k / 2, table.sum() * k / 2};
        result["one_port"].add(machine.count(permutation, k, one_port_shuffle) == least, where);
      }
      if (orders != std::vector<unsigned>{5, 5} && orders != std::vector<unsigned>{5, 3}) continue;
      result.panels.emplace_back(chart_of("jh-table2", std::move(curves.series), orders[0], orders[1]));
    }
  }
  machine.add_to(result);
}

void jh_table2_packets(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  constexpr std::array algorithms = {one_port_shuffle, aapc_shuffle, pipelined_shuffle, concurrent_shuffle};
  std::array<std::string_view, algorithms.size()> names;
  std::ranges::transform(algorithms, names.begin(), [](const auto& one) { return one.name; });
  Curves curves(names, ", by the table", ", measured");
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
          if (grid.orders[0] != 5) continue;
          curves.add(i, k, rows[i].startups, counted.startups);
        }
      }
    }
  }
  result.panels.emplace_back(chart_of("jh-table2-packets", std::move(curves.series)));
  machine.add_to(result);
}

}  // namespace ecube
