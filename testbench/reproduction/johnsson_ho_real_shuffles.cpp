// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Table 3, and section 5 with Figure 11: the times of real shuffles, also on a 5-cube of the iPSC/1
// by algorithm and by its router, and on the Connection Machine.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "testbench/collective/recommendation.h"
#include "testbench/reproduction/counted_shuffles.h"

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

class Ipsc1 {
 public:
  static constexpr ShuffleAlgorithm router = {.name = "router", .one_port = true, .method = ShuffleMethod::route};
  static constexpr ShuffleAlgorithm aapcs = {.name = "two AAPCs", .one_port = true, .method = ShuffleMethod::two_aapcs};
  static constexpr ShuffleAlgorithm a1 = {"A1", true};
  static constexpr ShuffleAlgorithm a2 = {"A2", true, MixedAlgorithm::one_port, RealAlgorithm::a2};

  explicit Ipsc1(MeasuredMachine machine) : machine_(std::move(machine)) {}

  ShuffleMeasurement measure(const ShuffleAlgorithm& by, Bytes bytes) {
    const std::uint64_t elements = bytes / element_bytes;
    const bool whole = by.method == ShuffleMethod::route || is_a2(by.real);
    ShuffleWorkload workload = by.workload(real_constituents(dim, 1), elements, whole ? elements : elements / 2);
    workload.ports = machine_.machine().node.ports;
    ShuffleMeasurement measured = machine_.shuffle(dim, workload);
    if (measured.verified != true) throw std::runtime_error("a shuffle on ipsc1 did not move its elements");
    return measured;
  }
  double ms(const ShuffleAlgorithm& by, Bytes bytes) {
    return judged(measure(by, bytes).run.result.us / 1000, "{}, {} B", by.name, bytes);
  }
  double predicted_ms(const ShuffleAlgorithm& by, Bytes bytes) { return measure(by, bytes).predicted->total() / 1000; }
  /// How many times as long as the better of A1 and A2 the router takes.
  double ratio(Bytes bytes) { return ms(router, bytes) / std::min(ms(a1, bytes), ms(a2, bytes)); }

 private:
  static constexpr unsigned dim = 5;

  MeasuredMachine machine_;
};

/// A preset with one parameter changed by as much as may be doubted.
struct Doubted {
  std::string_view what;
  void (*change)(Machine& machine);
};
constexpr std::array doubts = {
    Doubted{"links of one direction at a time", [](Machine& m) { m.network.duplex = Duplex::together; }},
    Doubted{"links half as fast", [](Machine& m) { m.link.cycles_per_phit.num *= 2; }},
    Doubted{"receipts twice as long", [](Machine& m) { m.library.receive_cycles *= 2; }},
    Doubted{"permutations four times as long", [](Machine& m) { m.core.permute.compiled.num *= 4; }},
    Doubted{"start-ups overlapped", [](Machine& m) { m.node.startups = Startups::overlapped; }}};

/// What it would take to make the router as slow as printed.
void add_doubts(Findings& result, const MeasuredMachine& preset) {
  double most = 0;
  std::string_view of;
  for (const Doubted& doubt : doubts) {
    Ipsc1 machine(preset.with(doubt.change));
    for (Bytes bytes = 16; bytes <= 4096; bytes *= 4) {
      const double ratio = machine.ratio(bytes);
      if (ratio > most) of = doubt.what;
      most = std::max(most, ratio);
    }
  }
  result.statement("no_other", most < 2, fmt::format("{:.2f} times at most: {}", most, of));
  MeasuredMachine slower = preset;
  Machine& machine = slower.machine();
  const double forward = machine.us(static_cast<double>(machine.from_core(machine.library.forward_cycles))) / 1000;
  double too_short = forward;
  double enough = 100;
  for (unsigned i = 0; i < 20; ++i) {
    const double middle = (too_short + enough) / 2;
    machine.library.forward_cycles = static_cast<Cycles>(middle * 1e-3 * machine.core.clock_hz);
    (Ipsc1(slower).ratio(256) < 5 ? too_short : enough) = middle;
  }
  result.statement("forwarding", enough > 3 * forward, fmt::format("{:.1f} ms in place of {:.1f}", enough, forward));
}

