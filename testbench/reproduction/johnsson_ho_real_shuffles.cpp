// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Table 3 and the Connection Machine: the times of real shuffles.
#include <array>
#include <map>

#include "testbench/reproduction/counted_shuffles.h"
#include "testbench/reproduction/recorded_moves.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

constexpr std::array algorithms = {
    ShuffleAlgorithm{"A1 one-port", true, MixedAlgorithm::one_port, RealAlgorithm::a1},
    ShuffleAlgorithm{"A2 one-port", true, MixedAlgorithm::one_port, RealAlgorithm::a2},
    ShuffleAlgorithm{"A1 n-port", false, MixedAlgorithm::one_port, RealAlgorithm::a1},
    ShuffleAlgorithm{"A2 n-port", false, MixedAlgorithm::one_port, RealAlgorithm::a2},
    ShuffleAlgorithm{"A2^2 n-port", false, MixedAlgorithm::one_port, RealAlgorithm::a2x2}};
constexpr std::size_t a2_on_n_ports = 3;
constexpr std::size_t a2_squared = 4;  // has sigma_r = 2 only

constexpr std::array<std::string_view, algorithms.size()> names = [] {
  std::array<std::string_view, algorithms.size()> result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = algorithms[i].name;
  return result;
}();

}  // namespace

void jh_table3(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  Curves curves(names, ", by the table", ", measured");
  for (unsigned order = 2; order <= 5; ++order) {
    for (std::uint64_t k = 4; k <= 64; k += 4) {
      const std::uint64_t part = std::uint64_t{2} * order;
      // Packets of any size; for A2 squared packets of one element.
      const std::array<std::uint64_t, 5> packets = {k / 2, k, over(k, part), over(k, order), 1};
      const std::array<Counts, 5> table = {Counts{(order + 1) * k / 2, order + 1},
                                           {order * k, order},
                                           {(order + 1) * over(k, part), order + 1},
                                           {k, order},
                                           {k / 2 + 1, k / 2 + 1}};
      for (unsigned i = 0; i < algorithms.size(); ++i) {
        if (i == a2_squared && order != 2) continue;
        const std::string where = fmt::format("sigma {} K {}", order, k);
        const Counts counted = machine.count(real_constituents(order, 1), k, algorithms[i], packets[i]);
        result[std::size_t{2} * i].add(counted == table[i], where);
        // The last columns, relative to sigma K/2 elements on one port and K/2 on n, and to sigma start-ups. Of A2
        // squared the factor is 1 + 2B/K; unequal parts would add their rounding.
        Tally& factors = result[std::size_t{2} * i + 1];
        const auto least = static_cast<double>(algorithms[i].one_port ? order * k / 2 : k / 2);
        const double steps = static_cast<double>(counted.steps) / least;
        const double startups = static_cast<double>(counted.startups) / order;
        if (i == a2_squared) {
          factors.add(steps == 1 + 2.0 / static_cast<double>(k), where);
        } else if (i % 2 == 0 && k % part == 0) {
          factors.add(steps > 1 && steps <= 1.5 && startups > 1 && startups <= 1.5, where);
        } else if (i % 2 == 1 && k % order == 0) {
          factors.add(steps == 2 && startups == 1, where);
        }
        if (i == a2_on_n_ports) result["rounded"].add(counted == Counts{order * over(k, order), order}, where);
        if (order != (i == a2_squared ? 2 : 4)) continue;
        curves.add(i, static_cast<double>(k), static_cast<double>(table[i].steps), static_cast<double>(counted.steps));
      }
    }
  }
  result.panels.emplace_back(chart_of("jh-table3", std::move(curves.series)));
  machine.add_to(result);
}

