// SPDX-License-Identifier: Apache-2.0
// Messages that wait for others: edges worked out by hand. Every message takes the same edges on both engines, and
// whether a node has one counted receive and two sends at a time or operations for each of its messages.
#include "sw/traffic/traffic.h"
#include "testbench/machine/test_bench.h"
#include "tests/machines.h"
#include "tests/test.h"

namespace ecube::traffic_run_test {
namespace {

using Arrival = std::tuple<NodeId, NodeId, Cycles, Cycles>;  ///< source, destination, due, received

class Arrivals final : public TrafficListener {
 public:
  void received(const TrafficMessage& message, Cycles at) override {
    all.emplace_back(message.source, message.destination, message.cycle, at);
  }
  std::vector<Arrival> all;
};

struct Played {
  std::vector<Arrival> arrivals;
  Cycles cycles = 0;
  std::uint64_t events = 0;
};

Played played(TestBench& bench, const RunSetup& setup, const TrafficPlan& plan, TrafficOperations operations) {
  Arrivals arrivals;
  Traffic traffic(plan, &arrivals, operations);
  Firmware firmware([&](Node& node) { return traffic.run(node); });
  const RunMeasurement m = bench.run_aside(setup, firmware);
  EXPECT_EQ(m.result.status, RunResult::Status::finished);
  EXPECT_EQ(traffic.wrong(), 0U);
  std::sort(arrivals.all.begin(), arrivals.all.end());
  return {std::move(arrivals.all), m.result.cycles, m.events};
}

std::vector<Arrival> arrivals_of(TestBench& bench, const RunSetup& setup, const TrafficPlan& plan) {
  return played(bench, setup, plan, TrafficOperations::counted).arrivals;
}

RunSetup on(const char* name, unsigned dim, EngineChoice engine) {
  return {.machine = preset_machine(name), .dim = dim, .conditions = {}, .engine = engine};
}

/// On `ideal` a start-up takes 100 cycles, and a message of n bytes over h hops 4 (h + 1) + 4 + n - 1 from its probe to
/// its reception; its sender is ready h + 2 cycles before (hw/README.md section 3).
TEST(DependentTraffic, TakesTheEdgesWorkedOutByHand) {
  constexpr unsigned dim = 3;
  const TrafficPlan plan(
      {
          {0, 1, 16, 0},  // a: probe 100, received 100 + 8 + 4 + 15 = 127, sent 124
          {1, 3, 8, 20},  // b after a: turn 147, probe 247, received 247 + 8 + 4 + 7 = 266, sent 263
          {0, 4, 8, 1},   // c after a, which this node sends: turn 125, probe 225, received 244
          {3, 7, 1, 1},   // d after b: turn 267, probe 367, received 367 + 8 + 4 = 379
          {1, 0, 4, 5},   // e after a and b: turn 263 + 5 = 268, probe 368, received 368 + 8 + 4 + 3 = 383
          {4, 4, 8, 2},   // f after c, to itself: turn 246, probe 346, received 346 + 4 + 4 + 7 = 361
          {4, 0, 1, 3},   // g after f: turn 364, probe 464, received 464 + 8 + 4 = 476
          {2, 0, 1, 30},  // h, which waits for none: probe 130, received 142
      },
      {{0, 1}, {0, 2}, {1, 3}, {0, 4}, {1, 4}, {2, 5}, {5, 6}}, Topology::cube(dim));
  EXPECT_EQ(plan.dependencies(), 7U);
  EXPECT_EQ(plan.last_cycle(), 30U) << "of messages that wait for none";
  TestBench bench(dim);
  bench.elaborate(on("ideal", dim, EngineChoice::clocked));
  for (const EngineChoice engine : {EngineChoice::event, EngineChoice::clocked}) {
    EXPECT_EQ(arrivals_of(bench, on("ideal", dim, engine), plan), (std::vector<Arrival>{{0, 1, 0, 127},
                                                                                        {0, 4, 125, 244},
                                                                                        {1, 0, 268, 383},
                                                                                        {1, 3, 147, 266},
                                                                                        {2, 0, 30, 142},
                                                                                        {3, 7, 267, 379},
                                                                                        {4, 0, 364, 476},
                                                                                        {4, 4, 246, 361}}));
  }
}

TEST(DependentTraffic, LeavesInTheOrderOfTurnsAndThenOfTheList) {
  constexpr unsigned dim = 2;
  // Both wait for the same message and have their turn at 127 + 10; one whose turn is a cycle earlier stands behind
  // them.
  const TrafficPlan plan({{0, 1, 16, 0}, {1, 3, 1, 10}, {1, 0, 1, 10}, {1, 1, 1, 9}, {1, 0, 1, 137}},
                         {{0, 1}, {0, 2}, {0, 3}}, Topology::cube(dim));
  TestBench bench(dim);
  bench.elaborate(on("ideal", dim, EngineChoice::clocked));
  for (const EngineChoice engine : {EngineChoice::event, EngineChoice::clocked}) {
    // One port: turn 136, probe 236, sent 236 + 4 + 4 - 2 = 242; then probes at 342, 450 and 558, each sent 8 edges on.
    const auto found = arrivals_of(bench, on("ideal", dim, engine), plan);
    ASSERT_EQ(found.size(), 5U);
    EXPECT_EQ(found[3], Arrival(1, 1, 136, 244));
    const Cycles first = std::get<3>(found[4]);
    EXPECT_EQ(found[4], Arrival(1, 3, 137, first));
    EXPECT_EQ(found[1], Arrival(1, 0, 137, std::get<3>(found[1])));
    EXPECT_LT(first, std::get<3>(found[1]));
    EXPECT_LT(std::get<3>(found[1]), std::get<3>(found[2]));
    EXPECT_EQ(std::get<2>(found[2]), 137U);
  }
}

struct List {
  std::vector<TrafficMessage> messages;
  std::vector<TrafficDependency> dependencies;
};

/// Messages that wait for up to three earlier ones of their node; seldom for none.
List drawn(std::uint64_t seed, unsigned dim) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  const std::uint64_t last = (std::uint64_t{1} << dim) - 1;
  List list;
  for (std::uint32_t i = 0; i < 40; ++i) {
    const auto source = static_cast<NodeId>(pick(last));
    const TrafficMessage message{source, static_cast<NodeId>(pick(last)), pick(40), 1 + pick(2) * pick(200)};
    std::vector<std::uint32_t> known;
    for (std::uint32_t k = 0; k < i; ++k) {
      if (list.messages[k].source == source || list.messages[k].destination == source) known.push_back(k);
    }
    for (std::uint64_t waits = pick(3); waits > 0 && !known.empty(); --waits) {
      const std::uint64_t which = pick(known.size() - 1);
      list.dependencies.push_back({known[which], i});
      known.erase(known.begin() + static_cast<std::ptrdiff_t>(which));
    }
    list.messages.push_back(message);
  }
  return list;
}

TEST(DependentTraffic, TakesTheSameEdgesOnBothEngines) {
  constexpr unsigned dim = 3;
  TestBench bench(dim);
  const auto setup = [](const char* name, std::uint32_t ports, std::uint64_t seed, EngineChoice engine) {
    RunSetup made = on(name, dim, engine);
    made.machine.node.ports.engines = ports;
    made.conditions = {.jitter = seed % 2 * 23, .seed = seed};
    return made;
  };
  const auto machines = {std::pair("ideal", 1U), std::pair("ideal", std::uint32_t{Ports::n}),
                         std::pair("ipsc860-nx", 1U), std::pair("ncube2", std::uint32_t{Ports::n})};
  for (const auto& [name, ports] : machines) bench.elaborate(setup(name, ports, 1, EngineChoice::clocked));
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const List list = drawn(seed, dim);
    ASSERT_GT(list.dependencies.size(), 20U);
    const TrafficPlan plan(list.messages, list.dependencies, Topology::cube(dim));
    for (const auto& [name, ports] : machines) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      const auto event = arrivals_of(bench, setup(name, ports, seed, EngineChoice::event), plan);
      EXPECT_EQ(event.size(), list.messages.size());
      EXPECT_EQ(event, arrivals_of(bench, setup(name, ports, seed, EngineChoice::clocked), plan));
    }
  }
}

