// SPDX-License-Identifier: Apache-2.0
// What of the RTL the comparison reaches: writes coverage.dat for `hw/rtl/verify coverage`.
#include "tests/hw/rtl_comparison.h"

namespace ecube {
namespace {

/// Numbers of all sizes that the 10 bits of these models hold.
Machine large_machine(std::mt19937_64& random, bool one_port) {
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  Machine machine = random_machine(random, 3, one_port);
  machine.router.route_cycles = 1 + pick(1022);
  machine.network.accept_cycles = 1 + pick(1022);
  machine.network.together_cycles = pick(1023);
  machine.link.phit_bytes = 1;
  const std::uint64_t den = 1 + pick(1022);
  machine.link.cycles_per_phit = {den * (1 + pick(1021)) + pick(den - 1), den};
  machine.network.distance = Distance::real;
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
  const std::vector<Model> models = {{3, true, "coverage"}, {3, false, "coverage"}};
  Bench bench(models);
  compare_random_traffic(bench, models, 20'000, 1);
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    std::mt19937_64 random(seed);
    const Machine machine = large_machine(random, seed % 2 == 0);
    std::vector<TrafficMessage> messages = random_messages(random, 3, 8);
    for (TrafficMessage& message : messages) {
      // Few long ones: a phit takes up to 1,000 cycles here.
      message.bytes = random() % 16 == 0 ? random() % 1000 : message.bytes % 4;
    }
    expect_equal(bench, machine, 3, {.jitter = 0, .seed = seed}, traffic_maker(messages, 3),
                 "seed " + std::to_string(seed), compared);
    if (HasFatalFailure()) return;
  }
  for (const auto& fabric : bench.cube().rtl()) {
    fabric->model().write_coverage(fabric->model().ports() == 1 ? "coverage_one.dat" : "coverage_n.dat");
  }
  EXPECT_GT(compared, 0U);
}

}  // namespace
}  // namespace ecube
