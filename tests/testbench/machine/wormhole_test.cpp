// SPDX-License-Identifier: Apache-2.0
// Worms: cycles worked out by hand from hw/README.md section 10, collectives on them, and the preset ncube2.
#include "hw/observed/observer.h"
#include "models/presets/presets.h"
#include "models/presets/settings.h"
#include "sw/traffic/traffic.h"
#include "testbench/combine/combine_experiment.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/shuffle/shuffle_request.h"
#include "tests/test.h"

namespace ecube::wormhole_test {
namespace {

Machine preset_machine(const char* name) { return resolve(preset_settings(preset(name))); }

/// r = 1, A = 1, c = 2, B = 1, no start-up.
Machine small_machine() {
  Machine machine;
  machine.network.switching = Switching::wormhole;
  machine.link.cycles_per_phit = {2, 1};
  machine.library.send_cycles = 0;
  machine.library.send_zero_cycles = 0;
  return machine;
}

TestBench& shared_bench() {
  static TestBench bench(4);
  return bench;
}

/// Edges of every worm, in the order in which their probes left.
class Worms final : public Observer {
 public:
  struct Edges {
    NodeId source = 0;
    NodeId destination = 0;
    Bytes bytes = 0;
    Cycles probe = 0;
    std::vector<Cycles> grants{};
    std::vector<Cycles> free_from{};
    CircuitEdges edges{};
  };
  void injected(CircuitId id, const CircuitRecord& circuit) override {
    place_[id] = in_order.size();
    in_order.push_back(
        {.source = circuit.source, .destination = circuit.destination, .bytes = circuit.bytes, .probe = circuit.probe});
  }
  void granted(CircuitId id, const CircuitRecord&, NodeId, unsigned, Cycles, Cycles at) override {
    in_order[place_[id]].grants.push_back(at);
  }
  void released(CircuitId id, const CircuitRecord&, NodeId, unsigned, Cycles free_from) override {
    in_order[place_[id]].free_from.push_back(free_from);
  }
  void established(CircuitId id, const CircuitRecord&, const CircuitEdges& edges) override {
    in_order[place_[id]].edges = edges;
  }
  std::vector<Edges> in_order;

