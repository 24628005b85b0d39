// SPDX-License-Identifier: Apache-2.0
// Messages take the same cycles whether a node has one counted receive and two sends at a time, or operations for each
// of its messages; on the event engine and on the clocked machine.
#include "models/presets/presets.h"
#include "models/presets/settings.h"
#include "sw/traffic/traffic.h"
#include "testbench/machine/test_bench.h"
#include "tests/test.h"

namespace ecube::traffic_operations_test {
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

Played run(TestBench& bench, const RunSetup& setup, const TrafficPlan& plan, TrafficOperations operations) {
  Arrivals arrivals;
  Traffic traffic(plan, &arrivals, operations);
  Firmware firmware([&](Node& node) { return traffic.run(node); });
  const RunMeasurement m = bench.run_aside(setup, firmware);
  EXPECT_EQ(m.result.status, RunResult::Status::finished);
  EXPECT_EQ(traffic.wrong(), 0U);
  std::sort(arrivals.all.begin(), arrivals.all.end());
  return {std::move(arrivals.all), m.result.cycles, m.events};
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
          Case one{
              .setup = {.machine = resolve(preset_settings(preset(name))), .dim = dim, .conditions = {.seed = seed}},
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
    const Played separate = run(bench, one.setup, plan, TrafficOperations::separate);
    const Played counted = run(bench, one.setup, plan, TrafficOperations::counted);
    const Played on_pins = run(bench, clocked(one.setup), plan, TrafficOperations::counted);
    EXPECT_EQ(separate.arrivals.size(), plan.size());
    EXPECT_EQ(counted.arrivals, separate.arrivals);
    EXPECT_EQ(on_pins.arrivals, separate.arrivals);
    EXPECT_EQ(counted.cycles, separate.cycles);
    EXPECT_EQ(on_pins.cycles, separate.cycles);
    EXPECT_EQ(counted.events, separate.events);
  }
}

}  // namespace
}  // namespace ecube::traffic_operations_test
