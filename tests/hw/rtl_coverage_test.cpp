// SPDX-License-Identifier: Apache-2.0
// Measures which parts of the RTL the comparison reaches: writes the files that `hw/rtl/verify coverage` reads.
#include "tests/hw/rtl_comparison.h"

namespace ecube::rtl_coverage_test {
namespace {

/// Numbers of all sizes that the 10 bits of these builds hold.
Machine large_machine(std::mt19937_64& random, const RandomShape& shape) {
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  Machine machine = machine_of(shape);
  machine.router.route_cycles = 1 + pick(1022);
  machine.network.accept_cycles = 1 + pick(1022);
  machine.link.phit_bytes = 1;
  const std::uint64_t den = 1 + pick(1022);
  machine.link.cycles_per_phit = {den * (1 + pick(1021)) + pick(den - 1), den};
  if (pick(1) == 0) {
    machine.network.duplex = Duplex::together;
    machine.network.together_cycles = pick(1023);
  }
  if (pick(1) == 0) {
    machine.router.route_cycles = 1 + pick(1);
    machine.network.accept_cycles = 1 + pick(900);
    machine.network.distance = Distance::fixed;
    machine.network.setup_cycles =
        std::min<Cycles>(1023, 4 * (machine.router.route_cycles + 3) + machine.network.accept_cycles + 3 + pick(900));
  }
  return machine;
}

TEST(RtlCoverage, IsWrittenAfterComparingMachinesWithNumbersOfAllSizes) {
  const Shapes shapes = {{3, 1}, {3, Ports::n}};
  RtlBench bench(shapes, "coverage");
  // Wide programs need more than 10 bits.
  compare_programs(bench, {.circuits = 20'000}, 1,
                   [&shapes](std::uint64_t seed) { return random_program(is_wide(seed) ? seed + 1 : seed, shapes); });
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const RandomShape& shape = shapes[seed % 2];
    std::mt19937_64 random(seed);
    const Machine machine = large_machine(random, shape);
    std::vector<TrafficMessage> messages =
        make_traffic({.messages = 8, .rate = 1000.0, .bytes = 4, .seed = seed}, Topology::cube(shape.dim));
    for (TrafficMessage& message : messages) {
      // Few long messages: a phit takes up to 1,000 cycles here.
      message.bytes = random() % 16 == 0 ? random() % 1000 : message.bytes % 4;
    }
    compared += bench.expect_equal(machine, shape.dim, {.jitter = 0, .seed = seed}, traffic_maker(messages, shape.dim),
                                   "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
  for (const RandomShape& shape : shapes) {
    rtl_library(machine_of(shape), shape.dim, "coverage")
        .write_coverage(shape.engines == 1 ? "coverage_one.dat" : "coverage_n.dat");
  }
  EXPECT_GT(compared, 0U);
}

}  // namespace
}  // namespace ecube::rtl_coverage_test
