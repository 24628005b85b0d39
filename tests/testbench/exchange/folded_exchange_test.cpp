// SPDX-License-Identifier: Apache-2.0
// Exchanges of one node in the place of all: the figures of the whole machine, or none.
#include "hw/folded/cube.h"
#include "models/presets/presets.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/sweep/point_runner.h"
#include "tests/draws.h"
#include "tests/test.h"

namespace ecube::folded_exchange_test {
namespace {

TestBench& bench() {
  static TestBench instance(13);
  return instance;
}

Machine machine_of(const std::string& name, std::uint32_t engines) {
  Machine machine = resolve(preset_settings(preset(name)));
  machine.node.ports.engines = engines;
  return machine;
}

/// Machines whose exchanges fold: presets of circuits without system buffers, on one port and on all.
const std::vector<Machine>& machines() {
  static const std::vector<Machine> all{machine_of("ideal", 1),      machine_of("hull", 1),
                                        machine_of("ipsc860", 1),    machine_of("ipsc860-node", 1),
                                        machine_of("cm2", Ports::n), machine_of("ideal", Ports::n)};
  return all;
}

ExchangeExperiment experiment_of(const Machine& machine, const Partition& partition, Bytes bytes) {
  ExchangeExperiment test;
  test.setup.machine = machine;
  test.setup.dim = partition.dim();
  test.workload.partition = partition;
  test.workload.bytes = bytes;
  test.workload.barrier = machine.library.barrier;
  test.workload.identity_shuffle = machine.library.identity_shuffle;
  test.workload.ports = machine.node.ports;
  return test;
}

struct Figures {
  ExchangeMeasurement measured;
  std::vector<LinkStatistics> links;
};

Figures run(ExchangeExperiment test, bool folded) {
  test.setup.folded = test.workload.folded = folded;
  static const ExchangeParameters parameters = parse_exchange_parameters("lambda=64,tau=0.5,delta_hop=8,rho=0.25");
  Figures figures{run_exchange(bench(), test, parameters), {}};
  const Links& links = bench().links();
  for (NodeId node = 0; node < links.topology().nodes(); ++node)
    for (unsigned dimension = 0; dimension < links.topology().outputs(); ++dimension) {
      figures.links.push_back(links.statistics({node, dimension}));
    }
  return figures;
}

void expect_equal(const ExchangeExperiment& test, const std::string& what) {
  const Figures whole = run(test, false);
  const Figures one = run(test, true);
  const RunMeasurement& a = whole.measured.run;
  const RunMeasurement& b = one.measured.run;
  ASSERT_EQ(a.result.status, RunResult::Status::finished) << what;
  ASSERT_EQ(b.result.status, RunResult::Status::finished) << what;
  EXPECT_FALSE(a.folded) << what;
  EXPECT_TRUE(b.folded) << what;
  EXPECT_EQ(a.result.cycles, b.result.cycles) << what;
  EXPECT_EQ(a.result.us, b.result.us) << what;
  EXPECT_EQ(a.network.circuits, b.network.circuits) << what;
  EXPECT_EQ(a.network.control_circuits, b.network.control_circuits) << what;
  EXPECT_EQ(a.network.payload_bytes, b.network.payload_bytes) << what;
  for (const BlockedStatistics& waits : {a.network.link_blocked, a.network.port_blocked, a.network.serialised}) {
    EXPECT_EQ(waits.circuits, 0U) << what;
  }
  EXPECT_EQ(a.utilisation_mean, b.utilisation_mean) << what;
  EXPECT_EQ(a.utilisation_max, b.utilisation_max) << what;
  EXPECT_TRUE(whole.links == one.links) << what;
  ASSERT_EQ(whole.measured.phases.size(), one.measured.phases.size()) << what;
  for (std::size_t phase = 0; phase < whole.measured.phases.size(); ++phase) {
    EXPECT_EQ(whole.measured.phases[phase].us, one.measured.phases[phase].us) << what;
  }
  ASSERT_EQ(whole.measured.stages.size(), one.measured.stages.size()) << what;
  for (std::size_t stage = 0; stage < whole.measured.stages.size(); ++stage) {
    EXPECT_EQ(whole.measured.stages[stage].us, one.measured.stages[stage].us) << what;
  }
  ASSERT_EQ(whole.measured.clock.has_value(), one.measured.clock.has_value()) << what;
  if (whole.measured.clock) {
    EXPECT_EQ(whole.measured.clock->begun, one.measured.clock->begun) << what;
    EXPECT_EQ(whole.measured.clock->late, one.measured.clock->late) << what;
    EXPECT_EQ(whole.measured.clock->last_after_us, one.measured.clock->last_after_us) << what;
  }
  EXPECT_EQ(one.measured.wrong, 0U) << what;
  EXPECT_EQ(one.measured.verified, std::nullopt) << what;
  EXPECT_EQ(one.measured.verified_nodes, test.workload.payload == Payload::none ? 0U : 1U) << what;
}

std::string name_of(const ExchangeExperiment& test) {
  return test.setup.machine.name + " " + test.workload.partition.braced_name() + " of " +
         std::to_string(test.workload.bytes) + " B";
}

TEST(FoldedExchange, IsTheWholeMachinesForEveryPartitionPresetAndSizeToDimension8) {
  Sample sample(30);
  for (unsigned dim = 1; dim <= 8; ++dim)
    for (const Partition& partition : compositions_of(dim))
      for (const Machine& machine : machines())
        for (const Bytes bytes : {0U, 1U, 16U, 67U, 1000U}) {
          if (!sample.takes()) continue;
          ExchangeExperiment test = experiment_of(machine, partition, bytes);
          test.workload.payload = dim <= 5 ? Payload::bytes : Payload::checks;
          expect_equal(test, name_of(test) + ", " + sample.name());
        }
}

TEST(FoldedExchange, IsTheWholeMachinesInEveryOrderWithEveryBarrierAndSynchronisation) {
  Sample sample(8);
  for (unsigned dim = 1; dim <= 5; ++dim)
    for (const Partition& partition : compositions_of(dim))
      for (const Machine& machine : machines())
        for (const BlockOrder order : {BlockOrder::high, BlockOrder::low, BlockOrder::inplace})
          for (const Barrier barrier : {Barrier::none, Barrier::phase, Barrier::step, Barrier::clock})
            for (const PairwiseSync sync : {PairwiseSync::on, PairwiseSync::off})
              for (const MaskPairing pairing : {MaskPairing::on, MaskPairing::off}) {
                if (!sample.takes()) continue;
                ExchangeExperiment test = experiment_of(machine, partition, 7);
                test.workload.order = order;
                test.workload.barrier = barrier;
                test.workload.slack_us = 100;
                test.workload.sync = sync;
                test.workload.pairing = pairing;
                expect_equal(test, name_of(test) + ", " + sample.name());
              }
}

TEST(FoldedExchange, IsTheWholeMachinesOnLargeCubes) {
  Sample sample;
  const std::vector<Partition> partitions =
      all_cases ? std::vector{Partition::direct(11), Partition({6, 6}), Partition({7, 6}), Partition({1, 4, 8})}
                : std::vector{Partition({5, 4}), Partition({3, 2, 5}), Partition({4, 4, 5})};
  for (const Partition& partition : partitions)
    for (const Machine& machine : {machines()[0], machines()[2]}) {
      ExchangeExperiment test = experiment_of(machine, partition, 16);
      test.workload.payload = Payload::checks;
      expect_equal(test, name_of(test));
    }
}

/// A block that does not get its image is noticed: as if partners exchanged no contents.
TEST(FoldedExchange, NoticesBlocksThatAreNotTranslated) {
  ExchangeExperiment test = experiment_of(machines()[0], Partition({1, 2}), 16);
  test.workload.folded = true;
  CompleteExchange exchange(test.workload, Topology::cube(3));
  EXPECT_EQ(exchange.wrong(), 7U);  // before the run only the node's own block is where it belongs
  FoldedCube cube;
  cube.reset(test.setup.machine, 3, {});
  (void)cube.run(exchange.program());
  EXPECT_EQ(exchange.wrong(), 0U);
}

// --- Runs that must not fold ---------------------------------------------------------------------------------------

/// Options of a run that is not the same on all nodes, or in which circuits meet.
std::vector<std::string> unfoldable(Draws& draws) {
  std::vector<std::string> words{"exchange", "--bytes", draws.of({"2", "16", "100"})};
  const auto add = [&words](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  const std::string dim = draws.of({"3", "4"});
  add({"--dim", dim});
  const bool three = dim == "3";
  switch (draws.up_to(8)) {
    case 0:
      add({"--jitter", draws.of({"1 cycles", "3 us"})});
      break;
    case 1:
      add({"--fail", draws.of({"0@1ms", "1:2@2ms", "5@900us"})});
      break;
    case 2:
      add({"--schedule", draws.of({"shift", "ordered", "random"})});
      break;
    case 3:
      add({"--machine", draws.of({"ipsc860-nx", "ipsc860-combine", "ipsc2", "ipsc1", "ncube2"})});
      break;
    case 4:
      add({"--sizes", draws.of({"uniform", "zipf:1.1"}), "--payload", "none"});
      break;
    case 5:  // three messages at once, or four, on two engines
      add({"--ports", "2", "--partition", three ? draws.of({"2,1", "1,2"}) : draws.of({"2,2", "3,1", "1,3", "2,1,1"})});
      break;
    case 6:  // synchronisations of a pair of masks end together
      add({"--ports", "n", "--set", "library.protocol=forced", "--partition",
           three ? draws.of({"direct"}) : draws.of({"2,2"})});
      break;
    case 7:
      add({"--set", "library.protocol=unforced", "--set", "library.buffer=1 MB"});
      break;
    default:
      add({"--engine", "ideal"});
      break;
  }
  if (draws.up_to(2) == 0)
    add({"--set", draws.of({"library.barrier=none", "library.barrier=phase", "library.barrier=step"})});
  add({"--seed", std::to_string(draws.up_to(1000))});
  return words;
}

nlohmann::ordered_json without_fold(nlohmann::ordered_json json) {
  for (const char* const key : {"host", "folded", "not_folded"}) json.erase(key);
  return json;
}

TEST(FoldedExchange, IsRefusedOrRunUnfoldedIn500RunsThatAreNotTheSameOnAllNodes) {
  PointRunner runner(4);
  for (std::uint64_t seed = 1; seed <= random_cases(500); ++seed) {
    Draws draws(seed);
    const std::vector<std::string> words = unfoldable(draws);
    const auto outcome = [&](const char* fold) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--fold", fold});
      return runner.run(all);
    };
    std::string line = "seed " + std::to_string(seed);
    for (const std::string& word : words) line.append(" ").append(word);
    const PointOutcome on = outcome("on");
    ASSERT_EQ(on.status, 2) << line;
    ASSERT_EQ(on.error.find("--fold on: the run cannot be folded: "), 0U) << line << ": " << on.error;
    const PointOutcome automatic = outcome("auto");
    const PointOutcome off = outcome("off");
    ASSERT_EQ(automatic.status, off.status) << line << ": " << automatic.error;
    ASSERT_EQ(automatic.error, off.error) << line;
    if (off.result.is_null()) continue;
    ASSERT_EQ(automatic.result["folded"], false) << line;
    ASSERT_NE(automatic.result["not_folded"], "") << line;
    ASSERT_EQ(without_fold(automatic.result), without_fold(off.result)) << line;
  }
}

}  // namespace
}  // namespace ecube::folded_exchange_test
