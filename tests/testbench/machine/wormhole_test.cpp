// SPDX-License-Identifier: Apache-2.0
// Worms: cycles worked out by hand from hw/README.md section 10, collectives on them, and the preset ncube2.
#include "testbench/combine/combine_request.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/shuffle/shuffle_request.h"
#include "tests/machines.h"
#include "tests/test.h"
#include "tests/testbench/shared_bench.h"

namespace ecube::wormhole_test {
namespace {

/// r = 1, A = 1, c = 2, B = 1, no start-up.
Machine small_machine() {
  Machine machine;
  machine.network.switching = Switching::wormhole;
  machine.link.cycles_per_phit = {2, 1};
  machine.library.send_cycles = 0;
  machine.library.send_zero_cycles = 0;
  return machine;
}

constexpr auto bench = shared_bench<4>;

TEST(Wormhole, CollectivesPutTheirDataInPlace) {
  for (const std::uint64_t buffer : {1U, 3U})
    for (const std::uint32_t engines : {1U, 2U, Ports::n}) {
      Machine machine = small_machine();
      machine.router.buffer_bytes = buffer;
      machine.node.ports.engines = engines;
      machine.library.send_cycles = 30;
      const RunConditions conditions = {.jitter = 50, .seed = 7 + buffer};
      for (const Schedule schedule : {Schedule::xor_pairs, Schedule::ordered}) {
        ExchangeExperiment exchange;
        exchange.setup = {.machine = machine, .dim = 4, .conditions = conditions};
        exchange.workload.partition = Partition({2, 2});
        exchange.workload.bytes = 13;
        exchange.workload.schedule = schedule;
        const ExchangeMeasurement measured = run_exchange(bench(), exchange, {});
        EXPECT_EQ(measured.verified, true);
        if (schedule == Schedule::xor_pairs) {
          EXPECT_EQ(measured.run.network.link_blocked.circuits, 0U);
        }
      }
      CombineExperiment combine;
      combine.setup = {.machine = machine, .dim = 4, .conditions = conditions};
      combine.workload.items = 100;
      combine.workload.rule = HalvingRule::by(Strategy::halving_from(2, 4));
      adapt(combine.workload, combine.setup);
      EXPECT_EQ(run_combine(bench(), combine, {}).verified, true);
      ShuffleExperiment shuffle;
      shuffle.setup = {.machine = machine, .dim = 4, .conditions = conditions};
      shuffle.workload.permutation = DimensionPermutation::named("bit-reversal", 4, 16);
      shuffle.workload.elements = 16;
      shuffle.workload.mixed = engines == 1 ? MixedAlgorithm::one_port : MixedAlgorithm::pipelined;
      shuffle.workload.ports = machine.node.ports;
      EXPECT_EQ(run_shuffle(bench(), shuffle, {.tau_us = 1, .tc_us_per_element = 1}).verified, true);
    }
}

TEST(Wormhole, Ncube2HasItsPublishedTimes) {
  const Machine machine = preset_machine("ncube2");
  const Calibration c = bench().calibrate(machine);
  EXPECT_NEAR(*c.message.lambda_us, 160, 1e-6);
  EXPECT_NEAR(*c.message.tau_us_per_byte, 0.45, 1e-9);
  EXPECT_NEAR(*c.message.delta_hop_us, 2, 1e-6);
  EXPECT_NEAR(*c.message.lambda0_us + *c.message.delta_hop_us, 151, 1e-6);
  EXPECT_LT(c.worst_percent, 0.01);
}

}  // namespace
}  // namespace ecube::wormhole_test
