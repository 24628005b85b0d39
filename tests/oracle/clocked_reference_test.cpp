// SPDX-License-Identifier: Apache-2.0
// The clocked reference against cycles worked out by hand from the tables and diagrams of hw/README.md.
#include "tests/oracle/clocked_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "tests/effort.h"

namespace ecube::oracle {
namespace {

using Edges = std::vector<Cycles>;

/// r = 1, A = 1, c = 1, one byte per phit, no start-up: the probe is driven at the edge of issue.
Machine bare(std::uint32_t engines = 1) {
  Machine machine;
  machine.node.ports.engines = engines;
  machine.library.send_cycles = 0;
  machine.library.send_zero_cycles = 0;
  return machine;
}

Machine with_startup(Startups startups, Cycles bytes, Cycles zero) {
  Machine machine = bare(Ports::n);
  machine.node.startups = startups;
  machine.library.send_cycles = bytes;
  machine.library.send_zero_cycles = zero;
  return machine;
}

Traffic send(NodeId source, NodeId destination, Bytes bytes, Cycles issue = 0) {
  return {.source = source, .destination = destination, .bytes = bytes, .issue = issue};
}

Traffic send_by(std::uint32_t port, NodeId source, NodeId destination, Bytes bytes, Cycles issue = 0) {
  return {.source = source, .destination = destination, .bytes = bytes, .issue = issue, .port = port};
}

std::vector<CircuitTimes> run(const Machine& machine, unsigned dim, const std::vector<Traffic>& traffic) {
  return run_clocked(machine, dim, traffic);
}

Edges probes(const std::vector<CircuitTimes>& circuits) {
  Edges edges;
  for (const CircuitTimes& circuit : circuits) edges.push_back(circuit.probe);
  return edges;
}

TEST(ClockedReference, OneCircuitIsTheFirstDiagram) {
  const CircuitTimes t = run(bare(), 1, {send(0, 1, 3)})[0];
  EXPECT_EQ(t.probe, 0u);
  EXPECT_EQ(t.requests, (Edges{2, 4}));
  EXPECT_EQ(t.grants, (Edges{2, 4}));
  EXPECT_EQ(t.acceptance, 5u);
  EXPECT_EQ(t.acknowledge_T0, 8u);
  EXPECT_EQ(t.tail_Tt, 10u);
  EXPECT_EQ(t.sender_ready, 11u);
  EXPECT_EQ(t.free_from, (Edges{12, 13}));
  EXPECT_EQ(t.receiver_ready, 14u);
}

TEST(ClockedReference, TwoCircuitsThatShareALinkAreTheSecondDiagram) {
  const auto t = run(bare(), 2, {send(0, 2, 3), send(1, 2, 1, 6)});  // both need link 0 -> 2
  EXPECT_EQ(t[0].free_from, (Edges{12, 13}));
  EXPECT_EQ(t[1].requests, (Edges{8, 10, 14}));
  EXPECT_EQ(t[1].grants, (Edges{8, 12, 14}));
  EXPECT_EQ(t[1].acknowledge_T0, 19u);
}

TEST(ClockedReference, UncontendedCircuitsFollowTheTableForEveryPair) {
  const std::vector<Ratio> rates{{1, 1}, {3, 2}, {7, 3}, {5, 1}};
  Sample sample;
  for (unsigned dim = 0; dim <= 3; ++dim)
    for (const std::uint32_t engines : {1u, Ports::n, 2u})
      for (const Cycles r : {1u, 2u, 5u})
        for (const Cycles accept : {1u, 4u})
          for (const Ratio c : rates)
            for (const Bytes bytes : {0u, 1u, 2u, 7u})
              for (NodeId from = 0; from >> dim == 0; ++from)
                for (NodeId to = 0; to >> dim == 0; ++to) {
                  if (dim == 0 && engines != 1) continue;  // a router without node ports
                  if (!sample.takes()) continue;
                  Machine machine = bare(engines);
                  machine.router.route_cycles = r;
                  machine.network.accept_cycles = accept;
                  machine.link.cycles_per_phit = c;
                  const CircuitTimes t = run(machine, dim, {send(from, to, bytes, 5)})[0];

                  const Cycles h = hops(from, to);
                  const Cycles data = bytes < 2 ? 0 : (bytes - 1) * c.num / c.den;
                  SCOPED_TRACE(std::to_string(from) + " -> " + std::to_string(to) + ", r " + std::to_string(r) +
                               ", A " + std::to_string(accept) + ", bytes " + std::to_string(bytes));
                  ASSERT_EQ(t.probe, 5u);
                  ASSERT_EQ(t.requests, t.grants);
                  ASSERT_EQ(t.grants.size(), h + 1);
                  for (Cycles k = 0; k <= h; ++k) ASSERT_EQ(t.grants[k], 5 + (k + 1) * (1 + r));
                  ASSERT_EQ(t.acceptance, t.grants[h] + 1);
                  ASSERT_EQ(t.acknowledge_T0, t.acceptance + accept + h + 1);
                  ASSERT_EQ(t.tail_Tt, t.acknowledge_T0 + data);
                  ASSERT_EQ(t.sender_ready, t.tail_Tt + 1);
                  ASSERT_EQ(t.free_from.size(), h + 1);
                  for (Cycles k = 0; k <= h; ++k) ASSERT_EQ(t.free_from[k], t.tail_Tt + k + 2);
                  ASSERT_EQ(t.receiver_ready - t.probe, (h + 1) * (r + 3) + accept + 3 + data);
                }
}

TEST(ClockedReference, PhitsLeaveAtTheFloorOfTheirRatio) {
  Machine machine = bare();
  machine.link.cycles_per_phit = {7, 3};
  const Edges phit_after_first{0, 2, 4, 7, 9, 11, 14};
  for (Bytes n = 1; n <= phit_after_first.size(); ++n)
    EXPECT_EQ(run(machine, 1, {send(0, 1, n)})[0].tail_Tt, 8 + phit_after_first[n - 1]) << n << " phits";
}

TEST(ClockedReference, AShortLastPhitTakesAWholePhitsTime) {
  Machine machine = bare();
  machine.link.phit_bytes = 4;
  EXPECT_EQ(run(machine, 1, {send(0, 1, 8)})[0].tail_Tt, 8u + 1);
  EXPECT_EQ(run(machine, 1, {send(0, 1, 9)})[0].tail_Tt, 8u + 2);
}

TEST(ClockedReference, AMessageToItselfUsesItsOwnRouterOnly) {
  const CircuitTimes t = run(bare(), 2, {send(2, 2, 3)})[0];
  EXPECT_EQ(t.grants, (Edges{2}));
  EXPECT_EQ(t.acknowledge_T0, 5u);
  EXPECT_EQ(t.receiver_ready, (1u + 3) + 1 + 3 + 2);
}

// Output 0 -> 2 of router 0: a circuit from node 1 asks from input 0, one of node 0 itself from input 2 (of 3).

TEST(ClockedReference, ATieGoesToTheFirstInputAtThePointer) {
  const auto t = run(bare(), 2, {send(0, 2, 1, 2), send(1, 2, 1, 0)});
  EXPECT_EQ(t[1].grants, (Edges{2, 4, 6}));
  EXPECT_EQ(t[1].free_from[1], 14u);
  EXPECT_EQ(t[0].requests[0], 4u);  // the loser of a tie waits from that edge
  EXPECT_EQ(t[0].grants[0], 14u);
}

TEST(ClockedReference, AnUncontendedGrantMovesThePointerToo) {
  const auto t = run(bare(), 2, {send(1, 2, 1, 0), send(1, 2, 1, 20), send(0, 2, 1, 22)});
  EXPECT_EQ(t[2].grants, (Edges{24, 26}));  // pointer 1: input 2 before input 0
  EXPECT_EQ(t[1].requests[1], 24u);
  EXPECT_EQ(t[1].grants[1], 32u);
}

TEST(ClockedReference, ThePointerWrapsAfterTheLastInput) {
  const auto t = run(bare(), 2, {send(0, 2, 1, 0), send(1, 2, 1, 20), send(0, 2, 1, 22)});
  EXPECT_EQ(t[1].grants, (Edges{22, 24, 26}));  // pointer 0 again: input 0 before input 2
  EXPECT_EQ(t[2].grants[0], 34u);
}

TEST(ClockedReference, ThePointerCountsEveryInjectPortOfAnNPortMachine) {
  const auto t = run(bare(Ports::n), 2, {send_by(0, 0, 2, 1, 0), send(1, 2, 1, 20), send_by(1, 0, 2, 1, 22)});
  EXPECT_EQ(t[2].grants, (Edges{24, 26}));  // pointer 3 of 4 inputs: the second inject port before input 0
  EXPECT_EQ(t[1].grants[1], 32u);
}

TEST(ClockedReference, ARequestAtTheEdgeOfReleaseCompetesEquallyWithOneThatWaited) {
  // Output 0 -> 4: granted to input 3 (pointer 0), free from 10; input 1 asks since 5, input 0 from 10 on.
  const auto t = run(bare(), 3, {send(0, 4, 1, 0), send(2, 4, 1, 1), send(1, 4, 1, 6)});
  EXPECT_EQ(t[0].free_from[0], 10u);
  EXPECT_EQ(t[1].requests[1], 5u);
  EXPECT_EQ(t[2].requests[1], 10u);
  EXPECT_EQ(t[2].grants[1], 10u);
  EXPECT_EQ(t[1].grants[1], 20u);
}

TEST(ClockedReference, ABusyEjectPortBlocksTheTreeBehindIt) {
  // 1 -> 0 holds the eject port of node 0 until 110; 3 -> 2 -> 0 waits for it holding 2 -> 0; 2 -> 0 -> 4 needs only
  // that.
  const auto t = run(bare(), 3, {send(1, 0, 100), send(3, 0, 1), send(2, 4, 1, 10)});
  EXPECT_EQ(t[0].free_from, (Edges{109, 110}));
  EXPECT_EQ(t[1].requests, (Edges{2, 4, 6}));
  EXPECT_EQ(t[1].grants, (Edges{2, 4, 110}));
  EXPECT_EQ(t[1].free_from, (Edges{117, 118, 119}));
  EXPECT_EQ(t[2].requests, (Edges{12, 120, 122}));
  EXPECT_EQ(t[2].grants, (Edges{118, 120, 122}));
}

TEST(ClockedReference, OnePortEjectsOneCircuitAtATime) {
  const auto t = run(bare(), 2, {send(1, 0, 1), send(2, 0, 1)});
  EXPECT_EQ(t[0].grants, (Edges{2, 4}));
  EXPECT_EQ(t[0].free_from[1], 11u);
  EXPECT_EQ(t[1].requests, (Edges{2, 4}));
  EXPECT_EQ(t[1].grants, (Edges{2, 11}));
  EXPECT_EQ(t[0].receiver_ready, 12u);
  EXPECT_EQ(t[1].acceptance, 12u);  // the old tail was on the wire when the eject port was granted again
}

TEST(ClockedReference, NPortEjectsByArrivalDimension) {
  const auto t = run(bare(Ports::n), 2, {send(1, 0, 1), send(2, 0, 1), send_by(1, 3, 3, 1, 2), send(1, 3, 1)});
  EXPECT_EQ(t[0].grants, (Edges{2, 4}));
  EXPECT_EQ(t[1].grants, (Edges{2, 4}));
  // Node 3: its own message through port 1 and the arrival in dimension 1 meet at eject port 1; input 1 is first.
  EXPECT_EQ(t[3].grants, (Edges{2, 4}));
  EXPECT_EQ(t[2].requests, (Edges{4}));
  EXPECT_EQ(t[2].grants, (Edges{11}));
}

TEST(ClockedReference, OverlappedStartupsBelongToThePorts) {
  const Machine machine = with_startup(Startups::overlapped, 10, 4);
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1), send(0, 2, 1)})), (Edges{10, 10}));
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 0), send(0, 2, 1)})), (Edges{4, 10}));
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1), send(0, 3, 1)})), (Edges{10, 29}));  // one port: Tt = 18
}

