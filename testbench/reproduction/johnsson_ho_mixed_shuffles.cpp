// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Figure 6, Tables 1 and 2: the times of mixed shuffles.
#include <array>
#include <map>
#include <numeric>

#include "testbench/reproduction/counted_shuffles.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

// --- A single mixed shuffle ----------------------------------------------------------------------------------------

// Table 1, as printed.

Counts table_1_one_port(unsigned order, std::uint64_t k, std::uint64_t b) {
  return {order * k / 2, order * over(k, 2 * b)};
}

Counts table_1_pipelined(unsigned order, std::uint64_t k, std::uint64_t b) {
  return {k / 2 + (order - 1) * b, over(k, 2 * b) + order - 1};
}

/// The region in which an n-port row of the table applies: Theorem 1 with K / B in place of K, its first row corrected
/// to "sigma <= 3 or K <= 8".
enum class ScheduleRegion : std::uint8_t { pipelining, concurrent, concurrent_pipelined };

ScheduleRegion region_of(unsigned order, std::uint64_t k) {
  if (order <= 3 || k <= 8) return ScheduleRegion::pipelining;
  return k <= std::uint64_t{2} * (order + 1) ? ScheduleRegion::concurrent : ScheduleRegion::concurrent_pipelined;
}

/// Theorem 1.
std::uint64_t theorem_1(unsigned order, std::uint64_t k) {
  switch (region_of(order, k)) {
    case ScheduleRegion::pipelining:
      break;
    case ScheduleRegion::concurrent:
      return order + 3;
    case ScheduleRegion::concurrent_pipelined:
      return k / 2 + 2;
  }
  return k / 2 + order - 1;
}

Counts table_1_concurrent(unsigned order, std::uint64_t k, std::uint64_t b) {
  switch (region_of(order, over(k, b))) {
    case ScheduleRegion::pipelining:
      break;
    case ScheduleRegion::concurrent:
      return {(order + 3) * b, order + 3};
    case ScheduleRegion::concurrent_pipelined:
      return {k / 2 + 2 * b, over(k, 2 * b) + 2};
  }
  return table_1_pipelined(order, k, b);
}

}  // namespace

Reproduction johnsson_ho_figure_6(TestBench& bench, const Machine& preset) {
  constexpr unsigned orders = 8;
  constexpr std::uint64_t most = 24;
  Counted machine(bench, preset);
  Reproduction result;
  Grid grid{.title = "P pipelining, C concurrent exchange, CP with pipelining: element exchanges in sequence, measured",
            .corner = "sigma_r, K",
            .columns = {},
            .rows = {}};
  for (std::uint64_t k = 2; k <= most; k += 2) grid.columns.push_back(std::to_string(k));
  Tally pays;
  Tally steps;
  for (unsigned order = orders; order >= 1; --order) {
    grid.rows.push_back(std::to_string(order));
    grid.cells.emplace_back();
    const DimensionPermutation permutation = mixed_constituents(std::array{order});
    for (std::uint64_t k = 2; k <= most; k += 2) {
      ShuffleWorkload workload = workload_of(permutation, k, false);
      workload.mixed = MixedAlgorithm::pipelined;
      const std::uint64_t pipelined = machine.count(order, workload).steps;
      workload.mixed = MixedAlgorithm::concurrent;
      const std::uint64_t concurrent = machine.count(order, workload).steps;
      const ScheduleRegion region = region_of(order, k);
      constexpr std::array<std::string_view, 3> letters = {"P", "C", "CP"};
      const bool faster = concurrent < pipelined;
      const auto own_letter = static_cast<std::size_t>(faster ? region : ScheduleRegion::pipelining);
      grid.cells.back().push_back(
          {.text = fmt::format("{} {}", letters[own_letter], std::min(pipelined, concurrent)), .colour = own_letter});
      const std::string where = fmt::format("sigma {} K {}", order, k);
      pays.add(faster == (region != ScheduleRegion::pipelining), where);
      steps.add(std::min(pipelined, concurrent) == theorem_1(order, k), where);
    }
  }
  result.panels.emplace_back(std::move(grid));
  result.no_number("the figure's lines, which our copy has lost");
  result.add(pays.check(print, "machine: starting in other dimensions saves steps exactly for sigma_r >= 4 and K > 8"));
  result.add(steps.check(
      print, "machine: K/2 + sigma_r - 1 steps, sigma_r + 3 up to K = 2 (sigma_r + 1), K/2 + 2 from there on"));
  result.add(machine.times());
  result.remarks =
      "The first row of Theorem 1 has \"sigma_r <= 3, K <= 8\"; the text below it says \"or\", which we follow. With "
      "\"and\" the theorem has no row for sigma_r >= 4 and K < 8.";
  return result;
}