/// The most exchanges of one node in one step of a pipelined shuffle with an element pair for every channel of every
/// dimension.
std::uint64_t exchanges_at_once(MeasuredMachine& machine, unsigned dim) {
  const std::uint64_t packet = machine.machine().link.channels;
  const ShuffleAlgorithm pipelined = {"", false, MixedAlgorithm::pipelined};
  const ShuffleWorkload workload = pipelined.workload(constituents(std::array{dim}), 2 * packet * dim, packet);
  GeneralisedShuffle shuffle(workload, dim);
  MoveRecorder recorder(machine);
  machine.shuffle(dim, workload, shuffle);
  std::map<std::pair<unsigned, NodeId>, std::uint64_t> sent;  // by step and node
  std::uint64_t most = 0;
  for (const RecordedMove& move : recorder.moves()) most = std::max(most, ++sent[{move.label, move.from}]);
  return most;
}

ShuffleAlgorithm by(RealAlgorithm algorithm) { return {"", false, MixedAlgorithm::concurrent, algorithm}; }

/// Where the printed slopes may come from. `by_beta`: us an element of both forms, for 1 to 3 2-cycles each.
void add_doubts(Findings& result, const MeasuredMachine& preset, const std::vector<double>& by_beta) {
  const double cycles_of_us = preset.machine().clock_hz * 1e-6;
  const double in_sequence = (by_beta[2] - by_beta[0]) / 2 * cycles_of_us;
  const double at_once = (by_beta[5] - by_beta[3]) / 2 * cycles_of_us;
  const double in_print = 3.9 * cycles_of_us;
  result.statement("one_more", at_once < 0.1 * in_print && in_sequence > 1.5 * in_print,
                   fmt::format("{:.0f} and {:.0f} cycles, in print {:.0f}", at_once, in_sequence, in_print));
  Counted fours(preset.with([](Machine& m) { m.link.channels = 4; }));
  const auto time_of = [&](std::uint64_t k) {
    (void)fours.count(real_constituents(2, 1), k, by(RealAlgorithm::a2x2), 4);
    return fours.us();
  };
  result.number("four_channels", 3.2, (time_of(240) - time_of(48)) / (240 - 48));
}

}  // namespace

void jh_table3(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  Chart& chart = result.chart("jh-table3");
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
        if (order == (i == a2_squared ? 2 : 4)) chart.add_pair(i, k, table[i].steps, counted.steps);
      }
    }
  }
  machine.add_to(result);
}

void jh_corollary1(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  Chart& chart = result.chart("jh-corollary1");
  for (unsigned order = 2; order <= 5; ++order) {
    // Parts of equal size: fixed packets.
    const std::uint64_t part = std::uint64_t{2} * order;
    for (std::uint64_t k = part; k <= 60; k += part) {
      const std::array<std::vector<std::uint64_t>, 5> packets = {
          {{k / 2}, {k}, {k / part}, {k / order}, {1, 2, k / 2}}};
      for (unsigned i = 0; i < algorithms.size(); ++i) {
        if (i == a2_squared && order != 2) continue;
        for (const std::uint64_t packet : packets[i]) {
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
          if (i < a2_squared && k == std::uint64_t{4} * order)
            chart.series[i].points.emplace_back(order, steps / bound);
        }
      }
    }
  }
}

/// A real shuffle of all five dimensions, one-port, on the preset ipsc1.
void jh_fig11(Findings& result, MeasuredMachine& preset) {
  Ipsc1 machine(preset);
  Chart& chart = result.chart("jh-fig11");
  Furthest furthest;
  double least = INFINITY;
  double most = 0;
  for (Bytes bytes = 16; bytes <= 4096; bytes *= 2) {
    const auto add = [&](std::size_t series, const ShuffleAlgorithm& algorithm) {
      return chart.series[series].points.emplace_back(bytes, machine.ms(algorithm, bytes)).second;
    };
    const double route = add(0, Ipsc1::router);
    // Two communications go through as many storage dimensions as there are processor dimensions: 32 elements at least.
    if (bytes >= 32 * element_bytes) add(1, Ipsc1::aapcs);
    double better = INFINITY;  // of A1 and A2
    for (const bool whole : {false, true}) {
      const ShuffleAlgorithm& algorithm = whole ? Ipsc1::a2 : Ipsc1::a1;
      const double took = add(whole ? 5 : 3, algorithm);
      better = std::min(better, took);
      // The equation does not cover messages of several packets; A1 sends halves.
      if (bytes > preset.machine().network.packet_bytes * (whole ? 1 : 2)) continue;
      const double predicted = machine.predicted_ms(algorithm, bytes);
      chart.series[whole ? 4 : 2].points.emplace_back(bytes, predicted);
      furthest.add(took, predicted);
    }
    const double ratio = route / better;
    least = std::min(least, ratio);
    most = std::max(most, ratio);
    result.range("router", 5, 10, ratio, bytes);
  }
  constexpr Bytes step = 2 * element_bytes;
  const auto a1_from = first_between(16 / step, 4096 / step, [&](std::uint64_t steps) {
    return machine.ms(Ipsc1::a1, steps * step) < machine.ms(Ipsc1::a2, steps * step);
  });
  result.within("equations", furthest);
  result.statement("beaten", least > 1, fmt::format("{:.2f} to {:.2f} times", least, most));
  result.range("a1_from", 200, 900, a1_from.value_or(0) * step);
  add_doubts(result, preset);
}

