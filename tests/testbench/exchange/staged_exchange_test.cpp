// SPDX-License-Identifier: Apache-2.0
// The complete exchange on several ports: exact transposes, nothing blocked, and the cycles of its equation.
#include "tests/machines.h"
#include "tests/test.h"
#include "tests/testbench/exchange/exchange_of.h"
#include "tests/testbench/shared_bench.h"

namespace ecube::staged_exchange_test {
namespace {

constexpr auto bench = shared_bench<10>;

Machine machine(const char* name, std::uint32_t engines, Startups startups) {
  Machine described = preset_machine(name, engines);
  described.node.startups = startups;
  return described;
}

ExchangeExperiment experiment(const Machine& machine, const Partition& partition, Bytes bytes) {
  ExchangeExperiment test = exchange_of(machine, partition, bytes);
  test.workload.barrier = Barrier::none;
  return test;
}

/// Verified, nothing blocked, and within `tolerance_us` of the equation with `parameters`.
void expect_exact(const ExchangeExperiment& test, const ExchangeParameters& parameters, double tolerance_us) {
  const ExchangeMeasurement measured = run_exchange(bench(), test, parameters);
  const std::string what = name_of(test);
  ASSERT_EQ(measured.run.result.status, RunResult::Status::finished) << what;
  EXPECT_EQ(measured.verified, true) << what;
  EXPECT_EQ(measured.run.network.link_blocked.circuits, 0U) << what;
  EXPECT_EQ(measured.run.network.port_blocked.circuits, 0U) << what;
  EXPECT_NEAR(measured.run.result.us, measured.predicted.total(), tolerance_us) << what;
  double stages_us = 0;
  for (const SectionMeasurement& stage : measured.sections) stages_us += stage.predicted.total();
  EXPECT_NEAR(stages_us, measured.predicted.total(), 1e-6 * stages_us) << what;
}

/// Half a cycle of 40 MHz is 0.0125 us, of 20 MHz 0.025 us.
constexpr double no_cycle_us = 0.01;

/// Every partition of every cube up to `most_dim`, in every order of its parts up to dimension 6, where blocks are
/// carried too.
void expect_exact_up_to(unsigned most_dim, const Machine& machine, const std::vector<Bytes>& sizes) {
  constexpr unsigned most_composed = 6;
  for (unsigned dim = 1; dim <= most_dim; ++dim) {
    const ExchangeParameters fitted = bench().calibrate(machine).exchange(dim);
    for (const Partition& partition : dim <= most_composed ? compositions_of(dim) : partitions_of(dim))
      for (const Bytes bytes : sizes) {
        ExchangeExperiment test = experiment(machine, partition, bytes);
        test.workload.payload = dim <= most_composed ? Payload::bytes : Payload::checks;
        expect_exact(test, fitted, no_cycle_us);
      }
  }
}

/// Start-ups and receipts of the nCUBE-2 are served by its processor, one after the other.
TEST(StagedExchange, TakesItsEquationUpToDimension8) {
  for (const char* const name : {"ideal", "ncube2"})
    expect_exact_up_to(8, preset_machine(name, Ports::n), {0, 1, 2, 3, 7, 16, 33, 67, 100, 257});
}

constexpr std::array orders = {BlockOrder::high, BlockOrder::low, BlockOrder::inplace};
constexpr std::array pairings = {MaskPairing::on, MaskPairing::off};

TEST(StagedExchange, TransposesInEveryOrderOnEveryEngineForEveryBlock) {
  Sample sample;
  const ExchangeParameters parameters = parse_exchange_parameters("lambda=64,tau=0.5,delta_hop=8,rho=0.25");
  for (const EngineChoice engine : {EngineChoice::event, EngineChoice::ideal})
    for (unsigned dim = 1; dim <= 5; ++dim)
      for (const Partition& partition : compositions_of(dim))
        for (const BlockOrder order : orders)
          for (const MaskPairing pairing : pairings)
            for (const Bytes bytes : {0U, 1U, 2U, 5U, 17U}) {
              if (!sample.takes()) continue;
              ExchangeExperiment test = experiment(preset_machine("ideal", Ports::n), partition, bytes);
              test.setup.engine = engine;
              test.workload.order = order;
              test.workload.pairing = pairing;
              const ExchangeMeasurement measured = run_exchange(bench(), test, parameters);
              EXPECT_EQ(measured.verified, true) << partition.braced_name() << " of " << bytes;
              EXPECT_EQ(measured.run.network.link_blocked.circuits, 0U) << partition.braced_name();
              EXPECT_EQ(measured.run.network.port_blocked.circuits, 0U) << partition.braced_name();
            }
}

TEST(StagedExchange, TakesItsEquationOnFewerEnginesAndWithQueuedStartUps) {
  for (const char* const name : {"ideal", "ncube2"})
    for (const std::uint32_t engines : {2U, 3U, Ports::n})
      for (const Startups startups : {Startups::queued, Startups::overlapped}) {
        const Machine one = machine(name, engines, startups);
        const ExchangeParameters fitted = bench().calibrate(one).exchange(5);
        for (const Partition& partition : {Partition({5}), Partition({2, 3}), Partition({1, 2, 2})})
          for (const MaskPairing pairing : pairings)
            for (const Bytes bytes : {2U, 32U}) {
              ExchangeExperiment test = experiment(one, partition, bytes);
              test.workload.payload = Payload::checks;
              test.workload.pairing = pairing;
              expect_exact(test, fitted, no_cycle_us);
            }
      }
}

TEST(StagedExchange, PaysForBarriersAndPermutationsAsItsEquationSays) {
  Machine one = preset_machine("ideal", Ports::n);
  one.core.permute.compiled = {1, 1};
  const ExchangeParameters fitted = bench().calibrate(one).exchange(4);
  for (const Barrier barrier : {Barrier::none, Barrier::phase, Barrier::step, Barrier::clock})
    for (const IdentityShuffle identity : {IdentityShuffle::charge, IdentityShuffle::skip})
      for (const BlockOrder order : orders)
        for (const Partition& partition : compositions_of(4)) {
          ExchangeExperiment test = experiment(one, partition, 7);
          test.workload.barrier = barrier;
          test.workload.identity_shuffle = identity;
          test.workload.order = order;
          expect_exact(test, fitted, no_cycle_us);
        }
}

/// The ideal engine charges each operation what the equation says, so no error can remain.
TEST(StagedExchange, CostsItsEquationOnTheIdealEngine) {
  ExchangeParameters parameters = parse_exchange_parameters("lambda=64,tau=0.5,delta_hop=8,rho=0.25,barrier=16");
  for (const std::uint32_t engines : {Ports::n, 2U})
    for (const Startups startups : {Startups::queued, Startups::overlapped})
      for (const bool synchronised : {false, true}) {
        parameters.pairwise_sync_messages = synchronised && startups == Startups::overlapped && engines == Ports::n;
        for (const Partition& partition : compositions_of(4)) {
          ExchangeExperiment test = experiment(machine("ideal", engines, startups), partition, 6);
          test.setup.engine = EngineChoice::ideal;
          test.workload.barrier = Barrier::phase;
          const ExchangeMeasurement measured = run_exchange(bench(), test, parameters);
          EXPECT_EQ(measured.verified, true);
          EXPECT_NEAR(measured.run.result.us, measured.predicted.total(), 1e-6) << partition.braced_name();
        }
      }
}

/// With protocols, stored packets, or opposite transmissions that have to begin together: within 1 %.
TEST(StagedExchange, ComesNearItsEquationOnPresetsThatArePutOnSeveralPorts) {
  for (const char* const name : {"hull", "ipsc860", "ipsc860-nx", "ipsc1", "ipsc2", "cm2"}) {
    const Machine one = preset_machine(name, Ports::n);
    const bool synchronised = one.library.protocol != Protocol::none;
    const ExchangeParameters fitted = bench().calibrate(one).exchange(4, synchronised);
    for (const Partition& partition : partitions_of(4))
      for (const Bytes bytes : {5U, 40U}) {
        ExchangeExperiment test = experiment(one, partition, bytes);
        test.workload.payload = Payload::checks;
        const ExchangeMeasurement measured = run_exchange(bench(), test, fitted);
        ASSERT_EQ(measured.verified, true) << name << " " << partition.braced_name();
        EXPECT_NEAR(measured.error_percent(), 0, 1) << name << " " << partition.braced_name() << " " << bytes;
      }
  }
}

/// A message of m bytes over h hops takes 100 + 4 (h + 1) + 4 + m - 1 = 107 + 4 h + m cycles (hw/README.md section 3).
/// {3,3} of 64 B on several ports: two stages of four steps with 8 x 32 B, whose longer circuits have 2, 2, 2 and 3
/// hops. On one port: two phases of seven steps with 8 x 64 B, twelve hops in all.
TEST(StagedExchange, TakesTheCyclesWorkedByHand) {
  ExchangeExperiment test = experiment(preset_machine("ideal", Ports::n), Partition({3, 3}), 64);
  EXPECT_EQ(run_exchange(bench(), test, {}).run.result.cycles, 2 * (4 * (107 + 256) + 4 * 9));
  test.workload.ports = Ports{};
  EXPECT_EQ(run_exchange(bench(), test, {}).run.result.cycles, 2 * (7 * (107 + 512) + 4 * 12));
}

TEST(StagedExchange, TransposesUnderJitter) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ExchangeExperiment test = experiment(preset_machine("ideal", Ports::n), Partition({2, 3}), 9);
    test.setup.conditions = {.jitter = 200, .seed = seed};
    const ExchangeMeasurement measured = run_exchange(bench(), test, {});
    EXPECT_EQ(measured.run.result.status, RunResult::Status::finished) << "seed " << seed;
    EXPECT_EQ(measured.verified, true) << "seed " << seed;
  }
}

