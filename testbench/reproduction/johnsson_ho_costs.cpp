// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Figures 6 and 11, Tables 1 to 3 and the Connection Machine: how long shuffles take.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "testbench/reproduction/ipsc1_shuffles.h"
#include "testbench/reproduction/measured_machine.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

/// Element exchanges and start-ups in sequence.
struct Counts {
  std::uint64_t steps = 0;
  std::uint64_t startups = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

constexpr std::uint64_t over(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Mixed constituents of the given orders, each with a storage dimension of its own.
DimensionPermutation mixed(std::span<const unsigned> orders) {
  std::vector<DimensionPermutation::Cycle> cycles;
  unsigned first = 0;
  for (unsigned j = 0; j < orders.size(); ++j) {
    DimensionPermutation::Cycle& cycle = cycles.emplace_back();
    for (unsigned i = orders[j]; i-- > 0;) cycle.push_back({.storage = false, .bit = first + i});
    cycle.push_back({.storage = true, .bit = j});
    first += orders[j];
  }
  return {cycles, {}};
}

/// `count` real constituents of one order.
DimensionPermutation real(unsigned order, unsigned count) {
  std::vector<DimensionPermutation::Cycle> cycles;
  for (unsigned j = 0; j < count; ++j) {
    DimensionPermutation::Cycle& cycle = cycles.emplace_back();
    for (unsigned i = order; i-- > 0;) cycle.push_back({.storage = false, .bit = j * order + i});
  }
  return {cycles, {}};
}

/// Measures shuffles on a preset and keeps how far their times are from steps and start-ups with the fitted cost of
/// each.
class Counted {
 public:
  Counted(TestBench& bench, std::string_view preset) : machine_(bench, preset) {}

  Counts count(unsigned dim, const ShuffleWorkload& workload) {
    const ShuffleMeasurement measured = machine_.shuffle(dim, workload);
    us_ = measured.run.result.us;
    Machine machine = machine_.machine();
    machine.node.ports = workload.ports;
    MeasuredMachine own = machine_;
    own.machine() = machine;
    const ShuffleParameters cost =
        own.calibration().shuffle(static_cast<std::uint32_t>(element_bytes), workload.packet);
    const double predicted = static_cast<double>(measured.counted.startups) * cost.tau_us +
                             static_cast<double>(measured.counted.steps) * cost.tc_us_per_element;
    worst_percent_ = std::max(worst_percent_, std::abs(us_ / predicted - 1) * 100);
    return {measured.counted.steps, measured.counted.startups};
  }
  /// Of the last run.
  [[nodiscard]] double us() const { return us_; }
  [[nodiscard]] Check times() const {
    return statement("machine: every time is start-ups and steps times their fitted costs", worst_percent_ < 0.1,
                     fmt::format("furthest off {:.2g} %", worst_percent_));
  }

 private:
  MeasuredMachine machine_;
  double us_ = 0;
  double worst_percent_ = 0;
};

ShuffleWorkload workload_of(const DimensionPermutation& permutation, std::uint64_t elements, bool one_port) {
  ShuffleWorkload workload;
  workload.permutation = permutation;
  workload.elements = elements;
  workload.ports.engines = one_port ? 1 : Ports::n;
  return workload;
}

/// How many of the points counted on the machine a formula has right.
struct Tally {
  std::size_t points = 0;
  std::size_t right = 0;
  std::string first_wrong{};

  void add(bool equal, const std::string& where) {
    ++points;
    right += equal ? 1 : 0;
    if (!equal && first_wrong.empty()) first_wrong = where;
  }
  [[nodiscard]] Check check(const std::string& what) const {
    Check check = statement(what, right == points, fmt::format("{} of {} points", right, points));
    if (!first_wrong.empty()) check.reached += ", not at " + first_wrong;
    return check;
  }
};

// --- A single mixed shuffle ----------------------------------------------------------------------------------------

// Table 1, as printed.

Counts table_1_one_port(unsigned order, std::uint64_t k, std::uint64_t b) {
  return {order * k / 2, order * over(k, 2 * b)};
}

Counts table_1_pipelined(unsigned order, std::uint64_t k, std::uint64_t b) {
  return {k / 2 + (order - 1) * b, over(k, 2 * b) + order - 1};
}

/// Where the n-port rows of the table apply: Theorem 1 with K / B in place of K, its first row corrected to "sigma <= 3
/// or K <= 8".
enum class ScheduleRegion : std::uint8_t { pipelining, concurrent, concurrent_pipelined };

ScheduleRegion region_of(unsigned order, std::uint64_t k) {
  if (order <= 3 || k <= 8) return ScheduleRegion::pipelining;
  return k <= std::uint64_t{2} * (order + 1) ? ScheduleRegion::concurrent : ScheduleRegion::concurrent_pipelined;
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

Reproduction johnsson_ho_figure_6(TestBench& bench) {
  constexpr unsigned orders = 8;
  constexpr std::uint64_t most = 24;
  Counted machine(bench, "ideal");
  Reproduction result;
  Grid grid{.title = "P pipelining, C concurrent exchange, CP with pipelining: element exchanges in sequence, measured",
            .corner = "sigma_r, K",
            .columns = {},
            .rows = {}};
  for (std::uint64_t k = 2; k <= most; k += 2) grid.columns.push_back(std::to_string(k));
  Tally tally;
  for (unsigned order = orders; order >= 1; --order) {
    grid.rows.push_back(std::to_string(order));
    grid.cells.emplace_back();
    const DimensionPermutation permutation = mixed(std::array{order});
    for (std::uint64_t k = 2; k <= most; k += 2) {
      ShuffleWorkload workload = workload_of(permutation, k, false);
      workload.mixed = MixedAlgorithm::pipelined;
      const std::uint64_t pipelined = machine.count(order, workload).steps;
      workload.mixed = MixedAlgorithm::concurrent;
      const std::uint64_t concurrent = machine.count(order, workload).steps;
      const ScheduleRegion region = region_of(order, k);
      constexpr std::array<std::string_view, 3> letters = {"P", "C", "CP"};
      const bool faster = concurrent < pipelined;
      const std::size_t own = !faster ? 0 : (concurrent == order + 3 && k < std::uint64_t{2} * (order + 1) ? 1 : 2);
      grid.cells.back().push_back(
          {.text = fmt::format("{} {}", letters[own], std::min(pipelined, concurrent)), .colour = own});
      // On the border K = 2 (sigma + 1) both forms say the same.
      const bool border = k == std::uint64_t{2} * (order + 1);
      const bool same = faster ? region != ScheduleRegion::pipelining &&
                                     (border || (own == 1) == (region == ScheduleRegion::concurrent))
                               : region == ScheduleRegion::pipelining;
      tally.add(same, fmt::format("sigma {} K {}", order, k));
    }
  }
  result.panels.emplace_back(std::move(grid));
  result.checks.push_back(
      tally.check("other starting dimensions pay exactly for sigma_r >= 4 and K > 8, from K = 2 (sigma_r + 1) with "
                  "pipelining"));
  result.checks.push_back(machine.times());
  result.verdict =
      "agrees with Theorem 1 where its first row reads \"sigma_r <= 3 or K <= 8\" (erratum: it has a comma). The "
      "figure "
      "itself is not legible in the source";
  return result;
}

Reproduction johnsson_ho_table_1(TestBench& bench) {
  Counted machine(bench, "ideal");
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
    const DimensionPermutation permutation = mixed(std::array{order});
    for (const std::uint64_t b : {1U, 2U, 4U}) {
      for (std::uint64_t k = 2; k <= 32; k += 2) {
        for (unsigned i = 0; i < 3; ++i) {
          // Packets of the concurrent schedule are whole.
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
          // A short last packet is exchanged while whole ones are: its steps cost nothing of their own.
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
    result.checks.push_back(tallies[i].check(fmt::format(
        "{}: steps and start-ups on the machine are the table's, sigma_r 1 .. 7, K 2 .. 32, B 1, 2, 4", names[i])));
  }
  result.panels.emplace_back(std::move(chart));
  result.checks.push_back(machine.times());
  result.verdict = "agrees, with the regions of Theorem 1 as corrected (sigma_r <= 3 or K <= 8 for pipelining alone)";
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

Reproduction johnsson_ho_table_2(TestBench& bench) {
  Counted machine(bench, "ideal");
  Reproduction result;
  const std::vector<std::vector<unsigned>> same = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {2, 2, 2}, {3, 3, 3}};
  const std::vector<std::vector<unsigned>> different = {{3, 1}, {3, 2}, {4, 2}, {5, 3}, {6, 2}, {4, 2, 2}};
  Tally one_port;
  Tally aapc;
  for (const bool equal_orders : {true, false}) {
    std::array<Tally, 2> corrected;
    std::array<Tally, 2> printed;
    for (const std::vector<unsigned>& orders : equal_orders ? same : different) {
      const DimensionPermutation permutation = mixed(orders);
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
        if (!equal_orders) continue;
        workload.mixed = MixedAlgorithm::aapc;
        aapc.add(machine.count(dim, workload).steps == orders.size() * over(k, 2 * orders.size()) + dim - orders.size(),
                 where);
        workload = workload_of(permutation, k, true);
        workload.mixed = MixedAlgorithm::one_port;
        one_port.add(machine.count(dim, workload) == Counts{dim * k / 2, dim * k / 2}, where);
      }
    }
    for (unsigned i = 0; i < 2; ++i) {
      const std::string what = fmt::format("{}, {} orders", i == 0 ? "pipelined" : "concurrent pipelined",
                                           equal_orders ? "equal" : "different");
      result.checks.push_back(corrected[i].check(what + ": steps as corrected"));
      Check as_printed = printed[i].check(what + ": steps as printed (reported)");
      as_printed.holds = true;
      result.checks.push_back(as_printed);
    }
  }
  result.checks.push_back(aapc.check("pipelined AAPC: beta ceil(K / 2 beta) + sigma_r - beta steps"));
  result.checks.push_back(one_port.check("one-port: sigma_r K / 2 steps and start-ups"));
  result.checks.push_back(machine.times());
  for (const std::vector<unsigned>& orders : {std::vector<unsigned>{5, 5}, std::vector<unsigned>{5, 3}}) {
    Chart chart{.title = fmt::format("Element exchanges in sequence, orders {} and {}, B = 1", orders[0], orders[1]),
                .x = {.label = "elements of a node K", .least = 0},
                .y = {.label = "steps", .least = 0}};
    for (unsigned i = 0; i < 2; ++i) {
      const std::string_view name = i == 0 ? "pipelined" : "concurrent";
      Series table{.name = fmt::format("{}, by the table", name), .colour = i};
      Series counted{.name = fmt::format("{}, measured", name), .kind = SeriesKind::measured, .colour = i};
      for (std::uint64_t k = 4; k <= 40; k += 4) {
        ShuffleWorkload workload = workload_of(mixed(orders), k, false);
        workload.mixed = i == 0 ? MixedAlgorithm::pipelined : MixedAlgorithm::concurrent;
        table.points.emplace_back(k, i == 0 ? table_2_pipelined(orders, k) : table_2_concurrent(orders, k));
        counted.points.emplace_back(k, machine.count(orders[0] + orders[1], workload).steps);
      }
      chart.series.push_back(table);
      chart.series.push_back(counted);
    }
    result.panels.emplace_back(std::move(chart));
  }
  result.verdict =
      "agrees for constituents of equal orders, and for different ones with an erratum: pipelined takes max(K/2 + "
      "max "
      "sigma^j - 1, ceil(K/2 beta) + sigma_r - 1) whatever the orders, and the concurrent schedule the least of that "
      "and max(K/2, sigma_r + 1) + 2; the printed cases are not always the larger, or the better, of the two";
  return result;
}

// --- Real shuffles -------------------------------------------------------------------------------------------------

Reproduction johnsson_ho_table_3(TestBench& bench) {
  Counted machine(bench, "ideal");
  Reproduction result;
  constexpr std::array<std::string_view, 5> names = {"A1 one-port", "A2 one-port", "A1 n-port", "A2 n-port",
                                                     "A2^2 n-port"};
  std::array<Tally, 5> tallies;
  std::array<Series, 5> predicted;
  std::array<Series, 5> measured;
  for (unsigned i = 0; i < names.size(); ++i) {
    predicted[i] = {.name = fmt::format("{}, by the table", names[i]), .colour = i};
    measured[i] = {.name = fmt::format("{}, measured", names[i]), .kind = SeriesKind::measured, .colour = i};
  }
  for (unsigned order = 2; order <= 5; ++order) {
    const DimensionPermutation permutation = real(order, 1);
    for (std::uint64_t k = 4; k <= 64; k += 4) {
      for (unsigned i = 0; i < names.size(); ++i) {
        if (i == 4 && order != 2) continue;
        ShuffleWorkload workload = workload_of(permutation, k, i < 2);
        workload.mixed = MixedAlgorithm::one_port;
        workload.real = i % 2 == 0 ? RealAlgorithm::a1 : RealAlgorithm::a2;
        if (i == 4) workload.real = RealAlgorithm::a2x2;
        // Packets without bound; of A2 squared, of one element.
        const std::array<std::uint64_t, 5> packets = {k / 2, k, over(k, std::uint64_t{2} * order), over(k, order), 1};
        workload.packet = static_cast<std::uint32_t>(packets[i]);
        const std::array<Counts, 5> table = {Counts{(order + 1) * k / 2, order + 1},
                                             {order * k, order},
                                             {(order + 1) * over(k, std::uint64_t{2} * order), order + 1},
                                             {order * over(k, order), order},
                                             {k / 2 + 1, k / 2 + 1}};
        const Counts counted = machine.count(order, workload);
        tallies[i].add(counted == table[i], fmt::format("sigma {} K {}", order, k));
        if (order != (i == 4 ? 2 : 4)) continue;
        predicted[i].points.emplace_back(k, table[i].steps);
        measured[i].points.emplace_back(k, counted.steps);
      }
    }
  }
  Chart chart{.title = "Element exchanges in sequence, sigma_r = 4 (A2^2: 2)",
              .x = {.label = "elements of a node K", .least = 0},
              .y = {.label = "steps", .least = 0}};
  for (unsigned i = 0; i < names.size(); ++i) {
    chart.series.push_back(predicted[i]);
    chart.series.push_back(measured[i]);
    result.checks.push_back(
        tallies[i].check(fmt::format("{}: steps and start-ups are the table's, sigma_r 2 .. 5, K 4 .. 64", names[i])));
  }
  result.panels.emplace_back(std::move(chart));
  result.checks.push_back(machine.times());
  result.verdict =
      "agrees; A2 on n ports takes sigma_r ceil(K / sigma_r) steps, the table's K where sigma_r divides K. Its first "
      "and "
      "last steps go one way and are paced as exchanges with an empty half";
  return result;
}

Reproduction johnsson_ho_figure_11(TestBench& bench) {
  const Ipsc1Shuffles shuffles = measure_ipsc1_shuffles(bench);
  Reproduction result;
  std::array<Series, 4> series = {Series{.name = "router", .kind = SeriesKind::measured, .colour = 0},
                                  Series{.name = "two AAPCs", .kind = SeriesKind::measured, .colour = 1},
                                  Series{.name = "A1", .kind = SeriesKind::measured, .colour = 2},
                                  Series{.name = "A2", .kind = SeriesKind::measured, .colour = 3}};
  double least = shuffles.sizes.front().ratio();
  double most = least;
  for (const Ipsc1Shuffle& size : shuffles.sizes) {
    const auto bytes = static_cast<double>(size.bytes);
    least = std::min(least, size.ratio());
    most = std::max(most, size.ratio());
    series[0].points.emplace_back(bytes, size.route_ms);
    if (size.two_aapcs_ms > 0) series[1].points.emplace_back(bytes, size.two_aapcs_ms);
    series[2].points.emplace_back(bytes, size.a1_ms);
    series[3].points.emplace_back(bytes, size.a2_ms);
    result.checks.push_back(
        distance(fmt::format("{} B: router / better of A1, A2 (published 5 to 10)", size.bytes), 5, size.ratio(), ""));
  }
  result.panels.emplace_back(Chart{.title = "Shuffle of all dimensions of a 5-cube, preset ipsc1, one port",
                                   .x = {.label = "message of a node, bytes", .logarithmic = true},
                                   .y = {.label = "time, ms", .logarithmic = true},
                                   .series = {series.begin(), series.end()}});
  result.checks.push_back(statement("A1 and A2 beat the router at every size", least > 1,
                                    fmt::format("{:.2f} to {:.2f} times", least, most)));
  result.checks.push_back(statement("A2 is faster up to a few hundred bytes, A1 above",
                                    shuffles.a1_from_bytes >= 100 && shuffles.a1_from_bytes < 1000,
                                    fmt::format("A1 from {} B", shuffles.a1_from_bytes)));
  result.verdict = fmt::format(
      "agrees: A2 is faster below {} bytes and A1 from there on (published: a few hundred), and both beat the router "
      "at "
      "every size. Differs: the router takes {:.1f} to {:.1f} times as long, published 5 to 10. A message goes over 4 "
      "hops at most, each of one start-up, where A2 has 5 start-ups and A1 sends 6 halves; whatever else forwarding "
      "cost on the machine is not in its published figures. For 5 times at {} bytes a forwarded packet would have to "
      "take {:.1f} ms instead of {:.1f}. The curves of the figure are not legible in the source",
      shuffles.a1_from_bytes, least, most, shuffles.forward_at_bytes, shuffles.forward_for_5_ms, shuffles.forward_ms);
  return result;
}

Reproduction johnsson_ho_cm2(TestBench& bench) {
  Counted machine(bench, "cm2");
  Reproduction result;
  Chart chart{.title = "Real shuffles of beta 2-cycles by A2^2, preset cm2",
              .x = {.label = "elements of a node K", .least = 0},
              .y = {.label = "time, us", .least = 0}};
  const auto published = [](unsigned beta, double k) { return 270 + (3.2 + 3.9 * beta) * k; };
  std::array<double, 3> slopes{};
  double constant = 0;
  bool straight = true;
  Tally tally;
  for (unsigned beta = 1; beta <= 3; ++beta) {
    Series own{.name = fmt::format("beta = {} measured", beta), .kind = SeriesKind::measured, .colour = beta - 1};
    Series theirs{.name = fmt::format("beta = {} published", beta), .kind = SeriesKind::published, .colour = beta - 1};
    Series equation{.name = fmt::format("beta = {} predicted", beta), .colour = beta - 1};
    for (std::uint64_t k = 32; k <= 256; k += 32) {
      ShuffleWorkload workload = workload_of(real(2, beta), k, false);
      workload.real = RealAlgorithm::a2x2;
      const std::uint64_t exchanges = beta * (k / 2 + 1);
      tally.add(machine.count(2 * beta, workload).steps == exchanges, fmt::format("beta {} K {}", beta, k));
      own.points.emplace_back(k, machine.us());
      theirs.points.emplace_back(k, published(beta, static_cast<double>(k)));
      // A 32-bit exchange in 185 cycles of 7 MHz (section 5's machine).
      equation.points.emplace_back(k, static_cast<double>(exchanges) * 185 / 7);
    }
    slopes[beta - 1] =
        (own.points.back().second - own.points.front().second) / (own.points.back().first - own.points.front().first);
    constant = own.points.front().second - slopes[beta - 1] * own.points.front().first;
    for (const auto& [k, us] : own.points) {
      straight = straight && std::abs(constant + slopes[beta - 1] * k - us) < 1e-6 * us;
    }
    result.checks.push_back(
        distance(fmt::format("beta = {}: us an element", beta), 3.2 + 3.9 * beta, slopes[beta - 1], "us"));
    chart.series.insert(chart.series.end(), {equation, own, theirs});
  }
  result.panels.emplace_back(std::move(chart));
  result.checks.push_back(tally.check("beta (K/2 + 1) exchanges in sequence"));
  result.checks.push_back(statement("the time is a straight line in K", straight));
  result.checks.push_back(machine.times());
  result.verdict = fmt::format(
      "agrees in form: a straight line in K whose slope grows with beta. Differs in the numbers: an element takes "
      "{:.1f} "
      "us for each 2-cycle, half of a 32-bit exchange of 185 cycles at 7 MHz, published 3.9 us, which is 55 cycles an "
      "exchange. The paper does not say how long its elements are, nor what its 3.2 us an element beside and its 270 "
      "us "
      "are; local moves cost nothing on the preset, which is not tuned to them",
      slopes[0]);
  return result;
}

}  // namespace ecube