TEST(ClockedReference, QueuedStartupsAreServedOneAfterTheOther) {
  const Machine machine = with_startup(Startups::queued, 10, 4);
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1), send(0, 2, 1)})), (Edges{10, 20}));
  EXPECT_EQ(probes(run(machine, 2, {send(0, 2, 0), send(0, 1, 1)})), (Edges{4, 14}));
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1), send(3, 1, 1)})), (Edges{10, 10}));  // two processors
  EXPECT_EQ(probes(run(with_startup(Startups::queued, 0, 0), 2, {send(0, 1, 1), send(0, 2, 1)})), (Edges{0, 0}));
}

TEST(ClockedReference, QueuedStartupsAreOrderedByEligibilityAndThenByIssue) {
  const Machine machine = with_startup(Startups::queued, 10, 10);
  // The second send of port 0 is eligible at 19 = Tt + 1, the send of port 1 when it is issued.
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1, 0), send(0, 1, 1, 1), send(0, 2, 1, 5)})), (Edges{10, 30, 20}));
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1, 0), send(0, 1, 1, 1), send(0, 2, 1, 19)})), (Edges{10, 29, 39}));
  // The same whatever the order of the list, when the issue edges differ.
  EXPECT_EQ(probes(run(machine, 2, {send(0, 2, 1, 19), send(0, 1, 1, 1), send(0, 1, 1, 0)})), (Edges{39, 29, 10}));
}