TEST(StagedExchange, RunsWithTagsWhereBlocksAreTooMany) {
  ExchangeExperiment test = experiment(preset_machine("ideal", Ports::n), Partition({5, 5}), 64);
  test.workload.payload = Payload::checks;
  expect_exact(test, bench().calibrate(test.setup.machine).exchange(10), no_cycle_us);
}

TEST(PartedBlocks, FindsBlocksThatHaveNotMoved) {
  const PartedBlocks blocks(2, 5, 2, true);
  EXPECT_EQ(blocks.wrong_blocks(), 12U);  // all but the four of a node for itself
}

TEST(PartedBlocks, FindsAPartInTheWrongSlot) {
  PartedBlocks blocks(1, 4, 2, true);
  EXPECT_EQ(blocks.wrong_blocks(), 2U);
  blocks.permute(0, {.part = 1, .phase = 0, .slot_low = 0, .rotate_left = 0});
  EXPECT_EQ(blocks.wrong_blocks(), 2U);
  // Node 0 and node 1 trade block 1 of node 0 for block 0 of node 1, but for the second part.
  for (const unsigned part : {0U, 1U}) {
    const Region of_0 = blocks.effective(0, {.part = part}, 1, 1);
    const Region of_1 = blocks.effective(1, {.part = part}, 1, 0);
    std::swap_ranges(of_0.base, of_0.base + of_0.bytes(), of_1.base);
    EXPECT_EQ(blocks.wrong_blocks(), part == 0 ? 2U : 0U);
  }
}

}  // namespace
}  // namespace ecube::staged_exchange_test