/// A dependency that is always met earlier than its message's turn changes nothing.
TEST(DependentTraffic, IsTrafficWhereNothingHasToWait) {
  constexpr unsigned dim = 3;
  TestBench bench(dim);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    List list = drawn(seed, dim);
    const TrafficPlan plain(list.messages, Topology::cube(dim));
    // Node 0 sends a message to itself at the end, after its first one.
    list.messages.push_back({0, 0, 1, 1});
    list.messages.insert(list.messages.begin(), {0, 0, 1, 1'000'000});
    const TrafficPlan plan(list.messages, {{0, static_cast<std::uint32_t>(list.messages.size() - 1)}},
                           Topology::cube(dim));
    const RunSetup setup = on("ipsc860-nx", dim, EngineChoice::event);
    auto found = arrivals_of(bench, setup, plan);
    std::erase_if(found, [](const Arrival& one) { return std::get<2>(one) >= 1'000'000; });
    EXPECT_EQ(found, arrivals_of(bench, setup, plain)) << seed;
  }
}

struct Case {
  RunSetup setup;
  TrafficWorkload workload;
  std::string what;
};

/// Machines of every library and switching, from idle to saturated, with jitter and without.
std::vector<Case> cases(unsigned dim) {
  std::vector<Case> all;
  for (const char* const name : {"hull", "ipsc860-nx", "ipsc1", "ncube2", "ipsc2"})
    for (const std::uint32_t ports : {1U, std::uint32_t{Ports::n}})
      for (const double rate : {20.0, 1000.0})
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          Case one{.setup = {.machine = preset_machine(name), .dim = dim, .conditions = {.seed = seed}},
                   .workload = {.messages = 8, .rate = rate, .bytes = seed == 2 ? 300U : 16U, .seed = seed},
                   .what = name};
          if (one.setup.machine.node.ports.physical(dim) == 1 && ports != 1) continue;
          one.setup.machine.node.ports.engines = ports;
          if (seed > 1) one.setup.conditions.jitter = 37;
          if (seed == 3) one.workload.pattern = TrafficPattern::hotspot;
          one.what.append(", ports ").append(std::to_string(ports)).append(", rate ").append(std::to_string(rate));
          one.what.append(", seed ").append(std::to_string(seed));
          all.push_back(one);
        }
  return all;
}

