// SPDX-License-Identifier: Apache-2.0
// The iPSC/860 presets: published parameters measured back, equations that hold with them, and what-if answers that
// change for the right reason.
#include "tests/machines.h"
#include "tests/planted.h"
#include "tests/test.h"
#include "tests/testbench/exchange/exchange_of.h"
#include "tests/testbench/shared_bench.h"

namespace ecube::ipsc860_test {
namespace {

constexpr auto bench = shared_bench<8>;

Calibration calibration_of(const char* name, const std::vector<std::string>& changes = {}) {
  return bench().calibrate(preset_machine(name, changes));
}

#define EXPECT_WITHIN_PERCENT(value, asked, percent) EXPECT_NEAR((value), (asked), (asked)*0.01 * (percent))

TEST(Ipsc860, MeasuresThePublishedParametersBack) {
  const Calibration c = calibration_of("ipsc860");
  EXPECT_WITHIN_PERCENT(*c.message.lambda_us, 95.0, 1);
  EXPECT_WITHIN_PERCENT(*c.message.lambda0_us, 82.5, 1);
  EXPECT_WITHIN_PERCENT(*c.message.tau_us_per_byte, 0.394, 1);
  EXPECT_WITHIN_PERCENT(*c.message.delta_hop_us, 10.3, 1);
  EXPECT_WITHIN_PERCENT(c.rho_us_per_byte, 0.54, 1);
  EXPECT_WITHIN_PERCENT(c.gamma_us_per_item, 0.35, 1);
  EXPECT_WITHIN_PERCENT(c.barrier_us_per_dim, 150, 1);
  EXPECT_LT(c.worst_percent, good_fit_percent);
  // Nicol & Bokhari's effective start-up and distance of a synchronised exchange, over one hop.
  EXPECT_WITHIN_PERCENT(c.synchronised_exchange_us, 177.5 + 2 * 10.3, 1);
}

TEST(Ipsc860Nx, MeasuresThePublishedParametersBack) {
  const Calibration c = calibration_of("ipsc860-nx");
  EXPECT_WITHIN_PERCENT(c.collective_message.alpha_us, claimed("V30", 136.0, 163.0), 1);
  EXPECT_WITHIN_PERCENT(c.collective_message.alpha_short_us, 75.0, 1);
  EXPECT_WITHIN_PERCENT(c.collective_message.alpha_zero_us, 75.0, 1);
  EXPECT_WITHIN_PERCENT(*c.message.delta_hop_us, 33.0, 1);
  EXPECT_WITHIN_PERCENT(*c.short_message->delta_hop_us, 11.0, 1);
  EXPECT_WITHIN_PERCENT(*c.message.tau_us_per_byte, 0.4, 1);
  EXPECT_LT(c.worst_percent, good_fit_percent);
}

TEST(Ipsc2, MeasuresThePublishedTimesBack) {
  const Calibration c = calibration_of("ipsc2");
  EXPECT_WITHIN_PERCENT(c.collective_message.alpha_short_us, 350.0, 1);
  EXPECT_WITHIN_PERCENT(c.collective_message.alpha_us, 680.0, 1);
  EXPECT_WITHIN_PERCENT(*c.message.tau_us_per_byte, 0.36, 1);
}

ExchangeExperiment exchange(const Machine& machine, const Partition& partition, Bytes bytes) {
  ExchangeExperiment test = exchange_of(machine, partition, bytes);
  test.workload.payload = Payload::checks;
  return test;
}

TEST(Ipsc860, PredictsContentionFreeExchangesWithin2Percent) {
  const Machine machine = preset_machine("ipsc860");
  const Calibration calibration = bench().calibrate(machine);
  for (unsigned dim = 3; dim <= 8; ++dim)
    for (const Partition& partition : equipartitions_of(dim))
      for (const Bytes bytes : {1U, 2U, 4U, 10U, 32U, 100U, 160U, 500U, 1024U, 4096U}) {
        const ExchangeMeasurement m =
            run_exchange(bench(), exchange(machine, partition, bytes), calibration.exchange(dim, true));
        EXPECT_EQ(m.verified, true);
        EXPECT_EQ(m.run.network.link_blocked.circuits, 0U);
        EXPECT_LT(std::abs(m.error_percent()), 2.0) << partition.braced_name() << " bytes " << bytes;
      }
}

TEST(Ipsc860Nx, PredictsExchangesByThePiecewiseEquation) {
  const Machine machine = preset_machine("ipsc860-nx");
  const Calibration calibration = bench().calibrate(machine);
  for (const Partition& partition : equipartitions_of(5))
    for (const Bytes bytes : {4U, 32U, 100U, 104U, 1024U}) {
      const ExchangeMeasurement m =
          run_exchange(bench(), exchange(machine, partition, bytes), calibration.exchange(5, true));
      EXPECT_EQ(m.verified, true);
      EXPECT_LT(std::abs(m.error_percent()), 2.0) << partition.braced_name() << " bytes " << bytes;
    }
}

TEST(Ipsc860, PaysForOppositeTransmissionsOneAfterTheOtherUnlessSynchronised) {
  const Machine machine = preset_machine("ipsc860", {"library.protocol=unforced", "library.threshold=1 MB"});
  ExchangeExperiment test = exchange(machine, Partition::direct(4), 4096);
  test.setup.conditions = {.jitter = 800, .seed = 1};  // 20 us, less than network.together
  test.workload.sync = claimed("N51", PairwiseSync::on, PairwiseSync::off);
  const ExchangeParameters parameters = bench().calibrate(machine).exchange(4, true);
  const ExchangeMeasurement together = run_exchange(bench(), test, parameters);
  test.workload.sync = PairwiseSync::off;
  const ExchangeMeasurement apart = run_exchange(bench(), test, parameters);
  EXPECT_EQ(together.verified, true);
  EXPECT_EQ(apart.verified, true);
  EXPECT_EQ(together.run.network.serialised.circuits, 0U);
  EXPECT_GT(apart.run.network.serialised.circuits, 20U);
  EXPECT_GT(apart.run.result.us, 1.3 * together.run.result.us);
}

TEST(Ipsc860, LosesForcedMessagesUnderJitterOnly) {
  ExchangeExperiment test = exchange(preset_machine("ipsc860"), Partition::direct(4), 16);
  test.workload.barrier = Barrier::none;
  test.workload.sync = claimed("N52", PairwiseSync::off, PairwiseSync::on);
  const ExchangeParameters parameters;
  EXPECT_EQ(run_exchange(bench(), test, parameters).run.network.lost, 0U);
  test.setup.conditions = {.jitter = 40'000, .seed = 1};  // 1 ms
  const ExchangeMeasurement lost = run_exchange(bench(), test, parameters);
  EXPECT_GT(lost.run.network.lost, 0U);
  EXPECT_EQ(lost.run.result.status, RunResult::Status::stalled);
  test.setup.machine =
      preset_machine("ipsc860", {claimed("N53", "library.protocol=unforced", "library.protocol=forced")});
  EXPECT_EQ(run_exchange(bench(), test, parameters).verified, true);
}

TEST(Ipsc860, LosesForcedMessagesOfPhasesStartedByClocksWithoutSlack) {
  ExchangeExperiment test = exchange(preset_machine("ipsc860"), Partition::standard(4), 16);
  test.workload.barrier = Barrier::clock;
  test.workload.sync = PairwiseSync::off;
  test.setup.conditions = {.jitter = 40'000, .seed = 1};  // 1 ms
  const ExchangeParameters parameters = bench().calibrate(test.setup.machine).exchange(4);
  const ExchangeMeasurement lost = run_exchange(bench(), test, parameters);
  EXPECT_GT(lost.run.network.lost, 0U);
  EXPECT_EQ(lost.run.result.status, RunResult::Status::stalled);
  test.workload.slack_us = 2'000;
  const ExchangeMeasurement whole = run_exchange(bench(), test, parameters);
  EXPECT_EQ(whole.clock->late, 0U);
  EXPECT_EQ(whole.run.network.lost, 0U);
  EXPECT_EQ(whole.verified, true);
}

TEST(Ipsc860, SynchronisedForcedMessagesAreNeverLost) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ExchangeExperiment test = exchange(preset_machine("ipsc860"), Partition({2, 3}), 16);
    test.workload.barrier = Barrier::none;
    test.setup.conditions = {.jitter = 40'000, .seed = seed};
    const ExchangeMeasurement m = run_exchange(bench(), test, {});
    EXPECT_EQ(m.verified, true) << "seed " << seed;
    EXPECT_EQ(m.run.network.lost, 0U) << "seed " << seed;
  }
}

TEST(WhatIf, AFasterCoreShortensPathsAndLoopsButNotTheNetwork) {
  const Calibration before = calibration_of("ipsc860");
  const Calibration after = calibration_of("ipsc860", {"core.clock=80 MHz"});
  // 3,447 of the 3,800 cycles are paths; 20.1 of 21.6 cycles a byte and 8 of 14 an item are issue cycles.
  EXPECT_NEAR(*before.message.lambda_us - *after.message.lambda_us, 3447 / 2.0 / 40, 0.05);
  EXPECT_NEAR(after.rho_us_per_byte, (20.1 / 2 + 1.5) / 40, 1e-4);
  EXPECT_NEAR(after.gamma_us_per_item, (8 / 2.0 + 6) / 40, 1e-4);
  EXPECT_NEAR(before.barrier_us_per_dim - after.barrier_us_per_dim, 5172 / 2.0 / 40, 0.05);
  EXPECT_NEAR(*after.message.tau_us_per_byte, *before.message.tau_us_per_byte, 1e-6);
  EXPECT_NEAR(*after.message.delta_hop_us, *before.message.delta_hop_us, 1e-6);
}

TEST(WhatIf, AFasterLinkShortensTransmissionAlone) {
  const Calibration before = calibration_of("ipsc860");
  const Calibration after = calibration_of("ipsc860", {"link.cycles_per_phit=31.52 cycles"});
  EXPECT_NEAR(*after.message.tau_us_per_byte, *before.message.tau_us_per_byte / 2, 1e-5);
  EXPECT_NEAR(*after.message.delta_hop_us, *before.message.delta_hop_us, 1e-6);
  EXPECT_NEAR(after.rho_us_per_byte, before.rho_us_per_byte, 1e-9);
  // The first phit is part of the set-up, so the start-up grows by the time by which a phit has become shorter.
  EXPECT_NEAR(*after.message.lambda_us - *before.message.lambda_us, 31.52 / 40, 0.03);
}

TEST(WhatIf, TunedLoopsMoveRhoAndGammaAlone) {
  const Calibration before = calibration_of("ipsc860");
  const Calibration after = calibration_of("ipsc860", {"core.loops=tuned"});
  EXPECT_NEAR(after.rho_us_per_byte, 1.25 / 40, 1e-4);
  EXPECT_NEAR(after.gamma_us_per_item, 8.0 / 40, 1e-4);
  EXPECT_NEAR(*after.message.lambda_us, *before.message.lambda_us, 1e-9);
}

TEST(WhatIf, AWiderBusAndLongerLinesMoveTheMemoryPartOfTheLoops) {
  EXPECT_NEAR(calibration_of("ipsc860", {"memory.bus=16 B"}).rho_us_per_byte, (20.1 + 3 * 12 / 32.0) / 40, 1e-4);
  EXPECT_NEAR(calibration_of("ipsc860", {"memory.line=64 B"}).rho_us_per_byte, (20.1 + 3 * 24 / 64.0) / 40, 1e-4);
}

TEST(WhatIf, ProgrammedTransfersLimitTransmissionOnceTheLinkIsFast) {
  // Copying a phit of 4 bytes takes 4 x 1 issue cycles and 4 x 1.5 of memory.
  const Calibration c = calibration_of("ipsc860", {"node.transfer=programmed", "link.cycles_per_phit=2 cycles"});
  EXPECT_NEAR(*c.message.tau_us_per_byte, 10 / 4.0 / 40, 1e-5);
  EXPECT_NEAR(*calibration_of("ipsc860", {"link.cycles_per_phit=2 cycles"}).message.tau_us_per_byte, 2 / 4.0 / 40,
              1e-5);
}

Task<> send_while_computing(Node& node) {
  if (node.id() == 1) co_await node.receive({.from = 0, .bytes = 4000});
  if (node.id() == 0) {
    Pending message = node.start_send({.to = 1, .bytes = 4000});
    co_await node.compute(70'000);
    co_await message;
  }
}

TEST(WhatIf, OverlapHidesTransmissionBehindComputation) {
  const auto us = [](const char* overlap) {
    Firmware firmware(send_while_computing);
    return bench()
        .run({.machine = preset_machine("ipsc860", {std::string("node.overlap=") + overlap}),
              .dim = 1,
              .conditions = {}},
             firmware)
        .result.us;
  };
  // 4,000 bytes take 63,040 - 63 cycles of phits, and the last one a cycle.
  EXPECT_NEAR(us("off") - us("on"), (63'040 - 63 + 1) / 40.0, 0.1);
}

}  // namespace
}  // namespace ecube::ipsc860_test