TEST(ClockedReference, JitterLengthensItsStartup) {
  Traffic jittered = send(0, 1, 1);
  jittered.extra_startup = 3;
  EXPECT_EQ(probes(run(with_startup(Startups::overlapped, 10, 4), 2, {jittered, send(0, 2, 1)})), (Edges{13, 10}));
  EXPECT_EQ(probes(run(with_startup(Startups::queued, 10, 4), 2, {jittered, send(0, 2, 1)})), (Edges{13, 23}));
}

TEST(ClockedReference, ANamedInjectPortStartsAtOnceAndMeetsTheOtherAtTheLink) {
  const auto t = run(bare(Ports::n), 2, {send(0, 1, 1), send_by(1, 0, 3, 1)});
  EXPECT_EQ(probes(t), (Edges{0, 0}));
  EXPECT_EQ(t[1].requests[0], 2u);
  EXPECT_EQ(t[1].grants[0], 10u);
  EXPECT_EQ(probes(run(bare(), 2, {send(0, 1, 1), send_by(1, 0, 3, 1)})), (Edges{0, 9}));  // one-port: all use port 0
  EXPECT_THROW(run(bare(Ports::n), 2, {send_by(2, 0, 1, 1)}), std::invalid_argument);
}

TEST(ClockedReference, KEnginesBoundTheSendsOfANode) {
  const std::vector<Traffic> three{send(0, 1, 1), send(0, 2, 1), send(0, 4, 1)};
  EXPECT_EQ(probes(run(bare(Ports::n), 3, three)), (Edges{0, 0, 0}));
  EXPECT_EQ(probes(run(bare(2), 3, three)), (Edges{0, 0, 9}));  // Tt = 8
}