void jh_cm2(Findings& result, MeasuredMachine& preset) {
  Counted machine(preset);
  // Section 1: a full machine of 11 dimensions has 22 exchanges at once. A packet of two elements is shared.
  MeasuredMachine two_channels = preset.with([](Machine& m) { m.link.channels = 2; });
  Counted pairs(two_channels);
  double constant = 0;
  // Two exchanges: one element each way by either path.
  const auto steps_of_one =
      static_cast<double>(machine.count(real_constituents(2, 1), 2, by(RealAlgorithm::a2x2)).steps);
  result.number("exchange", 185, machine.us() * preset.machine().clock_hz * 1e-6 / steps_of_one);
  std::vector<double> by_beta;  // slopes of both forms
  for (const RealAlgorithm algorithm : {RealAlgorithm::a2x2_sequential, RealAlgorithm::a2x2}) {
    const bool at_once = algorithm == RealAlgorithm::a2x2;
    const std::string_view form = at_once ? "all at once" : "one after the other";
    Chart& chart = result.chart("jh-cm2", form);
    for (unsigned beta = 1; beta <= 3; ++beta) {
      // In sequence, for beta 2-cycles.
      const auto exchanges = [&](std::uint64_t elements) { return (at_once ? 1 : beta) * (elements / 2 + 1); };
      Series* const series = &chart.series[std::size_t{3} * (beta - 1)];  // prediction, measurement, in print
      // Multiples of 2 beta, at least 4 beta.
      for (std::uint64_t k = 24; k <= 240; k += 24) {
        const DimensionPermutation cycles = real_constituents(2, beta);
        result[form].add(machine.count(cycles, k, by(algorithm)).steps == exchanges(k), "beta {} K {}", beta, k);
        const Counts shared = pairs.count(cycles, k, by(algorithm), 2);
        result["shared"].add(shared.startups == exchanges(k / 2), "beta {} K {}", beta, k);
        // A 32-bit exchange in 185 cycles of 7 MHz (section 1 of the paper; the clock is recalled).
        series[0].points.emplace_back(k, static_cast<double>(exchanges(k / 2)) * 185 / 7);
        series[1].points.emplace_back(k, pairs.us());
        series[2].points.emplace_back(k, 270 + (3.2 + 3.9 * beta) * static_cast<double>(k));
      }
      // A straight line through the first and the last point, and the points between.
      const auto& measured = series[1].points;
      const auto& [first_k, first_us] = measured.front();
      const auto& [last_k, last_us] = measured.back();
      const double slope = (last_us - first_us) / (last_k - first_k);
      const double at_0 = first_us - slope * first_k;
      for (const auto& [k, us] : measured) {
        result["straight"].add(std::abs(at_0 + slope * k - us) < 1e-6 * us, "{}, beta {}, K {}", form, beta, k);
      }
      by_beta.push_back(slope);
      if (beta == 1) constant = at_0;
      result.number("slope", 3.2 + 3.9 * beta, slope, beta, form);
    }
  }
  result.number("constant", 270, constant);
  result.add_statements();
  add_doubts(result, preset, by_beta);
  result.number("at_once", 22, exchanges_at_once(two_channels, 11));
  pairs.add_to(result);
}

}  // namespace ecube