 private:
  std::map<CircuitId, std::size_t> place_;
};

std::vector<Worms::Edges> run(const Machine& machine, unsigned dim, const std::vector<TrafficMessage>& messages) {
  TestBench bench(dim);
  Worms worms;
  bench.observe(&worms);
  const TrafficPlan plan(messages, Topology::cube(dim));
  Traffic traffic(plan, nullptr, TrafficOperations::separate);
  Firmware firmware([&](Node& node) { return traffic.run(node); });
  const RunMeasurement run = bench.run({.machine = machine, .dim = dim, .conditions = {}}, firmware);
  EXPECT_EQ(run.result.status, RunResult::Status::finished);
  EXPECT_EQ(traffic.wrong(), 0U);
  return worms.in_order;
}

TEST(Wormhole, OneWormMovesAsInTheDiagram) {
  const Worms::Edges worm = run(small_machine(), 1, {{.source = 0, .destination = 1, .bytes = 3, .cycle = 0}}).front();
  EXPECT_EQ(worm.grants, (std::vector<Cycles>{2, 4}));
  EXPECT_EQ(worm.free_from, (std::vector<Cycles>{11, 12}));
  EXPECT_EQ(worm.edges.acknowledge, 5U);  // the probe is taken
  EXPECT_EQ(worm.edges.data, 3U);
  EXPECT_EQ(worm.edges.tail, 8U);
  EXPECT_EQ(worm.edges.sender_ready, 10U);
  EXPECT_EQ(worm.edges.receiver_ready, 12U);
}

TEST(Wormhole, LinksBehindTheTailAreFreeWhileTheProbeWaits) {
  // 7 -> 15 holds link 7:3 until 45. The probe of 0 -> 15 waits for it from 8 on; its only phit has left link 0:0,
  // which 0 -> 1 takes at 8 and is received long before.
  const std::vector<Worms::Edges> worms = run(small_machine(), 4,
                                              {{.source = 7, .destination = 15, .bytes = 20, .cycle = 0},
                                               {.source = 0, .destination = 15, .bytes = 1, .cycle = 0},
                                               {.source = 0, .destination = 1, .bytes = 1, .cycle = 0}});
  const auto of = [&](NodeId source, NodeId destination) {
    for (const Worms::Edges& worm : worms) {
      if (worm.source == source && worm.destination == destination) return worm;
    }
    return Worms::Edges{};
  };
  const Worms::Edges holder = of(7, 15);
  EXPECT_EQ(holder.grants, (std::vector<Cycles>{2, 4}));
  EXPECT_EQ(holder.free_from, (std::vector<Cycles>{45, 46}));
  const Worms::Edges waiting = of(0, 15);
  EXPECT_EQ(waiting.grants, (std::vector<Cycles>{2, 4, 6, 45, 47}));
  EXPECT_EQ(waiting.free_from.front(), 8U);
  EXPECT_EQ(waiting.edges.sender_ready, 6U);
  EXPECT_EQ(waiting.edges.receiver_ready, 51U);
  const Worms::Edges next = of(0, 1);
  EXPECT_EQ(next.probe, 6U);
  EXPECT_EQ(next.grants, (std::vector<Cycles>{8, 10}));
  EXPECT_EQ(next.edges.receiver_ready, 14U);
}

TEST(Wormhole, AnUncontendedWormTakesTheTimeOfTheFormula) {
  Machine machine = small_machine();
  machine.link.cycles_per_phit = {5, 1};
  machine.link.phit_bytes = 4;
  machine.router.route_cycles = 7;
  machine.network.accept_cycles = 4;
  std::vector<TrafficMessage> messages;
  for (NodeId destination = 0; destination < 8; ++destination)
    for (const Bytes bytes : {0U, 1U, 4U, 5U, 100U}) {
      messages.push_back({.source = 0, .destination = destination, .bytes = bytes, .cycle = messages.size() * 1000});
    }
  const std::vector<Worms::Edges> worms = run(machine, 3, messages);
  ASSERT_EQ(worms.size(), messages.size());
  for (const Worms::Edges& worm : worms) {
    // (h + 1)(r + 1) + c n + 2
    const Cycles phits = std::max<Cycles>(1, (worm.bytes + 3) / 4);
    EXPECT_EQ(worm.edges.receiver_ready - worm.probe, (hops(0, worm.destination) + Cycles{1}) * 8 + 5 * phits + 2);
  }
}

TEST(Wormhole, CollectivesPutTheirDataInPlace) {
  for (const std::uint64_t buffer : {1U, 3U})
    for (const std::uint32_t engines : {1U, 2U, Ports::n}) {
      Machine machine = small_machine();
      machine.router.buffer_bytes = buffer;
      machine.node.ports.engines = engines;
      machine.library.send_cycles = 30;
      const RunConditions conditions = {.jitter = 50, .seed = 7 + buffer};
      TestBench& bench = shared_bench();
      for (const Schedule schedule : {Schedule::xor_pairs, Schedule::ordered}) {
        ExchangeExperiment exchange;
        exchange.setup = {.machine = machine, .dim = 4, .conditions = conditions};
        exchange.workload.partition = Partition({2, 2});
        exchange.workload.bytes = 13;
        exchange.workload.schedule = schedule;
        const ExchangeMeasurement measured = run_exchange(bench, exchange, {});
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
      EXPECT_EQ(run_combine(bench, combine, {}).verified, true);
      ShuffleExperiment shuffle;
      shuffle.setup = {.machine = machine, .dim = 4, .conditions = conditions};
      shuffle.workload.permutation = DimensionPermutation::named("bit-reversal", 4, 16);
      shuffle.workload.elements = 16;
      shuffle.workload.mixed = engines == 1 ? MixedAlgorithm::one_port : MixedAlgorithm::pipelined;
      shuffle.workload.ports = machine.node.ports;
      EXPECT_EQ(run_shuffle(bench, shuffle, {.tau_us = 1, .tc_us_per_element = 1}).verified, true);
    }
}

TEST(Wormhole, Ncube2HasItsPublishedTimes) {
  const Machine machine = preset_machine("ncube2");
  const Calibration c = shared_bench().calibrate(machine);
  EXPECT_NEAR(*c.message.lambda_us, 160, 1e-6);
  EXPECT_NEAR(*c.message.tau_us_per_byte, 0.45, 1e-9);
  EXPECT_NEAR(*c.message.delta_hop_us, 2, 1e-6);
  EXPECT_NEAR(*c.message.lambda0_us + *c.message.delta_hop_us, 151, 1e-6);
  EXPECT_LT(c.worst_percent, 0.01);
}

}  // namespace
}  // namespace ecube::wormhole_test