void jh_corollary1(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  Curves curves(std::span<const std::string_view>(names).first(a2_squared), "", "");
  for (unsigned order = 2; order <= 5; ++order) {
    // Parts of equal size: fixed packets.
    for (std::uint64_t k = std::uint64_t{2} * order; k <= 60; k += std::uint64_t{2} * order) {
      for (unsigned i = 0; i < algorithms.size(); ++i) {
        if (i == a2_squared && order != 2) continue;
        const std::vector<std::uint64_t> packets =
            i == a2_squared
                ? std::vector<std::uint64_t>{1, 2, k / 2}
                : std::vector<std::uint64_t>{std::array{k / 2, k, k / (std::uint64_t{2} * order), k / order}[i]};
        for (const std::uint64_t packet : packets) {
          if ((k / 2) % packet != 0 && i == a2_squared) continue;
          const Counts counted = machine.count(real_constituents(order, 1), k, algorithms[i], packet);
          // c routing cycles: c K / 2(c - 1) elements on n ports, sigma_r times as many on one.
          const auto cycles = static_cast<double>(counted.startups);
          const double bound =
              cycles * static_cast<double>(k) / (2 * (cycles - 1)) * (algorithms[i].one_port ? order : 1);
          const auto steps = static_cast<double>(counted.steps);
          const std::string where = fmt::format("sigma {} K {} B {}", order, k, packet);
          result[std::size_t{2} * i].add(steps >= bound * (1 - 1e-12), where);
          // A2 is above the bound for sigma_r > 2.
          if (i % 2 == 0 || order == 2) result[std::size_t{2} * i + 1].add(std::abs(steps / bound - 1) < 1e-12, where);
          if (i < a2_squared && k == std::uint64_t{4} * order) curves.measured(i).emplace_back(order, steps / bound);
        }
      }
    }
  }
  std::erase_if(curves.series, [](const Series& one) { return one.kind != SeriesKind::measured; });
  result.panels.emplace_back(chart_of("jh-corollary1", std::move(curves.series)));
}

namespace {

/// The most exchanges of one node in one step of a pipelined shuffle with an element pair for every channel of every
/// dimension.
std::uint64_t exchanges_at_once(MeasuredMachine& machine, unsigned dim) {
  ShuffleWorkload workload;
  workload.permutation = constituents(std::array{dim});
  workload.packet = machine.machine().link.channels;
  workload.elements = std::uint64_t{2} * dim * workload.packet;
  workload.mixed = MixedAlgorithm::pipelined;
  workload.ports.engines = Ports::n;
  GeneralisedShuffle shuffle(workload, dim);
  MoveRecorder recorder;
  machine.shuffle(dim, workload, shuffle, &recorder);
  std::map<std::pair<unsigned, NodeId>, std::uint64_t> sent;  // by step and node
  std::uint64_t most = 0;
  for (const RecordedMove& move : judged(recorder.moves(), "messages"))
    most = std::max(most, ++sent[{move.label, move.from}]);
  return most;
}

/// A straight line through the first and the last point.
struct Straight {
  double slope = 0;
  double at_0 = 0;
  bool all = true;  ///< points between are on it

  explicit Straight(const std::vector<std::pair<double, double>>& points) {
    const auto& [first_k, first_us] = points.front();
    const auto& [last_k, last_us] = points.back();
    slope = (last_us - first_us) / (last_k - first_k);
    at_0 = first_us - slope * first_k;
    for (const auto& [k, us] : points) all = all && std::abs(at_0 + slope * k - us) < 1e-6 * us;
  }
};

struct A2x2Form {
  RealAlgorithm algorithm;
  std::string_view name;
  /// Exchanges in sequence for beta 2-cycles.
  std::uint64_t (*exchanges)(unsigned beta, std::uint64_t elements);
};
constexpr std::array a2x2_forms = {
    A2x2Form{RealAlgorithm::a2x2_sequential, "one after the other",
             [](unsigned beta, std::uint64_t elements) { return beta * (elements / 2 + 1); }},
    A2x2Form{RealAlgorithm::a2x2, "all at once", [](unsigned, std::uint64_t elements) { return elements / 2 + 1; }}};

constexpr Tolerance two_digits = {2, "printed with two digits"};

ShuffleAlgorithm by(RealAlgorithm algorithm) { return {"", false, MixedAlgorithm::concurrent, algorithm}; }

/// Where the printed slopes may come from. `by_beta`: us an element of both forms, for 1 to 3 2-cycles each.
void add_doubts(Findings& result, const MeasuredMachine& preset, const std::vector<double>& by_beta) {
  const double cycles_of_us = preset.machine().clock_hz * 1e-6;
  const double in_sequence = (by_beta[2] - by_beta[0]) / 2 * cycles_of_us;
  const double at_once = (by_beta[5] - by_beta[3]) / 2 * cycles_of_us;
  const double in_print = 3.9 * cycles_of_us;
  result.statement("one_more", at_once < 0.1 * in_print && in_sequence > 1.5 * in_print,
                   fmt::format("{:.0f} and {:.0f} cycles, in print {:.0f}", at_once, in_sequence, in_print));
  MeasuredMachine four_channels = preset;
  four_channels.machine().link.channels = 4;
  Counted fours(four_channels);
  const auto time_of = [&](std::uint64_t k) {
    (void)fours.count(real_constituents(2, 1), k, by(RealAlgorithm::a2x2), 4);
    return fours.us();
  };
  result.number("four_channels", 3.2, (time_of(240) - time_of(48)) / (240 - 48));
}

}  // namespace