Reproduction johnsson_ho_table_1(TestBench& bench, const Machine& preset) {
  Counted machine(bench, preset);
  Reproduction result;
  std::array<Tally, 3> tallies;
  constexpr std::array<std::string_view, 3> names = {"one-port", "pipelining", "concurrent"};
  std::array<Series, 3> predicted;
  std::array<Series, 3> measured;
  for (unsigned i = 0; i < 3; ++i) {
    predicted[i] = {.name = fmt::format("{}, by the table", names[i]), .colour = i};
    measured[i] = {.name = fmt::format("{}, measured", names[i]), .kind = SeriesKind::measured, .colour = i};
  }
  for (unsigned order = 1; order <= 7; ++order) {
    const DimensionPermutation permutation = mixed_constituents(std::array{order});
    for (const std::uint64_t b : {1U, 2U, 4U}) {
      for (std::uint64_t k = 2; k <= 32; k += 2) {
        for (unsigned i = 0; i < 3; ++i) {
          // The concurrent schedule has no short packets.
          if (i == 2 && k % (2 * b) != 0) continue;
          ShuffleWorkload workload = workload_of(permutation, k, i == 0);
          constexpr std::array algorithms = {MixedAlgorithm::one_port, MixedAlgorithm::pipelined,
                                             MixedAlgorithm::concurrent};
          workload.mixed = algorithms[i];
          workload.packet = static_cast<std::uint32_t>(std::min(b, k / 2));
          if (workload.packet != b) continue;
          constexpr std::array formulas = {table_1_one_port, table_1_pipelined, table_1_concurrent};
          const Counts by_table = formulas[i](order, k, b);
          const Counts counted = machine.count(order, workload);
          // A short last packet is exchanged at the same time as whole ones, so its steps cost nothing.
          tallies[i].add(counted == by_table, fmt::format("sigma {} K {} B {}", order, k, b));
          if (order != 6 || b != 1) continue;
          predicted[i].points.emplace_back(k, by_table.steps);
          measured[i].points.emplace_back(k, counted.steps);
        }
      }
    }
  }
  Chart chart{.title = "Element exchanges in sequence, sigma_r = 6, B = 1",
              .x = {.label = "elements of a node K", .least = 0},
              .y = {.label = "steps", .least = 0}};
  for (unsigned i = 0; i < 3; ++i) {
    chart.series.push_back(predicted[i]);
    chart.series.push_back(measured[i]);
    result.add(tallies[i].check(
        print,
        fmt::format("{}: steps and start-ups on the machine are the table's, sigma_r 1 .. 7, K 2 .. 32, B 1, 2, 4",
                    names[i])));
  }
  result.panels.emplace_back(std::move(chart));
  result.add(machine.times());
  result.remarks = "The n-port rows apply in the regions of Theorem 1, sigma_r <= 3 or K <= 8 for pipelining alone.";
  return result;
}

// --- Several mixed shuffles ----------------------------------------------------------------------------------------

namespace {

// Table 2 with B = 1, as printed.

std::uint64_t table_2_pipelined(std::span<const unsigned> orders, std::uint64_t k) {
  const std::uint64_t beta = orders.size();
  const std::uint64_t sum = std::accumulate(orders.begin(), orders.end(), std::uint64_t{0});
  const std::uint64_t longest = *std::max_element(orders.begin(), orders.end());
  return k <= 2 * sum ? over(k, 2 * beta) + sum - 1 : k / 2 + longest - 1;
}

std::uint64_t table_2_concurrent(std::span<const unsigned> orders, std::uint64_t k) {
  const std::uint64_t beta = orders.size();
  const std::uint64_t sum = std::accumulate(orders.begin(), orders.end(), std::uint64_t{0});
  const std::uint64_t longest = *std::max_element(orders.begin(), orders.end());
  if (longest <= 3) return table_2_pipelined(orders, k);
  if (k <= 8 * beta) return over(k, 2 * beta) + sum - 1;
  return k <= 2 * (sum + 1) ? sum + 3 : k / 2 + 2;
}

/// Corrected: one formula for all orders.
std::uint64_t corrected_pipelined(std::span<const unsigned> orders, std::uint64_t k) {
  const std::uint64_t beta = orders.size();
  const std::uint64_t sum = std::accumulate(orders.begin(), orders.end(), std::uint64_t{0});
  const std::uint64_t longest = *std::max_element(orders.begin(), orders.end());
  return std::max(k / 2 + longest - 1, over(k, 2 * beta) + sum - 1);
}

std::uint64_t corrected_concurrent(std::span<const unsigned> orders, std::uint64_t k) {
  const std::uint64_t sum = std::accumulate(orders.begin(), orders.end(), std::uint64_t{0});
  const std::uint64_t longest = *std::max_element(orders.begin(), orders.end());
  const std::uint64_t plain = corrected_pipelined(orders, k);
  return longest < 4 ? plain : std::min(plain, std::max(k / 2, sum + 1) + 2);
}

}  // namespace

