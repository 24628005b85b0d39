// SPDX-License-Identifier: Apache-2.0
// Runs on the preset ipsc1.
#include "testbench/reproduction/ipsc1_shuffles.h"

#include <algorithm>
#include <stdexcept>

#include "testbench/shuffle/shuffle_experiment.h"

namespace ecube {

namespace {

class Ipsc1 {
 public:
  Ipsc1(TestBench& bench, Machine machine) : bench_(bench), machine_(std::move(machine)) {
    DimensionPermutation::Cycle cycle;
    for (unsigned bit = dim; bit-- > 0;) cycle.push_back({.storage = false, .bit = bit});
    shuffle_ = DimensionPermutation({cycle}, {});
  }

  ShuffleMeasurement measure(ShuffleMethod method, RealAlgorithm algorithm, Bytes bytes) {
    ShuffleExperiment experiment;
    experiment.setup = {.machine = machine_, .dim = dim, .conditions = {}};
    ShuffleWorkload& workload = experiment.workload;
    workload.permutation = shuffle_;
    workload.elements = bytes / element_bytes;
    workload.method = method;
    workload.mixed = MixedAlgorithm::one_port;
    workload.real = algorithm;
    workload.ports = machine_.node.ports;
    const bool whole = method == ShuffleMethod::route || is_a2(algorithm);
    workload.packet = static_cast<std::uint32_t>(whole ? workload.elements : workload.elements / 2);
    const ShuffleParameters parameters =
        bench_.calibrate(machine_).shuffle(static_cast<std::uint32_t>(element_bytes), workload.packet);
    ShuffleMeasurement measured = run_shuffle(bench_, experiment, parameters);
    if (measured.verified != true) throw std::runtime_error("a shuffle on ipsc1 did not move its elements");
    return measured;
  }
  double ms(ShuffleMethod method, RealAlgorithm algorithm, Bytes bytes) {
    return measure(method, algorithm, bytes).run.result.us / 1000;
  }
  double predicted_ms(RealAlgorithm algorithm, Bytes bytes) {
    return measure(ShuffleMethod::constituents, algorithm, bytes).predicted->total() / 1000;
  }
  double route_ms(Bytes bytes) { return ms(ShuffleMethod::route, RealAlgorithm::a1, bytes); }
  double a1_ms(Bytes bytes) { return ms(ShuffleMethod::constituents, RealAlgorithm::a1, bytes); }
  double a2_ms(Bytes bytes) { return ms(ShuffleMethod::constituents, RealAlgorithm::a2, bytes); }

  [[nodiscard]] Bytes packet_bytes() const { return machine_.network.packet_bytes; }
  [[nodiscard]] double forward_ms() const {
    return machine_.us(static_cast<double>(machine_.from_core(machine_.library.forward_cycles))) / 1000;
  }
  void set_forward_ms(double ms) {
    machine_.library.forward_cycles = static_cast<Cycles>(ms * 1e-3 * machine_.core.clock_hz);
  }

 private:
  static constexpr unsigned dim = 5;

  TestBench& bench_;
  Machine machine_;
  DimensionPermutation shuffle_;
};

}  // namespace

Ipsc1Shuffles measure_ipsc1_shuffles(TestBench& bench, const Machine& preset) {
  Ipsc1 machine(bench, preset);
  Ipsc1Shuffles result;
  for (Bytes bytes = 16; bytes <= 4096; bytes *= 2) {
    Ipsc1Shuffle& size = result.sizes.emplace_back();
    size.bytes = bytes;
    size.route_ms = machine.route_ms(bytes);
    // Two communications go through as many storage dimensions as there are processor dimensions: 32 elements at least.
    if (bytes >= 32 * element_bytes) {
      size.two_aapcs_ms = machine.ms(ShuffleMethod::two_aapcs, RealAlgorithm::a1, bytes);
    }
    size.a1_ms = machine.a1_ms(bytes);
    size.a2_ms = machine.a2_ms(bytes);
    // A1 sends halves.
    const Bytes packet = machine.packet_bytes();
    if (bytes / 2 <= packet) size.a1_predicted_ms = machine.predicted_ms(RealAlgorithm::a1, bytes);
    if (bytes <= packet) size.a2_predicted_ms = machine.predicted_ms(RealAlgorithm::a2, bytes);
  }
  Bytes below = 16;
  Bytes above = 4096;
  constexpr Bytes step = 2 * element_bytes;
  while (above - below > step) {
    const Bytes middle = (below + above) / 2 / step * step;
    (machine.a1_ms(middle) < machine.a2_ms(middle) ? above : below) = middle;
  }
  result.a1_from_bytes = above;

  result.forward_ms = machine.forward_ms();
  result.forward_at_bytes = 256;
  const double wanted = 5 * std::min(machine.a1_ms(result.forward_at_bytes), machine.a2_ms(result.forward_at_bytes));
  double too_short = result.forward_ms;
  double too_long = 100;
  for (unsigned i = 0; i < 20; ++i) {
    const double middle = (too_short + too_long) / 2;
    machine.set_forward_ms(middle);
    (machine.route_ms(result.forward_at_bytes) < wanted ? too_short : too_long) = middle;
  }
  result.forward_for_5_ms = too_long;
  return result;
}

}  // namespace ecube