TEST(TrafficOperations, TakeTheSameCyclesCountedOrSeparateOnEitherEngine) {
  constexpr unsigned dim = 3;
  TestBench bench(dim);
  const std::vector<Case> all = cases(dim);
  const auto clocked = [](RunSetup setup) {
    setup.engine = EngineChoice::clocked;
    return setup;
  };
  for (const Case& one : all) bench.elaborate(clocked(one.setup));
  for (const Case& one : all) {
    SCOPED_TRACE(one.what);
    const TrafficPlan plan(one.workload, Topology::cube(dim));
    const Played separate = played(bench, one.setup, plan, TrafficOperations::separate);
    const Played counted = played(bench, one.setup, plan, TrafficOperations::counted);
    const Played on_pins = played(bench, clocked(one.setup), plan, TrafficOperations::counted);
    EXPECT_EQ(separate.arrivals.size(), plan.size());
    EXPECT_EQ(counted.arrivals, separate.arrivals);
    EXPECT_EQ(on_pins.arrivals, separate.arrivals);
    EXPECT_EQ(counted.cycles, separate.cycles);
    EXPECT_EQ(on_pins.cycles, separate.cycles);
    EXPECT_EQ(counted.events, separate.events);
  }
}

}  // namespace
}  // namespace ecube::traffic_run_test
