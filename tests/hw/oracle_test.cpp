// SPDX-License-Identifier: Apache-2.0
// The event engine against the clocked reference: the same edge for every message of random contended traffic.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "hw/cube.h"
#include "tests/effort.h"
#include "tests/oracle/clocked_reference.h"

namespace ecube {
namespace {

using oracle::CircuitTimes;
using oracle::Traffic;

/// Collects the edges of every circuit by the number in its tag.
class Recorder final : public Observer {
 public:
  Recorder(std::size_t messages, const RunConditions& conditions)
      : times(messages), extra_startup(messages), conditions_(conditions) {}
  void injected(CircuitId, const CircuitRecord& circuit) override {
    times[circuit.tag].probe = circuit.probe;
    // Draws depend on seed, node and their count at that node: the reference is given the same ones.
    if (conditions_.jitter != 0) {
      extra_startup[circuit.tag] =
          up_to(draw(conditions_.seed, circuit.source, draws_[circuit.source]++), conditions_.jitter);
    }
  }
  void granted(CircuitId, const CircuitRecord& circuit, NodeId, unsigned, Cycles asked, Cycles at) override {
    times[circuit.tag].requests.push_back(asked);
    times[circuit.tag].grants.push_back(at);
  }
  void released(CircuitId, const CircuitRecord& circuit, NodeId, unsigned, Cycles free_from) override {
    times[circuit.tag].free_from.push_back(free_from);
  }
  void established(CircuitId, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    CircuitTimes& time = times[circuit.tag];
    time.acknowledge_T0 = edges.data;
    time.tail_Tt = edges.tail;
    time.sender_ready = edges.sender_ready;
    time.receiver_ready = edges.receiver_ready;
  }
  std::vector<CircuitTimes> times;
  std::vector<Cycles> extra_startup;

 private:
  RunConditions conditions_;
  std::map<NodeId, std::uint64_t> draws_;
};

/// Drives the engine itself: issues every message at its edge, so that nothing but the specification orders them.
Recorder run_events(const Machine& machine, unsigned dim, const std::vector<Traffic>& traffic,
                    const RunConditions& conditions) {
  Engine engine;
  Recorder recorder(traffic.size(), conditions);
  engine.observe(&recorder);
  engine.reset(machine, dim, conditions);
  std::vector<Operation> sends(traffic.size());
  std::multimap<Cycles, std::size_t> due;
  for (std::size_t i = 0; i < traffic.size(); ++i) due.emplace(traffic[i].issue, i);
  // Every message is received by its own source and type, so the receives are posted first and never run out.
  std::vector<Operation> receives(traffic.size());
  engine.interfaces().begin_cycle(0);
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    receives[i].kind = OperationKind::receive;
    receives[i].peer = traffic[i].source;
    receives[i].type = static_cast<std::uint32_t>(i);
    receives[i].bytes = traffic[i].bytes;
    engine.interfaces().start_receive(traffic[i].destination, receives[i]);
  }
  while (true) {
    Cycles next = engine.next_cycle();
    if (!due.empty() && due.begin()->first <= next) next = due.begin()->first;
    if (next == never) break;
    engine.interfaces().begin_cycle(next);
    while (!due.empty() && due.begin()->first == next) {
      const std::size_t i = due.begin()->second;
      due.erase(due.begin());
      Operation& send = sends[i];
      send.kind = OperationKind::send;
      send.peer = traffic[i].destination;
      send.type = static_cast<std::uint32_t>(i);
      send.bytes = traffic[i].bytes;
      send.tag = i;
      send.port = traffic[i].port == oracle::automatic ? automatic_port : static_cast<std::uint8_t>(traffic[i].port);
      engine.interfaces().start_send(traffic[i].source, send);
    }
    engine.step(next);
  }
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    EXPECT_TRUE(receives[i].done) << "message " << i;
  }
  return recorder;
}

struct Parameters {
  unsigned dim;
  Machine machine;
  std::vector<Traffic> traffic;
};

