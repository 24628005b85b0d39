// SPDX-License-Identifier: Apache-2.0
// The RTL against the event engine: the same programs, the same edge for every probe, grant, acknowledge, phit, tail
// and release.
#include <gtest/gtest.h>

#include "tests/effort.h"
#include "tests/hw/rtl_comparison.h"

namespace ecube {
namespace {

const std::vector<Model> small = {{1, true}, {2, true}, {2, false}, {3, true}, {3, false}, {4, true}, {4, false}};

/// One message from every node to every node in every length, each with the network to itself.
void compare_every_pair(Bench& bench, const Model& model, const Machine& machine, std::size_t& compared) {
  std::vector<TrafficMessage> messages;
  const NodeId nodes = NodeId{1} << model.dim;
  Cycles cycle = 0;
  for (const Bytes bytes : {0U, 1U, 3U, 4U, 5U, 1000U}) {
    for (NodeId source = 0; source < nodes; ++source) {
      for (NodeId destination = 0; destination < nodes; ++destination) {
        messages.push_back({source, destination, bytes, cycle += 1000});
      }
    }
  }
  expect_equal(bench, machine, model.dim, {}, traffic_maker(messages, model.dim), "d=" + std::to_string(model.dim),
               compared);
}

/// Hot spots, permutations, messages to oneself, and messages that are ready when their predecessor has left: at 1,000
/// messages per 1,000 cycles.
std::size_t compare_patterns(Bench& bench, const std::vector<Model>& models) {
  std::size_t compared = 0;
  for (const Model& model : models) {
    for (const TrafficPattern pattern : {TrafficPattern::hotspot, TrafficPattern::bitrev, TrafficPattern::all_to_one,
                                         TrafficPattern::transpose, TrafficPattern::bitcomp}) {
      for (const double rate : {8.0, 1000.0}) {
        const auto messages =
            make_traffic({.pattern = pattern, .messages = 30, .rate = rate, .bytes = 16, .seed = 3}, model.dim);
        expect_equal(bench, machine_for(model), model.dim, {.jitter = 0, .seed = 3}, traffic_maker(messages, model.dim),
                     "d=" + std::to_string(model.dim), compared);
        if (::testing::Test::HasFatalFailure()) return compared;
      }
    }
  }
  return compared;
}

/// Runs that are broken off at some cycle, and the same from the start after each.
void compare_after_resets(Bench& bench, const Machine& machine, std::mt19937_64& random) {
  const std::vector<TrafficMessage> messages = random_messages(random, 3, 100);
  for (const Cycles stop : {150U, 700U, 1900U}) {
    TrafficProgram abandoned(messages, 3);
    bench.cube().reset(machine, 3, {}, FabricKind::rtl);
    bench.cube().on_progress([stop](Cycles cycle) { return cycle < stop; });
    EXPECT_EQ(bench.cube().run(abandoned.program()).status, RunResult::Status::interrupted);
    bench.cube().on_progress({});
    bench.cube().unload();
    std::size_t compared = 0;
    expect_equal(bench, machine, 3, {}, traffic_maker(messages, 3), "after cycle " + std::to_string(stop), compared);
    if (::testing::Test::HasFatalFailure()) return;
    EXPECT_EQ(compared, messages.size());
  }
}

TEST(Rtl, AgreesForEveryPairOfNodesAndLength) {
  Bench bench(small);
  std::size_t compared = 0;
  for (const Model& model : small) {
    for (const Distance distance : {Distance::real, Distance::fixed}) {
      Machine machine = machine_for(model);
      machine.link.phit_bytes = 4;
      machine.link.cycles_per_phit = {7, 3};
      machine.router.route_cycles = 5;
      machine.network.accept_cycles = 2;
      machine.network.distance = distance;
      machine.network.setup_cycles = 90;
      compare_every_pair(bench, model, machine, compared);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(compared, 2U * 6U * (4U + 2U * (16U + 64U + 256U)));
}

TEST(Rtl, AgreesOnRandomContendedTraffic) {
  Bench bench(small);
  compare_random_traffic(bench, small, random_cases(60'000), 1);
}

TEST(Rtl, AgreesOnHotSpotsPermutationsSelfAndBackToBackMessages) {
  Bench bench(small);
  EXPECT_GT(compare_patterns(bench, small), 10'000U);
}

TEST(Rtl, AgreesOnCompleteExchanges) {
  Bench bench(small);
  std::size_t compared = 0;
  for (const Model& model : small) {
    for (const char* name : {"ideal", "hull"}) {
      // Waiting for a fixed set-up time keeps every node's clock running: slow, and no different with more nodes.
      if (name == std::string("hull") && model.dim > 3) continue;
      Machine machine = resolve(preset_settings(preset(name)));
      machine.node.ports.engines = model.one_port ? 1 : Ports::n;
      for (const Schedule schedule : {Schedule::xor_pairs, Schedule::ordered, Schedule::random}) {
        compare_exchanges(bench, machine, model.dim, 20, schedule, {}, compared);
        compare_exchanges(bench, machine, model.dim, 20, schedule, {.jitter = 300, .seed = 9}, compared);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(compared, 5'000U);
}

TEST(Rtl, AgreesOnTheMessageLibrariesOfTheIpsc) {
  Bench bench({{3, true}});
  std::size_t compared = 0;
  for (const char* name : {"ipsc860", "ipsc860-nx", "ipsc2"}) {
    const Machine machine = resolve(preset_settings(preset(name)));
    for (const Bytes bytes : {0U, 20U, 150U}) {
      compare_exchanges(bench, machine, 3, bytes, Schedule::xor_pairs, {}, compared);
      compare_exchanges(bench, machine, 3, bytes, Schedule::xor_pairs, {.jitter = 2000, .seed = 4}, compared);
      compare_exchanges(bench, machine, 3, bytes, Schedule::random, {.jitter = 0, .seed = 5}, compared);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(compared, 1'000U);
}

TEST(Rtl, AgreesOnTheIpsc860WithSixDimensions) {
  Bench bench({{6, true}});
  const Machine machine = resolve(preset_settings(preset("ipsc860")));
  ExchangeWorkload workload;
  workload.bytes = 4;
  workload.partition = Partition::parse("3,3", 6);
  workload.barrier = machine.library.barrier;
  std::size_t compared = 0;
  expect_equal(
      bench, machine, 6, {}, [&] { return std::make_unique<CompleteExchange>(workload, 6); }, "d=6", compared);
  EXPECT_EQ(compared, 64U * (2 * 6 + 2 * 14));
}

TEST(Rtl, StartsAfreshFromAnyState) {
  Bench bench({{3, true}, {3, false}});
  for (const bool one_port : {true, false}) {
    std::mt19937_64 random(7);
    const Machine machine = random_machine(random, 3, one_port);
    compare_after_resets(bench, machine, random);
    if (HasFatalFailure()) return;
  }
}

TEST(Rtl, AgreesWhenNodesAreClockedAtEveryEdge) {
  Bench bench({{3, true}, {3, false}});
  for (const auto& fabric : bench.cube().rtl()) fabric->clock_all(true);
  compare_random_traffic(bench, {{3, true}, {3, false}}, random_cases(5'000), 1);
}

TEST(Rtl, AgreesAsOneModuleOfAllNodes) {
  const std::vector<Model> whole = {{1, true, "whole"}, {2, true, "whole"}, {2, false, "whole"}, {3, true, "whole"}};
  Bench bench(whole);
  compare_random_traffic(bench, whole, random_cases(5'000), 1);
}

const std::vector<Model> worms = {{2, true, "", 1}, {2, false, "", 4}, {3, true, "", 1}, {3, false, "", 1}};

TEST(RtlOfWorms, AgreesOnRandomContendedTraffic) {
  Bench bench(worms);
  compare_random_traffic(bench, worms, random_cases(30'000), 1);
}

TEST(RtlOfWorms, AgreesForEveryPairOfNodesAndLength) {
  Bench bench(worms);
  std::size_t compared = 0;
  for (const Model& model : worms) {
    Machine machine = machine_for(model);
    machine.link.phit_bytes = 2;
    machine.link.cycles_per_phit = {3, 1};
    machine.router.route_cycles = 5;
    machine.router.buffer_bytes = std::uint64_t{2} * model.buffer;
    machine.network.accept_cycles = 4;
    compare_every_pair(bench, model, machine, compared);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(compared, 6U * (2U * 16U + 2U * 64U));
}

TEST(RtlOfWorms, AgreesOnHotSpotsPermutationsSelfAndBackToBackMessages) {
  Bench bench(worms);
  EXPECT_GT(compare_patterns(bench, worms), 5'000U);
}

TEST(RtlOfWorms, AgreesOnCompleteExchangesOfTheNcube2) {
  Bench bench(worms);
  std::size_t compared = 0;
  Machine machine = resolve(preset_settings(preset("ncube2")));
  machine.library.send_cycles = machine.library.send_zero_cycles = 200;  // shorter, or the clock has little to do
  machine.library.receive_cycles = machine.library.receive_zero_cycles = 100;
  for (const Schedule schedule : {Schedule::xor_pairs, Schedule::ordered, Schedule::random}) {
    compare_exchanges(bench, machine, 3, 20, schedule, {}, compared);
    compare_exchanges(bench, machine, 3, 20, schedule, {.jitter = 300, .seed = 9}, compared);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(compared, 500U);
}

TEST(RtlOfWorms, StartsAfreshFromAnyState) {
  Bench bench(worms);
  std::mt19937_64 random(7);
  compare_after_resets(bench, machine_for(worms.back()), random);
}

/// What is wrong with a run of a machine in which a fault was planted, as the comparison with the event engine says.
std::string caught(unsigned fault, bool of_worms = false) {
  const Model model = of_worms ? Model{2, true, "faults", 1, fault} : Model{3, true, "faults", 0, fault};
  Bench bench({model});
  std::mt19937_64 random(1);
  const Machine machine = machine_for(model);
  const std::vector<TrafficMessage> messages = random_messages(random, model.dim, 60);
  CircuitRecorder event;
  CircuitRecorder rtl;
  TrafficProgram on_event(messages, model.dim);
  TrafficProgram on_rtl(messages, model.dim);
  (void)bench.run(on_event.program(), machine, model.dim, {}, FabricKind::event, event);
  const RunResult result = bench.run(on_rtl.program(), machine, model.dim, {}, FabricKind::rtl, rtl);
  std::string text = first_difference(event, rtl).value_or("");
  if (!text.empty() && result.status == RunResult::Status::stalled) text += "\n  the machine stalled";
  ::testing::Test::RecordProperty("caught", text);
  std::printf("%s\n", text.c_str());
  return text;
}

TEST(PlantedFault, NoneIsCaughtWhereNoneIs) { EXPECT_EQ(caught(0), ""); }
TEST(PlantedFault, APointerThatDoesNotMoveIsCaught) { EXPECT_NE(caught(1), ""); }
TEST(PlantedFault, ACycleMoreInEveryRouterIsCaught) { EXPECT_NE(caught(2), ""); }
TEST(PlantedFault, AReleaseThatIsACycleEarlyIsCaught) { EXPECT_NE(caught(3), ""); }
TEST(PlantedFault, TheWrongOrderOfDimensionsIsCaught) { EXPECT_NE(caught(4), ""); }
TEST(PlantedFault, ALostAcknowledgeIsCaughtAndStallsTheMachine) {
  EXPECT_NE(caught(5).find("the machine stalled"), std::string::npos);
}

TEST(PlantedFaultOfWorms, NoneIsCaughtWhereNoneIs) { EXPECT_EQ(caught(0, true), ""); }
TEST(PlantedFaultOfWorms, APointerThatDoesNotMoveIsCaught) { EXPECT_NE(caught(1, true), ""); }
TEST(PlantedFaultOfWorms, ACycleMoreInEveryRouterIsCaught) { EXPECT_NE(caught(2, true), ""); }
TEST(PlantedFaultOfWorms, AStopThatIsNotHeededIsCaught) { EXPECT_NE(caught(3, true), ""); }
TEST(PlantedFaultOfWorms, TheWrongOrderOfDimensionsIsCaught) { EXPECT_NE(caught(4, true), ""); }
TEST(PlantedFaultOfWorms, ALostStopIsCaught) { EXPECT_NE(caught(5, true), ""); }

TEST(RtlRefuses, WhatItCannotBe) {
  Machine machine;
  EXPECT_EQ(RtlFabric::refusal(machine, 6), "");
  EXPECT_NE(RtlFabric::refusal(machine, 7), "");
  machine.node.ports.engines = 2;
  EXPECT_EQ(RtlFabric::refusal(machine, 2), "");  // as many engines as ports
  EXPECT_NE(RtlFabric::refusal(machine, 3).find("node.ports"), std::string::npos);
  machine.node.ports.engines = 1;
  machine.router.route_cycles = Cycles{1} << 32;
  EXPECT_NE(RtlFabric::refusal(machine, 3).find("router.route"), std::string::npos);
}

}  // namespace
}  // namespace ecube
