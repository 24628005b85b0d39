// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Table 2 with packets, and Corollary 1.
#include <array>
#include <numeric>

#include "testbench/reproduction/counted_shuffles.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

/// Table 2 for `beta` constituents of order sigma_r / beta and packets of b elements, as printed.
struct Table2 {
  std::uint64_t beta;
  std::uint64_t sum;  ///< sigma_r
  std::uint64_t k;
  std::uint64_t b;

  [[nodiscard]] std::uint64_t order() const { return sum / beta; }
  [[nodiscard]] Counts one_port() const { return {over(sum * k, 2 * b), sum * over(k, 2 * b)}; }
  [[nodiscard]] Counts aapc() const {
    const std::uint64_t packets = over(k, 2 * b) + sum - beta;
    return {packets * b, packets};
  }
  [[nodiscard]] Counts few_elements() const {
    return {over(k, 2 * beta) + (sum - 1) * b, over(k, 2 * beta * b) + sum - 1};
  }
  [[nodiscard]] Counts many_elements() const { return {over(k, 2) + (order() - 1) * b, over(k, 2 * b) + order() - 1}; }
  [[nodiscard]] Counts pipelined() const { return k <= 2 * b * sum ? few_elements() : many_elements(); }
  [[nodiscard]] Counts concurrent() const {
    if (sum <= 3 * beta) return pipelined();
    if (k <= 8 * beta * b) return few_elements();
    if (k <= 2 * b * (sum + 1)) return {(sum + 3) * b, sum + 3};
    return {k / 2 + 2 * b, over(k, 2 * b) + 2};
  }
};

}  // namespace

Reproduction johnsson_ho_table_2_packets(TestBench& bench, const Machine& preset) {
  Counted machine(bench, preset);
  Reproduction result;
  constexpr std::array<std::string_view, 4> names = {"one-port", "pipelined AAPC", "pipelined", "concurrent pipelined"};
  constexpr std::array algorithms = {MixedAlgorithm::one_port, MixedAlgorithm::aapc, MixedAlgorithm::pipelined,
                                     MixedAlgorithm::concurrent};
  std::array<Tally, 4> whole;  // where every constituent's share is whole packets
  std::array<Tally, 4> elsewhere;
  Tally one_port_packets;
  Tally one_port_printed;
  Tally one_port_elements;
  Tally aapc_rounded;
  std::array<Series, 4> table;
  std::array<Series, 4> measured;
  for (unsigned i = 0; i < 4; ++i) {
    table[i] = {.name = fmt::format("{}, by the table", names[i]), .colour = i};
    measured[i] = {.name = fmt::format("{}, measured", names[i]), .kind = SeriesKind::measured, .colour = i};
  }
  struct PacketGrid {
    std::vector<unsigned> orders;
    std::vector<std::uint64_t> packets;
    std::uint64_t most;  ///< of 2^beta B elements
  };
  for (const PacketGrid& grid :
       {PacketGrid{{2, 2}, {2, 4}, 6}, PacketGrid{{5, 5}, {2}, 6}, PacketGrid{{2, 2, 2}, {2, 4}, 4}}) {
    const auto dim = std::accumulate(grid.orders.begin(), grid.orders.end(), 0U);
    const std::uint64_t beta = grid.orders.size();
    const DimensionPermutation permutation = mixed_constituents(grid.orders);
    for (const std::uint64_t b : grid.packets) {
      for (std::uint64_t k = b << beta; k <= grid.most * (b << beta); k += b << beta) {
        const Table2 by_table = {.beta = beta, .sum = dim, .k = k, .b = b};
        const std::array<Counts, 4> rows = {by_table.one_port(), by_table.aapc(), by_table.pipelined(),
                                            by_table.concurrent()};
        const std::string where = fmt::format("{} of order {}, K {}, B {}", beta, grid.orders[0], k, b);
        for (unsigned i = 0; i < 4; ++i) {
          ShuffleWorkload workload = workload_of(permutation, k, i == 0);
          workload.mixed = algorithms[i];
          workload.packet = static_cast<std::uint32_t>(b);
          const Counts counted = machine.count(dim, workload);
          if (i == 0) {
            one_port_packets.add(counted.startups == rows[0].startups, where);
            one_port_printed.add(counted.steps == rows[0].steps, where);
            one_port_elements.add(counted.steps == dim * k / 2, where);
          } else {
            (k % (2 * beta * b) == 0 ? whole : elsewhere)[i].add(counted == rows[i], where);
          }
          if (i == 1) {
            const std::uint64_t packets = beta * over(over(k, 2 * b), beta) + dim - beta;
            aapc_rounded.add(counted == Counts{packets * b, packets}, where);
          }
          if (grid.orders[0] != 5) continue;
          table[i].points.emplace_back(k, rows[i].startups);
          measured[i].points.emplace_back(k, counted.startups);
        }
      }
    }
  }
  Chart chart{.title = "Packets in sequence, two constituents of order 5, B = 2",
              .x = {.label = "elements of a node K", .least = 0},
              .y = {.label = "packets", .least = 0}};
  for (unsigned i = 0; i < 4; ++i) {
    chart.series.push_back(table[i]);
    chart.series.push_back(measured[i]);
  }
  result.panels.emplace_back(std::move(chart));
  result.add(one_port_packets.check(print, "one-port: packets as printed, equal orders, B 2 and 4"));
  result.add(one_port_printed.check(print, "one-port: elements as printed"));
  result.add(one_port_elements.check(ours, "one-port: sigma_r K/2 elements, as in Table 1"));
  for (unsigned i = 1; i < 4; ++i) {
    result.add(whole[i].check(print, fmt::format("{}: elements and packets as printed, 2 beta B divides K", names[i])));
    result.add(elsewhere[i].check(print, fmt::format("{}: elements and packets as printed, any other K", names[i])));
  }
  result.add(aapc_rounded.check(ours, "pipelined AAPC: beta ceil(K / 2 beta B) in place of ceil(K / 2B)"));
  result.add(machine.times());
  return result;
}

