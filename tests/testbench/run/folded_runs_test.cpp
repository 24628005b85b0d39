// SPDX-License-Identifier: Apache-2.0
// Runs of one node in the place of all: exchanges, combines and shuffles with the figures of the whole machine, or
// refused.
#include "hw/folded/cube.h"
#include "testbench/combine/combine_request.h"
#include "testbench/sweep/sweep_manager.h"
#include "tests/draws.h"
#include "tests/machines.h"
#include "tests/test.h"
#include "tests/testbench/exchange/exchange_of.h"
#include "tests/testbench/run/link_use.h"
#include "tests/testbench/shared_bench.h"

namespace ecube::folded_runs_test {
namespace {

constexpr auto bench = shared_bench<13>;

/// Machines whose exchanges fold: presets of circuits without system buffers, on one port and on all.
const std::vector<Machine>& machines() {
  static const std::vector<Machine> all{preset_machine("ideal", 1),      preset_machine("hull", 1),
                                        preset_machine("ipsc860", 1),    preset_machine("ipsc860-node", 1),
                                        preset_machine("cm2", Ports::n), preset_machine("ideal", Ports::n)};
  return all;
}

ExchangeMeasurement measured(const ExchangeExperiment& test) {
  static const ExchangeParameters parameters = parse_exchange_parameters("lambda=64,tau=0.5,delta_hop=8,rho=0.25");
  return run_exchange(bench(), test, parameters);
}

CombineMeasurement measured(const CombineExperiment& test) { return run_combine(bench(), test, CombineParameters{}); }

/// What is measured, and the links.
template <class Experiment>
auto run(Experiment test, bool folded) {
  test.setup.folded = test.workload.folded = folded;
  auto figures = measured(test);
  return std::pair(std::move(figures), all_links(bench().links()));
}

template <class Part>
void expect_same_times(const std::vector<Part>& whole, const std::vector<Part>& one) {
  ASSERT_EQ(whole.size(), one.size());
  for (std::size_t part = 0; part < whole.size(); ++part) EXPECT_EQ(whole[part].us, one[part].us) << part;
}

void expect_same_parts(const ExchangeMeasurement& whole, const ExchangeMeasurement& one) {
  expect_same_times(whole.sections, one.sections);
  ASSERT_EQ(whole.clock.has_value(), one.clock.has_value());
  if (!whole.clock) return;
  EXPECT_EQ(whole.clock->begun, one.clock->begun);
  EXPECT_EQ(whole.clock->late, one.clock->late);
  EXPECT_EQ(whole.clock->last_after_us, one.clock->last_after_us);
}

void expect_same_parts(const CombineMeasurement& whole, const CombineMeasurement& one) {
  expect_same_times(whole.steps, one.steps);
}

/// Folded, a run is that of the whole machine.
template <class Experiment>
void expect_equal(const Experiment& test, const std::string& what) {
  SCOPED_TRACE(what);
  const auto [whole, links] = run(test, false);
  const auto [one, its_links] = run(test, true);
  const RunMeasurement& a = whole.run;
  const RunMeasurement& b = one.run;
  ASSERT_EQ(a.result.status, RunResult::Status::finished);
  ASSERT_EQ(b.result.status, RunResult::Status::finished);
  EXPECT_FALSE(a.folded);
  EXPECT_TRUE(b.folded);
  EXPECT_EQ(a.result.cycles, b.result.cycles);
  EXPECT_EQ(a.result.us, b.result.us);
  EXPECT_EQ(a.network.circuits, b.network.circuits);
  EXPECT_EQ(a.network.control_circuits, b.network.control_circuits);
  EXPECT_EQ(a.network.payload_bytes, b.network.payload_bytes);
  for (const BlockedStatistics& waits : {a.network.link_blocked, a.network.port_blocked, a.network.serialised}) {
    EXPECT_EQ(waits.circuits, 0U);
  }
  EXPECT_EQ(a.utilisation_mean, b.utilisation_mean);
  EXPECT_EQ(a.utilisation_max, b.utilisation_max);
  EXPECT_TRUE(links == its_links);
  expect_same_parts(whole, one);
  EXPECT_EQ(one.wrong, 0U);
  EXPECT_EQ(one.verified, std::nullopt);
  EXPECT_EQ(one.verified_nodes, test.workload.payload == Payload::none ? 0U : 1U);
}

TEST(FoldedExchange, IsTheWholeMachinesForEveryPartitionPresetAndSizeToDimension8) {
  Sample sample(30);
  for (unsigned dim = 1; dim <= 8; ++dim)
    for (const Partition& partition : compositions_of(dim))
      for (const Machine& machine : machines())
        for (const Bytes bytes : {0U, 1U, 16U, 67U, 1000U}) {
          if (!sample.takes()) continue;
          ExchangeExperiment test = exchange_of(machine, partition, bytes);
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
                ExchangeExperiment test = exchange_of(machine, partition, 7);
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
      ExchangeExperiment test = exchange_of(machine, partition, 16);
      test.workload.payload = Payload::checks;
      expect_equal(test, name_of(test));
    }
}

/// A block that does not get its image is noticed: as if partners exchanged no contents.
TEST(FoldedExchange, NoticesBlocksThatAreNotTranslated) {
  ExchangeExperiment test = exchange_of(machines()[0], Partition({1, 2}), 16);
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

PointOutcome outcome(Benches& benches, std::vector<std::string> words, const char* fold) {
  words.insert(words.end(), {"--fold", fold});
  return run_point(words, benches);
}

std::string line_of(std::uint64_t seed, const std::vector<std::string>& words) {
  std::string line = "seed " + std::to_string(seed);
  for (const std::string& word : words) line.append(" ").append(word);
  return line;
}

nlohmann::ordered_json without(nlohmann::ordered_json json, std::initializer_list<const char*> members) {
  for (const char* const member : members) json.erase(member);
  return json;
}

TEST(FoldedExchange, IsRefusedOrRunUnfoldedIn500RunsThatAreNotTheSameOnAllNodes) {
  Benches benches(4);
  for (std::uint64_t seed = 1; seed <= random_cases(500); ++seed) {
    Draws draws(seed);
    const std::vector<std::string> words = unfoldable(draws);
    const std::string line = line_of(seed, words);
    const PointOutcome on = outcome(benches, words, "on");
    ASSERT_EQ(on.status, 2) << line;
    ASSERT_EQ(on.error.find("--fold on: the run cannot be folded: "), 0U) << line << ": " << on.error;
    const PointOutcome automatic = outcome(benches, words, "auto");
    const PointOutcome off = outcome(benches, words, "off");
    ASSERT_EQ(automatic.status, off.status) << line << ": " << automatic.error;
    ASSERT_EQ(automatic.error, off.error) << line;
    if (off.result.is_null()) continue;
    ASSERT_EQ(automatic.result["folded"], false) << line;
    ASSERT_NE(automatic.result["not_folded"], "") << line;
    const auto others = {"host", "folded", "not_folded"};
    ASSERT_EQ(without(automatic.result, others), without(off.result, others)) << line;
  }
}

/// Machines whose combines fold: presets, and others whose start-ups queue.
std::vector<Machine> combining_machines() {
  std::vector<Machine> all;
  for (const char* const name : {"ideal", "cm2", "hull"}) all.push_back(preset_machine(name));
  Machine queued = all[0];
  queued.node.ports.engines = Ports::n;
  queued.node.startups = Startups::queued;
  queued.node.overlap = Overlap::off;
  queued.library.receive_cycles = 40;
  queued.core.combine.compiled = {7, 1};
  queued.library.combining = Combining::arriving;
  queued.library.call_cycles = 11;
  all.push_back(queued);
  queued.node.ports.engines = 1;
  queued.library.protocol = Protocol::forced;
  all.push_back(queued);
  return all;
}

CombineExperiment experiment_of(const Machine& machine, const Strategy& strategy, std::uint64_t items) {
  CombineExperiment test{.setup = {.machine = machine, .dim = strategy.dim(), .conditions = {}},
                         .workload = {{.items = items}, {}}};
  test.workload.rule = HalvingRule::by(strategy);
  test.workload.payload = Payload::checks;
  adapt(test.workload, test.setup);
  return test;
}

std::string refusal(const CombineExperiment& test) {
  return thrown<NotFolded>([&] { (void)run(test, true); });
}

TEST(FoldedCombine, IsTheWholeMachinesForEveryStrategyWithEvenHalves) {
  Sample sample(all_cases ? 1 : 2);
  for (unsigned dim = 1; dim <= (all_cases ? 8U : 5U); ++dim)
    for (const Strategy& strategy : Strategy::all(dim)) {
      std::size_t number = 0;
      for (const Machine& machine : combining_machines()) {
        ++number;
        if (!sample.takes()) continue;
        // Every part of the vector can be halved as often as there are directions.
        const std::uint64_t items = (std::uint64_t{dim} << dim) * 3;
        std::string what = "machine " + std::to_string(number);
        what.append(", strategy ").append(strategy.name());
        expect_equal(experiment_of(machine, strategy, items), what.append(", ").append(sample.name()));
      }
    }
}

/// On one port: the messages of the first step in which the halves differ are named.
TEST(FoldedCombine, IsRefusedWhereHalvesAreUneven) {
  const Machine machine = combining_machines()[0];
  for (std::uint64_t items = 1; items <= 40; ++items) {
    EXPECT_EQ(refusal(experiment_of(machine, Strategy::full(3), items)), "") << items;
    const std::string halved = refusal(experiment_of(machine, Strategy::halving(3), items));
    const bool even = items % 8 == 0;
    EXPECT_EQ(halved.empty(), even) << items << ": " << halved;
    if (!even) {
      EXPECT_EQ(halved.find("partners send each other messages of different lengths"), 0U);
    }
  }
}

TEST(FoldedCombine, HasARootOnlyUnfolded) {
  CombineWorkload workload;
  EXPECT_EQ(why_not_translated(workload), "");
  workload.target = CombineTarget::root;
  EXPECT_NE(why_not_translated(workload), "");
  workload.target = CombineTarget::all;
  workload.tree = true;
  EXPECT_NE(why_not_translated(workload), "");
}

std::vector<std::string> drawn_shuffle(Draws& draws) {
  const auto dim = static_cast<unsigned>(2 + draws.up_to(3));
  std::vector<std::string> words{"shuffle", "--dim", std::to_string(dim)};
  const auto add = [&words](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  // A cycle of some of the dimensions, with a storage dimension or without.
  std::vector<std::string> dimensions;
  for (unsigned dimension = 0; dimension < dim; ++dimension) dimensions.push_back("p" + std::to_string(dimension));
  for (std::size_t left = dimensions.size(); left > 1; --left) {
    std::swap(dimensions[left - 1], dimensions[draws.up_to(left - 1)]);
  }
  dimensions.resize(2 + draws.up_to(dim - 2));
  if (draws.up_to(2) > 0) dimensions.emplace_back("s0");
  std::string cycle;
  for (const std::string& dimension : dimensions) cycle.append(cycle.empty() ? "" : ",").append(dimension);
  add({"--cycle", cycle, "--elements", draws.of({"8", "16", "24"}), "--packet", draws.of({"1", "2", "4"})});
  add({"--machine", draws.of({"ideal", "cm2", "ideal", "ipsc860"}), "--ports", draws.of({"one", "n"})});
  if (draws.up_to(3) == 0) add({"--set", "node.startups=queued", "--set", "library.receive=9 cycles"});
  if (draws.up_to(3) == 0) add({"--align", "off"});
  return words;
}

TEST(FoldedShuffle, IsTheWholeMachinesOrIsRefused) {
  Benches benches(5);
  unsigned folded = 0;
  unsigned refused = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(all_cases ? 5'000 : 300); ++seed) {
    Draws draws(seed);
    const std::vector<std::string> words = drawn_shuffle(draws);
    const std::string line = line_of(seed, words);
    const PointOutcome whole = outcome(benches, words, "off");
    if (whole.status != 0) continue;  // an algorithm that this cycle or machine does not have
    PointOutcome one = outcome(benches, words, "on");
    if (one.status == 2) {
      ASSERT_EQ(one.error.find("--fold on: the run cannot be folded: "), 0U) << line << ": " << one.error;
      ++refused;
      continue;
    }
    ASSERT_EQ(one.status, 0) << line << ": " << one.error;
    ++folded;
    ASSERT_EQ(one.result["folded"], true) << line;
    ASSERT_EQ(one.result["verified"], nullptr) << line;
    const auto others = {"host", "simulation", "verified", "folded", "verified_nodes"};
    ASSERT_EQ(without(one.result, others), without(whole.result, others)) << line;
  }
  EXPECT_GT(folded, refused / 10);
  EXPECT_GT(refused, folded / 10);
}

}  // namespace
}  // namespace ecube::folded_runs_test