TEST(ClockedReference, AFreeEngineGoesToTheFirstIssuedSendWhosePortIsFree) {
  EXPECT_EQ(probes(run(bare(2), 3, {send(0, 1, 1), send(0, 1, 1), send(0, 2, 1)})), (Edges{0, 9, 0}));
  EXPECT_EQ(probes(run(bare(2), 3, {send(0, 1, 1), send(0, 2, 50), send(0, 4, 1), send(0, 1, 1)})),
            (Edges{0, 0, 9, 18}));
}

TEST(ClockedReference, KEnginesBoundTheReceivesOfANode) {
  const auto ties = run(bare(2), 3, {send(4, 0, 1), send(2, 0, 1), send(1, 0, 1)});
  EXPECT_EQ(ties[2].acceptance, 5u);  // all arrive at 5: eject ports 0 and 1 first
  EXPECT_EQ(ties[1].acceptance, 5u);
  EXPECT_EQ(ties[0].grants[1], 4u);
  EXPECT_EQ(ties[0].acceptance, 12u);  // = receiver ready of the others
  EXPECT_EQ(ties[0].acknowledge_T0, 15u);

  const auto late = run(bare(2), 3, {send(4, 0, 1), send(2, 0, 50), send(1, 0, 1, 1)});
  EXPECT_EQ(late[0].acceptance, 5u);
  EXPECT_EQ(late[1].acceptance, 5u);
  EXPECT_EQ(late[2].acceptance, 12u);
}

TEST(ClockedReference, ReceiveEnginesAreGivenInOrderOfArrivalNotOfPort) {
  const auto t = run(bare(2), 4, {send(1, 0, 1), send(2, 0, 50), send(8, 0, 1, 1), send(4, 0, 1, 2)});
  EXPECT_EQ(t[2].acceptance, 12u);  // arrived at 6, eject port 3
  EXPECT_EQ(t[2].receiver_ready, 19u);
  EXPECT_EQ(t[3].acceptance, 19u);  // arrived at 7, eject port 2
}

