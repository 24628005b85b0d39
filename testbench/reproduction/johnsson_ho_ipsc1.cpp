// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, section 5 and Figure 11: shuffles on a 5-cube of the iPSC/1, by algorithm and by its router.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "testbench/reproduction/counted_shuffles.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

class Ipsc1 {
 public:
  explicit Ipsc1(MeasuredMachine machine) : machine_(std::move(machine)) {}

  ShuffleMeasurement measure(ShuffleMethod method, RealAlgorithm algorithm, Bytes bytes) {
    ShuffleWorkload workload;
    workload.permutation = real_constituents(dim, 1);
    workload.elements = bytes / element_bytes;
    workload.method = method;
    workload.mixed = MixedAlgorithm::one_port;
    workload.real = algorithm;
    workload.ports = machine_.machine().node.ports;
    const bool whole = method == ShuffleMethod::route || is_a2(algorithm);
    workload.packet = static_cast<std::uint32_t>(whole ? workload.elements : workload.elements / 2);
    ShuffleMeasurement measured = machine_.shuffle(dim, workload);
    if (measured.verified != true) throw std::runtime_error("a shuffle on ipsc1 did not move its elements");
    return measured;
  }
  double ms(ShuffleMethod method, RealAlgorithm algorithm, Bytes bytes) {
    const std::string_view name = method == ShuffleMethod::route ? "router" : is_a2(algorithm) ? "A2" : "A1";
    return judged(measure(method, algorithm, bytes).run.result.us / 1000, "{}, {} B", name, bytes);
  }
  double predicted_ms(RealAlgorithm algorithm, Bytes bytes) {
    return measure(ShuffleMethod::constituents, algorithm, bytes).predicted->total() / 1000;
  }
  /// How many times as long as the better of A1 and A2 the router takes.
  double ratio(Bytes bytes) { return route_ms(bytes) / std::min(a1_ms(bytes), a2_ms(bytes)); }
  double route_ms(Bytes bytes) { return ms(ShuffleMethod::route, RealAlgorithm::a1, bytes); }
  double a1_ms(Bytes bytes) { return ms(ShuffleMethod::constituents, RealAlgorithm::a1, bytes); }
  double a2_ms(Bytes bytes) { return ms(ShuffleMethod::constituents, RealAlgorithm::a2, bytes); }

  [[nodiscard]] Bytes packet_bytes() const { return machine_.machine().network.packet_bytes; }
  [[nodiscard]] double forward_ms() const {
    const Machine& machine = machine_.machine();
    return machine.us(static_cast<double>(machine.from_core(machine.library.forward_cycles))) / 1000;
  }
  void set_forward_ms(double ms) {
    Machine& machine = machine_.machine();
    machine.library.forward_cycles = static_cast<Cycles>(ms * 1e-3 * machine.core.clock_hz);
  }

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
    MeasuredMachine changed = preset;
    doubt.change(changed.machine());
    Ipsc1 machine(changed);
    for (Bytes bytes = 16; bytes <= 4096; bytes *= 4) {
      const double ratio = machine.ratio(bytes);
      if (ratio > most) of = doubt.what;
      most = std::max(most, ratio);
    }
  }
  result.statement("no_other", most < 2, fmt::format("{:.2f} times at most: {}", most, of));
  Ipsc1 machine(preset);
  const double forward = machine.forward_ms();
  double too_short = forward;
  double enough = 100;
  for (unsigned i = 0; i < 20; ++i) {
    const double middle = (too_short + enough) / 2;
    machine.set_forward_ms(middle);
    (machine.ratio(256) < 5 ? too_short : enough) = middle;
  }
  result.statement("forwarding", enough > 3 * forward, fmt::format("{:.1f} ms in place of {:.1f}", enough, forward));
}

}  // namespace

/// A real shuffle of all five dimensions, one-port, on the preset ipsc1.
void jh_fig11(Findings& result, MeasuredMachine& preset) {
  Ipsc1 machine(preset);
  std::array<Series, 6> series = {Series{.name = "router measured", .kind = SeriesKind::measured, .colour = 0},
                                  Series{.name = "two AAPCs measured", .kind = SeriesKind::measured, .colour = 1},
                                  Series{.name = "A1 measured", .kind = SeriesKind::measured, .colour = 2},
                                  Series{.name = "A2 measured", .kind = SeriesKind::measured, .colour = 3},
                                  Series{.name = "A1 predicted", .colour = 2},
                                  Series{.name = "A2 predicted", .colour = 3}};
  const auto add = [&](std::size_t which, Bytes bytes, double ms) {
    series[which].points.emplace_back(static_cast<double>(bytes), ms);
    return ms;
  };
  Furthest furthest;
  double least = INFINITY;
  double most = 0;
  result.no_number("the curves, which our copy has lost");
  for (Bytes bytes = 16; bytes <= 4096; bytes *= 2) {
    const double route = add(0, bytes, machine.route_ms(bytes));
    // Two communications go through as many storage dimensions as there are processor dimensions: 32 elements at least.
    if (bytes >= 32 * element_bytes) add(1, bytes, machine.ms(ShuffleMethod::two_aapcs, RealAlgorithm::a1, bytes));
    const std::array<double, 2> took = {add(2, bytes, machine.a1_ms(bytes)), add(3, bytes, machine.a2_ms(bytes))};
    // The equation does not cover messages of several packets; A1 sends halves.
    for (const auto& [which, algorithm] : {std::pair(0U, RealAlgorithm::a1), std::pair(1U, RealAlgorithm::a2)}) {
      if (bytes > machine.packet_bytes() * (2 - which)) continue;
      furthest.add(took[which], add(4 + which, bytes, machine.predicted_ms(algorithm, bytes)));
    }
    const double ratio = route / std::min(took[0], took[1]);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
    result.range("router", 5, 10, ratio, bytes);
  }
  Bytes below = 16;
  Bytes a1_from = 4096;  // the least message from which A1 is faster than A2
  constexpr Bytes step = 2 * element_bytes;
  while (a1_from - below > step) {
    const Bytes middle = (below + a1_from) / 2 / step * step;
    (machine.a1_ms(middle) < machine.a2_ms(middle) ? a1_from : below) = middle;
  }
  result.panels.emplace_back(chart_of("jh-fig11", {series.begin(), series.end()}));
  result.add(furthest.check(
      ours, "A1 and A2 take what their equations say, messages of one packet, fitted parameters, within 0.1 %", 0.1));
  result.statement("beaten", least > 1, fmt::format("{:.2f} to {:.2f} times", least, most));
  result.range("a1_from", 200, 900, static_cast<double>(a1_from));
  add_doubts(result, preset);
}

}  // namespace ecube