Parameters random_case(std::uint64_t seed, unsigned dim, std::uint32_t engines, Switching switching) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  Parameters result;
  result.dim = dim;
  Machine& machine = result.machine;
  machine.node.ports.engines = engines;
  machine.node.startups = pick(1) != 0 ? Startups::queued : Startups::overlapped;
  machine.library.send_cycles = pick(20);
  machine.library.send_zero_cycles = pick(20);
  machine.router.route_cycles = 1 + pick(11);
  machine.network.accept_cycles = 1 + pick(3);
  machine.link.phit_bytes = 1 + static_cast<std::uint32_t>(pick(7));
  const std::uint64_t den = 1 + pick(9);
  machine.link.cycles_per_phit = {den + pick(3 * den), den};
  if (pick(3) == 0) {
    machine.network.distance = Distance::fixed;
    machine.network.setup_cycles =
        (dim + 1) * (machine.router.route_cycles + 3) + machine.network.accept_cycles + 3 + pick(20);
  }
  if (switching == Switching::wormhole) {
    machine.network.switching = switching;
    machine.network.distance = Distance::real;
    machine.link.cycles_per_phit = {2 + pick(6), 1};
    machine.router.buffer_bytes = machine.link.phit_bytes * (1 + pick(1) * pick(5));
  }
  const NodeId nodes = NodeId{1} << dim;
  const std::size_t messages = std::size_t{40} * nodes;
  const Cycles window = 20 * messages / nodes * (1 + pick(8));
  const bool hot = pick(2) == 0;
  for (std::size_t i = 0; i < messages; ++i) {
    const auto source = static_cast<NodeId>(pick(nodes - 1));
    const auto destination = hot && pick(1) != 0 ? nodes - 1 : static_cast<NodeId>(pick(nodes - 1));
    const Bytes bytes = pick(4) == 0 ? 0 : pick(60);
    result.traffic.push_back({.source = source, .destination = destination, .bytes = bytes, .issue = pick(window)});
  }
  return result;
}

/// Ports, and how messages are switched.
class Oracle : public ::testing::TestWithParam<std::tuple<std::uint32_t, Switching>> {};

TEST_P(Oracle, NoEdgeOfAnyMessageDiffers) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; compared < random_cases(20'000); ++seed) {
    const unsigned dim = 1 + seed % 4;
    const auto [engines, switching] = GetParam();
    if (engines > 1 && engines >= dim) continue;
    Parameters test = random_case(seed, dim, engines, switching);
    const RunConditions conditions{.jitter = seed % 2 == 0 ? 0 : 40 * (seed % 3), .seed = seed};
    const Recorder recorder = run_events(test.machine, dim, test.traffic, conditions);
    for (std::size_t i = 0; i < test.traffic.size(); ++i) test.traffic[i].extra_startup = recorder.extra_startup[i];
    const auto& measured = recorder.times;
    const auto expected = oracle::run_clocked(test.machine, dim, test.traffic);
    for (std::size_t i = 0; i < test.traffic.size(); ++i) {
      const auto describe = [&] {
        return "seed " + std::to_string(seed) + " dim " + std::to_string(dim) + " message " + std::to_string(i) + " " +
               std::to_string(test.traffic[i].source) + "->" + std::to_string(test.traffic[i].destination);
      };
      ASSERT_EQ(expected[i].probe, measured[i].probe) << describe();
      ASSERT_EQ(expected[i].requests, measured[i].requests) << describe();
      ASSERT_EQ(expected[i].grants, measured[i].grants) << describe();
      ASSERT_EQ(expected[i].acknowledge_T0, measured[i].acknowledge_T0) << describe();
      ASSERT_EQ(expected[i].tail_Tt, measured[i].tail_Tt) << describe();
      ASSERT_EQ(expected[i].sender_ready, measured[i].sender_ready) << describe();
      ASSERT_EQ(expected[i].receiver_ready, measured[i].receiver_ready) << describe();
      ASSERT_EQ(expected[i].free_from, measured[i].free_from) << describe();
      ++compared;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ports, Oracle,
                         ::testing::Combine(::testing::Values(1U, 0U, 2U, 3U), ::testing::Values(Switching::circuit)));
INSTANTIATE_TEST_SUITE_P(Worms, Oracle,
                         ::testing::Combine(::testing::Values(1U, 0U, 2U, 3U), ::testing::Values(Switching::wormhole)));

}  // namespace
}  // namespace ecube
