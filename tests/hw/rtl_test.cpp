// SPDX-License-Identifier: Apache-2.0
// The RTL against the event engine: the same programs, the same edge for every probe, grant, acknowledge, phit, tail
// and release.
#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>

#include "hw/clocked/router.h"
#include "tests/effort.h"
#include "tests/hw/late_worms.h"
#include "tests/hw/rtl_comparison.h"

namespace ecube::rtl_test {
namespace {

const Shapes circuits = {{1, 1}, {2, 1}, {2, Ports::n}, {3, 1}, {3, Ports::n}};
const Shapes shared = {{3, 2}};
const Shapes worms = {{2, 1, 1}, {2, Ports::n, 3}, {3, 1, 8}, {3, Ports::n, 1}, {3, 2, 1}};

const std::vector<Schedule> every_schedule{Schedule::xor_pairs, Schedule::ordered, Schedule::random};

/// Under sanitizers these alone are compiled: a port and a router of each kind.
Shapes sampled(Shapes shapes) {
  const auto missing = [](const RandomShape& shape) {
    return shape.buffer == 0 ? !(shape.dim == 2 && shape.engines == Ports::n) && !(shape.dim == 3 && shape.engines == 1)
                             : shape.dim != 2 || shape.engines != Ports::n;
  };
  if (sanitized) shapes.erase(std::remove_if(shapes.begin(), shapes.end(), missing), shapes.end());
  return shapes;
}

Shapes together(Shapes shapes, const Shapes& others) {
  shapes.insert(shapes.end(), others.begin(), others.end());
  return sampled(std::move(shapes));
}

/// One message from every node to every node in every length, each with the network to itself.
std::size_t compare_every_pair(BothEngines& bench, const RandomShape& shape, const Machine& machine) {
  std::vector<TrafficMessage> messages;
  const NodeId nodes = NodeId{1} << shape.dim;
  Cycles cycle = 0;
  for (const Bytes bytes : {0U, 1U, 3U, 4U, 5U, 1000U}) {
    for (NodeId source = 0; source < nodes; ++source) {
      for (NodeId destination = 0; destination < nodes; ++destination) {
        messages.push_back({source, destination, bytes, cycle += 1000});
      }
    }
  }
  return bench.expect_equal(machine, shape.dim, {}, traffic_maker(messages, shape.dim),
                            "d=" + std::to_string(shape.dim));
}

/// Hot spots, permutations, messages to oneself, and messages that are ready when their predecessor has left, at a rate
/// of 1,000 messages per 1,000 cycles.
std::size_t compare_patterns(BothEngines& bench, const Shapes& shapes) {
  std::size_t compared = 0;
  for (const RandomShape& shape : shapes) {
    for (const TrafficPattern pattern : {TrafficPattern::hotspot, TrafficPattern::bitrev, TrafficPattern::all_to_one,
                                         TrafficPattern::transpose, TrafficPattern::bitcomp}) {
      for (const double rate : {8.0, 1000.0}) {
        const auto messages = make_traffic({.pattern = pattern, .messages = 30, .rate = rate, .bytes = 16, .seed = 3},
                                           Topology::cube(shape.dim));
        compared += bench.expect_equal(machine_of(shape), shape.dim, {.jitter = 0, .seed = 3},
                                       traffic_maker(messages, shape.dim), "d=" + std::to_string(shape.dim));
        if (::testing::Test::HasFatalFailure()) return compared;
      }
    }
  }
  return compared;
}

/// Breaks off runs at some cycle, and repeats each run from the start afterwards.
void compare_after_resets(BothEngines& bench, const RandomShape& shape) {
  const RandomProgram program = random_program(7, shape, 12);
  ClockedCube& cube = *bench.find(program.machine, program.dim);
  for (const Cycles stop : {40U, 150U, 700U}) {
    RandomFirmware abandoned(program);
    cube.reset(program.machine, program.conditions);
    cube.on_progress([stop](Cycles cycle) { return cycle < stop; });
    EXPECT_EQ(cube.run(abandoned.program()).status, RunResult::Status::interrupted);
    cube.on_progress({});
    cube.unload();
    EXPECT_GT(bench.expect_equal(program, "after cycle " + std::to_string(stop)), 0U);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Rtl, AgreesOnRandomProgramsOfEveryMode) {
  const Shapes shapes = together(together(circuits, shared), worms);
  RtlBench bench(shapes);
  compare_random_programs(bench, shapes, std::max<std::size_t>(random_cases(20'000), 2000), 1);
}

/// Words wait in the ports until their probe is taken, the tail among them.
TEST(Rtl, AgreesOnWormsThatAreAcceptedLate) {
  const Shapes shapes = sampled({{2, Ports::n, 3}, {3, 1, 8}});
  RtlBench bench(shapes);
  std::size_t self_messages = 0;
  Cycles longest = 0;
  const Compared wanted{.circuits = std::max<std::size_t>(random_cases(4'000), 400)};
  const Compared all = compare_programs(bench, wanted, 1, [&](std::uint64_t seed) {
    RandomProgram program = late_worms(seed, shapes[seed % shapes.size()], 6);
    const Machine& machine = program.machine;
    EXPECT_GT(machine.network.accept_cycles * machine.link.cycles_per_phit.den, machine.link.cycles_per_phit.num + 1);
    longest = std::max(longest, machine.network.accept_cycles);
    self_messages += self_messages_from_other_ports(program);
    return program;
  });
  EXPECT_GT(longest, 30U);
  EXPECT_GT(self_messages, all.circuits / 50);
}

TEST(Rtl, AgreesForEveryPairOfNodesAndLength) {
  RtlBench bench(circuits);
  std::size_t compared = 0;
  for (const RandomShape& shape : circuits) {
    for (const Distance distance : {Distance::real, Distance::fixed}) {
      Machine machine = machine_of(shape);
      machine.link.phit_bytes = 4;
      machine.link.cycles_per_phit = {7, 3};
      machine.router.route_cycles = 5;
      machine.network.accept_cycles = 2;
      machine.network.distance = distance;
      machine.network.setup_cycles = 90;
      compared += compare_every_pair(bench, shape, machine);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(compared, 2U * 6U * (4U + 2U * (16U + 64U)));
}

TEST(Rtl, AgreesOnHotSpotsPermutationsSelfAndBackToBackMessages) {
  const Shapes shapes = together(together(circuits, shared), worms);
  RtlBench bench(shapes);
  EXPECT_GT(compare_patterns(bench, shapes), 10'000U);
}

TEST(Rtl, AgreesOnCompleteExchanges) {
  RtlBench bench(circuits);
  std::size_t compared = 0;
  for (const RandomShape& shape : circuits) {
    for (const char* name : {"ideal", "hull"}) {
      compared +=
          compare_exchanges(bench, preset_machine(name, shape.engines), shape.dim, 20, every_schedule, {0, 300});
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(compared, 3'000U);
}

TEST(Rtl, AgreesOnTheMessageLibrariesOfTheIpsc) {
  RtlBench bench({{3, 1}});
  std::size_t compared = 0;
  for (const char* name : {"ipsc860", "ipsc860-nx", "ipsc2"}) {
    for (const Bytes bytes : {0U, 20U, 150U}) {
      compared += compare_exchanges(bench, preset_machine(name), 3, bytes);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(compared, 1'000U);
}

TEST(Rtl, AgreesOnTheIpsc860WithSixDimensions) {
  RtlBench bench({{6, 1}});
  const Machine machine = preset_machine("ipsc860");
  ExchangeWorkload workload{.partition = Partition::parse("3,3", 6), .bytes = 4, .barrier = machine.library.barrier};
  EXPECT_EQ(bench.expect_equal(
                machine, 6, {}, [&] { return std::make_unique<CompleteExchange>(workload, Topology::cube(6)); }, "d=6"),
            64U * (2 * 6 + 2 * 14));
}

TEST(Rtl, AgreesForEveryPairOfNodesAndLengthOfWorms) {
  RtlBench bench(worms);
  std::size_t compared = 0;
  for (const RandomShape& shape : worms) {
    Machine machine = machine_of(shape);
    machine.link.phit_bytes = 2;
    machine.link.cycles_per_phit = {3, 1};
    machine.router.route_cycles = 5;
    machine.router.buffer_bytes = std::uint64_t{2} * shape.buffer;
    machine.network.accept_cycles = 4;
    compared += compare_every_pair(bench, shape, machine);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(compared, 6U * (2U * 16U + 3U * 64U));
}

TEST(Rtl, AgreesOnCompleteExchangesOfTheNcube2) {
  RtlBench bench({{3, Ports::n, 1}});
  Machine machine = preset_machine("ncube2");
  machine.router.buffer_bytes = machine.link.phit_bytes;
  machine.library.send_cycles = machine.library.send_zero_cycles = 200;  // shorter, or the clock has little to do
  machine.library.receive_cycles = machine.library.receive_zero_cycles = 100;
  EXPECT_GT(compare_exchanges(bench, machine, 3, 20, every_schedule, {0, 300}), 500U);
}

TEST(Rtl, StartsAfreshFromAnyState) {
  const Shapes shapes = sampled({{3, 1}, {3, Ports::n}, {3, 2, 1}, {2, Ports::n, 3}});
  RtlBench bench(shapes);
  for (const RandomShape& shape : shapes) {
    compare_after_resets(bench, shape);
    if (HasFatalFailure()) return;
  }
}

TEST(Rtl, StartsAfreshAfterAProgramThatFailedInAnyCycle) {
  const RandomShape shape{.dim = 2, .engines = Ports::n};
  RtlBench bench(Shapes{shape});
  const Machine machine = machine_of(shape);
  const RandomProgram program = random_program(3, shape, 4);
  for (Cycles cycle = 0; cycle < 40; ++cycle) {
    Firmware failing([cycle](Node& node) -> Task<> {
      if (node.id() == 0) {
        co_await node.until(cycle);
        throw std::runtime_error("in the middle of what the others send");
      }
      for (NodeId i = 0; i < 8; ++i) co_await node.send({.to = i % 4, .bytes = i % 3});
    });
    CircuitRecorder recorder;
    ASSERT_EQ(bench.run_clocked(failing, machine, shape.dim, {}, recorder).status, RunResult::Status::fault);
    bench.expect_equal(program, "after cycle " + std::to_string(cycle));
    if (HasFatalFailure()) return;
  }
}

TEST(Rtl, AgreesWhenNodesAreClockedAtEveryEdge) {
  const Shapes shapes = sampled({{3, 1}, {3, Ports::n}, {2, Ports::n, 3}});
  RtlBench bench(shapes);
  for (const RandomShape& shape : shapes) bench.find(machine_of(shape), shape.dim)->clock_all(true);
  compare_random_programs(bench, shapes, std::max<std::size_t>(random_cases(2'000), 500), 1);
}

TEST(Rtl, AgreesWhereLinksAndNodesFail) {
  const Shapes shapes = together({{2, Ports::n}, {3, 1}}, {{2, Ports::n, 3}, {3, 1, 8}});
  RtlBench bench(shapes);
  const Compared wanted{.programs = std::max<std::size_t>(random_cases(100), 10)};
  const Compared all = compare_programs(bench, wanted, 1, [&shapes](std::uint64_t seed) {
    RandomProgram program = random_program(seed, shapes[mix(seed) % shapes.size()], 6);
    program.conditions.failures = random_failures(seed, program);
    return program;
  });
  EXPECT_GT(all.cut, all.programs / 4) << "few circuits are cut";
}

TEST(Rtl, AgreesInSomeNodesAmongOthersInSystemC) {
  const Shapes shapes = together({{3, 1}, {3, Ports::n}}, worms);
  BothEngines bench("mixed");
  for (const RandomShape& shape : shapes) {
    std::vector<bool> chosen;
    for (NodeId node = 0; node >> shape.dim == 0; ++node) chosen.push_back(node % 3 != 1);
    bench.elaborate(machine_of(shape), shape.dim, RtlParts(rtl_library(machine_of(shape), shape.dim), chosen));
  }
  compare_random_programs(bench, shapes, std::max<std::size_t>(random_cases(5'000), 1000), 1);
}

/// A router whose output 0 drops a phit of each circuit.
class Forgetful final : public clocked::Router {
 public:
  using Router::Router;

 protected:
  void after(clocked::RouterState& state, const clocked::RouterWires& wires) const override {
    Router::after(state, wires);
    clocked::Wire& wire = state.out[0].drive;
    if (wire.kind == clocked::WireKind::phit && wire.sequence == 2) wire = {};
  }
};

/// RTL except one router.
class ForgetfulNode final : public clocked::NodeParts {
 public:
  std::unique_ptr<clocked::RouterPins> make_router(const char* name, NodeId node,
                                                   const clocked::Shape& shape) const override {
    if (node == 1) return std::make_unique<Forgetful>(name, shape);
    return rtl_.make_router(name, node, shape);
  }
  std::unique_ptr<clocked::InterfacePortPins> make_port(const char* name, NodeId node, unsigned number,
                                                        const clocked::Shape& shape) const override {
    return rtl_.make_port(name, node, number, shape);
  }

 private:
  RtlParts rtl_{rtl_library(Machine{}, 2)};
};

TEST(Rtl, EndsTheRunWhenAnAssertionFailsAndSaysWhich) {
  ClockedCube cube("rtl", Machine{}, 2, ForgetfulNode());
  TrafficProgram program({{1, 0, 20, 0}}, 2);
  const RunResult result = cube.run(program.program());
  EXPECT_EQ(result.status, RunResult::Status::fault);
  EXPECT_NE(result.fault.find("ecube_receiver.sv:"), std::string::npos) << result.fault;
  cube.unload();
  // The failed run leaves no trace in the next one.
  cube.reset(Machine{});
  TrafficProgram other({{1, 3, 20, 0}}, 2);
  const RunResult again = cube.run(other.program());
  EXPECT_EQ(again.status, RunResult::Status::finished) << again.fault;
}

/// The message of the comparison with the event engine about a run with this wrong module of mutants.txt.
std::string caught(const char* mutant, bool of_worms = false) {
  const RandomShape shape = RandomShape{.dim = 3, .engines = 1, .buffer = of_worms ? 1U : 0U};
  RtlBench bench({shape}, mutant);
  const auto messages =
      make_traffic({.pattern = TrafficPattern::all_to_one, .messages = 20, .rate = 40, .bytes = 30, .seed = 1},
                   Topology::cube(shape.dim));
  CircuitRecorder event;
  CircuitRecorder rtl;
  const Machine machine = machine_of(shape);
  std::string text = bench.difference(machine, shape.dim, {}, traffic_maker(messages, shape.dim), event, rtl);
  ::testing::Test::RecordProperty("caught", text);
  std::printf("%s\n", text.c_str());
  return text;
}

// `hw/rtl/verify compare` runs all others.
TEST(WrongModule, IsNotCaughtWhereThereIsNone) { EXPECT_EQ(caught(""), ""); }
TEST(WrongModule, IsCaughtAndStallsTheMachineWithoutAcknowledges) {
  EXPECT_HAS(caught("fault_acknowledge"), "status 1, otherwise 0");
}
TEST(WrongModuleOfWorms, IsNotCaughtWhereThereIsNone) { EXPECT_EQ(caught("", true), ""); }
TEST(WrongModuleOfWorms, ThatTakesACycleMoreIsCaught) { EXPECT_NE(caught("worm_fault_hop", true), ""); }

TEST(RtlRefuses, WhatItCannotBe) {
  Machine machine;
  EXPECT_EQ(rtl_refusal(machine, 8), "");
  EXPECT_NE(rtl_refusal(machine, 9), "");
  Machine buffers = machine_of({.dim = 3, .engines = 1, .buffer = 8});
  EXPECT_EQ(rtl_refusal(buffers, 3), "");
  buffers.router.buffer_bytes = 9;
  EXPECT_NE(rtl_refusal(buffers, 3).find("router.buffer"), std::string::npos);
}

TEST(RtlRefuses, CountsBeyondTheLargestOfARegister) {
  constexpr Cycles largest = (Cycles{1} << 32) - 1;
  const auto refusal = [](auto set, Cycles count) {
    Machine machine;
    set(machine, count);
    return rtl_refusal(machine, 3);
  };
  const auto ends = [&refusal](const std::string& key, auto set) {
    EXPECT_EQ(refusal(set, largest), "") << key;
    EXPECT_EQ(refusal(set, largest + 1).find(key + ": at most 4294967295 cycles"), 0U) << refusal(set, largest + 1);
  };
  ends("router.route", [](Machine& of, Cycles count) { of.router.route_cycles = count; });
  ends("network.accept", [](Machine& of, Cycles count) { of.network.accept_cycles = count; });
  ends("network.setup", [](Machine& of, Cycles count) { of.network.setup_cycles = count; });
  ends("network.together", [](Machine& of, Cycles count) { of.network.together_cycles = count; });
  ends("link.cycles_per_phit", [](Machine& of, Cycles count) { of.link.cycles_per_phit = {count, 1}; });
  // The port counts some phits a cycle longer.
  ends("link.cycles_per_phit", [](Machine& of, Cycles count) { of.link.cycles_per_phit = {2 * count - 1, 2}; });
  ends("link.cycles_per_phit (its denominator)", [](Machine& of, Cycles count) {
    of.link.cycles_per_phit = {count + 1, count};
  });
}

}  // namespace
}  // namespace ecube::rtl_test