Reproduction johnsson_ho_corollary_1(TestBench& bench, const Machine& preset) {
  Counted machine(bench, preset);
  Reproduction result;
  constexpr std::array<std::string_view, 5> names = {"A1 one-port", "A2 one-port", "A1 n-port", "A2 n-port",
                                                     "A2^2 n-port"};
  std::array<Tally, 5> never_below;
  std::array<Tally, 5> reached;
  std::array<Series, 4> ratio;  // A2^2 has sigma_r = 2 only
  for (unsigned i = 0; i < ratio.size(); ++i) {
    ratio[i] = {.name = std::string(names[i]), .kind = SeriesKind::measured, .colour = i};
  }
  for (unsigned order = 2; order <= 5; ++order) {
    const DimensionPermutation permutation = real_constituents(order, 1);
    // Parts of equal size: fixed packets.
    for (std::uint64_t k = std::uint64_t{2} * order; k <= 60; k += std::uint64_t{2} * order) {
      for (unsigned i = 0; i < names.size(); ++i) {
        if (i == 4 && order != 2) continue;
        const std::vector<std::uint64_t> packets =
            i == 4 ? std::vector<std::uint64_t>{1, 2, k / 2}
                   : std::vector<std::uint64_t>{std::array{k / 2, k, k / (std::uint64_t{2} * order), k / order}[i]};
        for (const std::uint64_t packet : packets) {
          if ((k / 2) % packet != 0 && i == 4) continue;
          ShuffleWorkload workload = workload_of(permutation, k, i < 2);
          workload.mixed = MixedAlgorithm::one_port;
          workload.real = i == 4 ? RealAlgorithm::a2x2 : i % 2 == 0 ? RealAlgorithm::a1 : RealAlgorithm::a2;
          workload.packet = static_cast<std::uint32_t>(packet);
          const Counts counted = machine.count(order, workload);
          // c routing cycles: c K / 2(c - 1) elements on n ports, sigma_r times as many on one.
          const auto cycles = static_cast<double>(counted.startups);
          const double bound = cycles * static_cast<double>(k) / (2 * (cycles - 1)) * (i < 2 ? order : 1);
          const auto steps = static_cast<double>(counted.steps);
          const std::string where = fmt::format("sigma {} K {} B {}", order, k, packet);
          never_below[i].add(steps >= bound * (1 - 1e-12), where);
          // A2 is above the bound for sigma_r > 2.
          if (i % 2 == 0 || order == 2) reached[i].add(std::abs(steps / bound - 1) < 1e-12, where);
          if (i < ratio.size() && k == std::uint64_t{4} * order) ratio[i].points.emplace_back(order, steps / bound);
        }
      }
    }
  }
  result.panels.emplace_back(Chart{.title = "Elements in sequence, as multiples of the bound of Corollary 1",
                                   .x = {.label = "sigma_r", .least = 0, .most = 6.5},
                                   .y = {.label = "multiple of the bound", .least = 0.9},
                                   .series = {ratio.begin(), ratio.end()}});
  for (unsigned i = 0; i < names.size(); ++i) {
    result.add(
        never_below[i].check(print, fmt::format("{}: never fewer than c K / 2(c - 1) elements in sequence", names[i])));
    result.add(reached[i].check(
        ours, fmt::format("{}: as few as the bound{}", names[i], i % 2 == 1 ? " for sigma_r = 2" : "")));
  }
  result.remarks =
      "c is the number of packets in sequence, all of one size; on one port the bound is sigma_r times that. A1 and "
      "A2^2 "
      "reach it, A2 for sigma_r = 2 only.";
  return result;
}

}  // namespace ecube