void jh_cm2(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  // Section 1: a full machine of 11 dimensions has 22 exchanges at once. A packet of two elements is shared.
  MeasuredMachine two_channels = preset;
  two_channels.machine().link.channels = 2;
  Counted pairs(two_channels);
  const auto published = [](unsigned beta, double k) { return 270 + (3.2 + 3.9 * beta) * k; };
  bool straight = true;
  double constant = 0;
  std::vector<Check> slopes;
  std::vector<double> by_beta;  // slopes of both forms
  for (const A2x2Form& form : a2x2_forms) {
    Chart chart = chart_of("jh-cm2", {}, form.name);
    for (unsigned beta = 1; beta <= 3; ++beta) {
      const auto series = [&](std::string_view kind, SeriesKind drawn) {
        return Series{.name = fmt::format("beta = {} {}", beta, kind), .kind = drawn, .colour = beta - 1};
      };
      Series own_series = series("measured", SeriesKind::measured);
      Series theirs = series("published", SeriesKind::published);
      Series equation = series("predicted", SeriesKind::predicted);
      // Multiples of 2 beta, at least 4 beta.
      for (std::uint64_t k = 24; k <= 240; k += 24) {
        const DimensionPermutation cycles = real_constituents(2, beta);
        const Counts counted = machine.count(cycles, k, by(form.algorithm));
        result[form.name].add(counted.steps == form.exchanges(beta, k), fmt::format("beta {} K {}", beta, k));
        const Counts shared = pairs.count(cycles, k, by(form.algorithm), 2);
        result["shared"].add(shared.startups == form.exchanges(beta, k / 2), fmt::format("beta {} K {}", beta, k));
        own_series.points.emplace_back(k, pairs.us());
        theirs.points.emplace_back(k, published(beta, static_cast<double>(k)));
        // A 32-bit exchange in 185 cycles of 7 MHz (section 1 of the paper; the clock is recalled).
        equation.points.emplace_back(k, static_cast<double>(form.exchanges(beta, k / 2)) * 185 / 7);
      }
      const Straight line(own_series.points);
      by_beta.push_back(line.slope);
      if (beta == 1) constant = line.at_0;
      straight = straight && line.all;
      slopes.push_back(number_check(print, fmt::format("beta = {}, {}: us an element", beta, form.name),
                                    3.2 + 3.9 * beta, line.slope, two_digits, "us"));
      chart.series.insert(chart.series.end(), {equation, own_series, theirs});
    }
    result.panels.emplace_back(std::move(chart));
  }
  // Two exchanges: one element each way by either path.
  const auto steps_of_one =
      static_cast<double>(machine.count(real_constituents(2, 1), 2, by(RealAlgorithm::a2x2)).steps);
  result.number("exchange", 185, machine.us() * preset.machine().clock_hz * 1e-6 / steps_of_one);
  result.checks.insert(result.checks.end(), slopes.begin(), slopes.end());
  result.number("constant", 270, constant);
  result.add_statements();
  result.statement("straight", straight);
  add_doubts(result, preset, by_beta);
  result.count("at_once", 22, exchanges_at_once(two_channels, 11));
  pairs.add_to(result);
}

}  // namespace ecube