Reproduction johnsson_ho_table_2(TestBench& bench, const Machine& preset) {
  Counted machine(bench, preset);
  Reproduction result;
  const std::vector<std::vector<unsigned>> same = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {2, 2, 2}, {3, 3, 3}};
  const std::vector<std::vector<unsigned>> different = {{3, 1}, {3, 2}, {4, 2}, {5, 3}, {6, 2}, {4, 2, 2}};
  Tally one_port;
  Tally aapc;
  Tally aapc_printed;
  std::map<std::pair<std::vector<unsigned>, std::uint64_t>, std::array<std::uint64_t, 2>> steps;  // by orders and K
  for (const bool equal_orders : {true, false}) {
    std::array<Tally, 2> corrected;
    std::array<Tally, 2> printed;
    for (const std::vector<unsigned>& orders : equal_orders ? same : different) {
      const DimensionPermutation permutation = mixed_constituents(orders);
      const unsigned dim = std::accumulate(orders.begin(), orders.end(), 0U);
      const std::uint64_t unit = std::uint64_t{1} << orders.size();
      for (std::uint64_t k = unit; k <= 40; k += unit) {
        std::string where = "orders";
        for (const unsigned order : orders) where += fmt::format(" {}", order);
        where += fmt::format(", K {}", k);
        ShuffleWorkload workload = workload_of(permutation, k, false);
        workload.mixed = MixedAlgorithm::pipelined;
        const std::uint64_t pipelined = machine.count(dim, workload).steps;
        corrected[0].add(pipelined == corrected_pipelined(orders, k), where);
        printed[0].add(pipelined == table_2_pipelined(orders, k), where);
        workload.mixed = MixedAlgorithm::concurrent;
        const std::uint64_t concurrent = machine.count(dim, workload).steps;
        corrected[1].add(concurrent == corrected_concurrent(orders, k), where);
        printed[1].add(concurrent == table_2_concurrent(orders, k), where);
        steps[{orders, k}] = {pipelined, concurrent};
        if (!equal_orders) continue;
        workload.mixed = MixedAlgorithm::aapc;
        const std::uint64_t by_aapc = machine.count(dim, workload).steps;
        aapc.add(by_aapc == orders.size() * over(k, 2 * orders.size()) + dim - orders.size(), where);
        aapc_printed.add(by_aapc == k / 2 + dim - orders.size(), where);
        workload = workload_of(permutation, k, true);
        workload.mixed = MixedAlgorithm::one_port;
        one_port.add(machine.count(dim, workload) == Counts{dim * k / 2, dim * k / 2}, where);
      }
    }
    for (unsigned i = 0; i < 2; ++i) {
      const std::string what = fmt::format("{}, {} orders", i == 0 ? "pipelined" : "concurrent pipelined",
                                           equal_orders ? "equal" : "different");
      result.add(printed[i].check(print, what + ": steps as printed"));
      result.add(corrected[i].check(ours, what + ": steps as corrected"));
    }
  }
  result.add(aapc_printed.check(print, "pipelined AAPC: K/2 + sigma_r - beta steps as printed"));
  result.add(aapc.check(ours, "pipelined AAPC: beta ceil(K / 2 beta) + sigma_r - beta steps"));
  result.add(one_port.check(print, "one-port: sigma_r K / 2 steps and start-ups"));
  result.add(machine.times());
  for (const std::vector<unsigned>& orders : {std::vector<unsigned>{5, 5}, std::vector<unsigned>{5, 3}}) {
    Chart chart{.title = fmt::format("Element exchanges in sequence, orders {} and {}, B = 1", orders[0], orders[1]),
                .x = {.label = "elements of a node K", .least = 0},
                .y = {.label = "steps", .least = 0}};
    for (unsigned i = 0; i < 2; ++i) {
      const std::string_view name = i == 0 ? "pipelined" : "concurrent";
      Series table{.name = fmt::format("{}, by the table", name), .colour = i};
      Series counted{.name = fmt::format("{}, measured", name), .kind = SeriesKind::measured, .colour = i};
      for (std::uint64_t k = 4; k <= 40; k += 4) {
        table.points.emplace_back(k, i == 0 ? table_2_pipelined(orders, k) : table_2_concurrent(orders, k));
        counted.points.emplace_back(k, steps.at({orders, k})[i]);
      }
      chart.series.push_back(table);
      chart.series.push_back(counted);
    }
    result.panels.emplace_back(std::move(chart));
  }
  result.remarks =
      "Corrected: pipelined takes max(K/2 + max sigma^j - 1, ceil(K/2 beta) + sigma_r - 1) whatever the orders, and "
      "the "
      "concurrent schedule the least of that and max(K/2, sigma_r + 1) + 2.";
  return result;
}

}  // namespace ecube