TEST(ClockedReference, OnAFixedDistanceMachineEveryPairIsEquallyFar) {
  Machine machine = bare();
  machine.network.distance = Distance::fixed;
  for (const Cycles setup : {20u, 41u}) {  // 20 is the least for D = 3
    machine.network.setup_cycles = setup;
    for (NodeId from = 0; from < 8; ++from)
      for (NodeId to = 0; to < 8; ++to) {
        const CircuitTimes t = run(machine, 3, {send(from, to, 5, 7)})[0];
        EXPECT_EQ(t.receiver_ready, 7 + setup + 4) << from << " -> " << to;
        EXPECT_EQ(t.grants[0], 9u);
      }
  }
}

TEST(ClockedReference, ABlockedCircuitOutlastsTheFixedDistance) {
  Machine machine = bare();
  machine.network.distance = Distance::fixed;
  machine.network.setup_cycles = 20;
  const auto t = run(machine, 2, {send(0, 2, 3), send(1, 2, 1, 6)});
  EXPECT_EQ(t[0].acknowledge_T0, 16u);
  EXPECT_EQ(t[0].free_from[0], 20u);
  EXPECT_EQ(t[1].grants, (Edges{8, 20, 22}));
  EXPECT_EQ(t[1].acknowledge_T0, 27u);  // not 21 = p + F - h - 3
}

TEST(ClockedReference, TheEdgeLimitNamesTheUnfinishedMessages) {
  const std::vector<Traffic> traffic{send(0, 1, 1), send(2, 3, 100)};
  try {
    (void)run_clocked(bare(), 2, traffic, 50);
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "edge limit reached; not finished: #1 (2 -> 3)");
  }
}

/// Which output every circuit holds: links by (node, dimension), eject ports by (node, D + port).
using Resource = std::pair<NodeId, unsigned>;

std::vector<Resource> path(const Machine& machine, unsigned dim, const Traffic& message) {
  std::vector<Resource> outputs;
  unsigned arrival = message.source == message.destination && message.port != automatic ? message.port : 0;
  for (Route route(message.source, message.destination); !route.arrived(); route.advance()) {
    outputs.emplace_back(route.next().node, route.next().dimension);
    arrival = route.next().dimension;
  }
  outputs.emplace_back(message.destination, dim + (machine.node.ports.engines == 1 ? 0 : arrival));
  return outputs;
}

TEST(ClockedReference, OutputsHaveOneOwnerAndAreNeverIdleWhileSomebodyAsks) {
  constexpr unsigned dim = 4;
  for (const std::uint32_t engines : {1u, 2u, 3u, Ports::n})
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", engines " + std::to_string(engines));
      std::mt19937 draw(seed);
      std::vector<Traffic> traffic;
      for (int i = 0; i < 150; ++i) traffic.push_back(send(draw() % 16, draw() % 16, draw() % 30, draw() % 200));
      Machine machine = bare(engines);
      machine.node.startups = seed % 2 == 0 ? Startups::queued : Startups::overlapped;
      machine.library.send_cycles = draw() % 12;
      machine.router.route_cycles = 1 + draw() % 3;
      const auto circuits = run(machine, dim, traffic);

      std::map<Resource, std::vector<std::pair<Cycles, Cycles>>> owned;  // [grant, free from)
      for (std::size_t i = 0; i < traffic.size(); ++i) {
        const auto outputs = path(machine, dim, traffic[i]);
        ASSERT_EQ(outputs.size(), circuits[i].grants.size());
        for (std::size_t k = 0; k < outputs.size(); ++k)
          owned[outputs[k]].emplace_back(circuits[i].grants[k], circuits[i].free_from[k]);
      }
      for (auto& [output, intervals] : owned) {
        std::ranges::sort(intervals);
        for (std::size_t i = 1; i < intervals.size(); ++i) ASSERT_LE(intervals[i - 1].second, intervals[i].first);
      }
      for (std::size_t i = 0; i < traffic.size(); ++i) {
        const auto outputs = path(machine, dim, traffic[i]);
        for (std::size_t k = 0; k < outputs.size(); ++k)
          for (Cycles edge = circuits[i].requests[k]; edge < circuits[i].grants[k]; ++edge)
            ASSERT_TRUE(std::ranges::any_of(
                owned[outputs[k]],
                [&](const auto& interval) { return interval.first <= edge && edge < interval.second; }))
                << "message " << i << " waits at edge " << edge << " for a free output";
      }
    }
}

}  // namespace
}  // namespace ecube::oracle
