// SPDX-License-Identifier: Apache-2.0
// Edges of circuits worked out by hand from the tables and diagrams of hw/README.md, on both engines.
#include "hw/observed/observer.h"
#include "sw/api/firmware.h"
#include "tests/hw/both_engines.h"
#include "tests/test.h"

namespace ecube::circuit_edges_test {
namespace {

using Edges = std::vector<Cycles>;

/// One message. Among the messages of one node with the same issue edge, the order in the list is the order of issue.
struct TimedSend {
  NodeId source = 0;
  NodeId destination = 0;
  Bytes bytes = 0;
  Cycles issue = 0;  ///< edge at which the program issues the send
  std::uint8_t port = automatic_port;
};

/// The edges of one circuit; symbols as in hw/README.md section 3.
struct CircuitTimes {
  Cycles probe = never;          ///< p, the probe is driven
  std::vector<Cycles> requests;  ///< first edge at which router k is asked for an output, k = 0..h
  std::vector<Cycles> grants;    ///< g_k
  Cycles acknowledge = never;    ///< a + A - 1
  Cycles first_phit = never;     ///< T0
  Cycles tail = never;           ///< Tt
  Cycles sender_ready = never;
  Cycles receiver_ready = never;
  std::vector<Cycles> free_from;  ///< x_k + 1, the first edge at which the output of router k can be granted again
};

/// Collects the edges of every circuit by the number in its check word.
class TimesRecorder final : public Observer {
 public:
  explicit TimesRecorder(std::size_t messages) : times(messages) {}
  void injected(CircuitId, const CircuitRecord& circuit) override { times[circuit.check].probe = circuit.probe; }
  void granted(CircuitId, const CircuitRecord& circuit, NodeId, unsigned, Cycles asked, Cycles at) override {
    times[circuit.check].requests.push_back(asked);
    times[circuit.check].grants.push_back(at);
  }
  void released(CircuitId, const CircuitRecord& circuit, NodeId, unsigned, Cycles free_from) override {
    times[circuit.check].free_from.push_back(free_from);
  }
  void established(CircuitId, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    CircuitTimes& time = times[circuit.check];
    time.acknowledge = edges.acknowledge;
    time.first_phit = edges.data;
    time.tail = edges.tail;
    time.sender_ready = edges.sender_ready;
    time.receiver_ready = edges.receiver_ready;
  }
  std::vector<CircuitTimes> times;
};

/// The sends as firmware; every message has a type of its own and a receive that is posted first.
class TimedSends {
 public:
  explicit TimedSends(const std::vector<TimedSend>& sends)
      : sends_(sends), firmware_([this](Node& node) { return run(node); }) {}
  Program& program() { return firmware_; }
  [[nodiscard]] static std::uint64_t wrong() { return 0; }

 private:
  Task<> run(Node& node) const {
    std::deque<Pending> pending;
    std::vector<std::uint32_t> own;
    for (std::uint32_t i = 0; i < sends_.size(); ++i) {
      if (sends_[i].destination == node.id()) {
        pending.push_back(node.start_receive({.from = sends_[i].source, .tag = i, .bytes = sends_[i].bytes}));
      }
      if (sends_[i].source == node.id()) own.push_back(i);
    }
    std::stable_sort(own.begin(), own.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return sends_[a].issue < sends_[b].issue; });
    for (const std::uint32_t i : own) {
      const TimedSend& send = sends_[i];
      if (node.now() < send.issue) co_await node.until(send.issue);
      pending.push_back(
          node.start_send({.to = send.destination, .tag = i, .bytes = send.bytes, .check = i, .port = send.port}));
    }
    for (Pending& each : pending) co_await each;
  }

  const std::vector<TimedSend>& sends_;
  Firmware firmware_;
};

/// r = 1, A = 1, c = 1, one byte per phit, no start-up: the probe is driven at the edge of issue.
Machine bare(std::uint32_t engines = 1) {
  Machine machine;
  machine.node.ports.engines = engines;
  machine.library.send_cycles = 0;
  machine.library.send_zero_cycles = 0;
  return machine;
}

/// The bare machine with ports 0 and 1 of channel 0, and 2 and 3 of channel 1, on a cube of two dimensions.
Machine two_channels() {
  Machine machine = bare(Ports::n);
  machine.link.channels = 2;
  return machine;
}

/// The bare machine with worms, c = 2 and inputs of one phit.
Machine worms() {
  Machine machine = bare();
  machine.network.switching = Switching::wormhole;
  machine.link.cycles_per_phit = {2, 1};
  return machine;
}

Machine with_startup(Startups startups, Cycles bytes, Cycles zero) {
  Machine machine = bare(Ports::n);
  machine.node.startups = startups;
  machine.library.send_cycles = bytes;
  machine.library.send_zero_cycles = zero;
  return machine;
}

TimedSend send(NodeId source, NodeId destination, Bytes bytes, Cycles issue = 0) {
  return {.source = source, .destination = destination, .bytes = bytes, .issue = issue};
}

TimedSend send_by(std::uint8_t port, NodeId source, NodeId destination, Bytes bytes, Cycles issue = 0) {
  return {.source = source, .destination = destination, .bytes = bytes, .issue = issue, .port = port};
}

/// Machines of both engines, for cubes of 1 to 4 dimensions with one, two and n ports.
class Circuits : public ::testing::Test {
 protected:
  Circuits() {
    for (unsigned dim = 1; dim <= 4; ++dim)
      for (const std::uint32_t engines : {1U, 2U, 3U, std::uint32_t{Ports::n}}) {
        engines_.elaborate(bare(engines), dim);
      }
    engines_.elaborate(worms(), 1);
    engines_.elaborate(two_channels(), 2);
  }

  /// The edges of all circuits, which are the same on both engines.
  std::vector<CircuitTimes> run(const Machine& machine, unsigned dim, const std::vector<TimedSend>& sends) {
    TimesRecorder event(sends.size());
    TimesRecorder clocked(sends.size());
    TimedSends on_event(sends);
    engines_.run_event(on_event.program(), machine, dim, {}, event);
    TimedSends on_clocked(sends);
    const RunResult result = engines_.run_clocked(on_clocked.program(), machine, dim, {}, clocked);
    EXPECT_EQ(result.status, RunResult::Status::finished) << result.fault;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const CircuitTimes& a = event.times[i];
      const CircuitTimes& b = clocked.times[i];
      EXPECT_EQ(a.probe, b.probe);
      EXPECT_EQ(a.requests, b.requests);
      EXPECT_EQ(a.grants, b.grants);
      EXPECT_EQ(a.acknowledge, b.acknowledge);
      EXPECT_EQ(a.first_phit, b.first_phit);
      EXPECT_EQ(a.tail, b.tail);
      EXPECT_EQ(a.sender_ready, b.sender_ready);
      EXPECT_EQ(a.receiver_ready, b.receiver_ready);
      EXPECT_EQ(a.free_from, b.free_from);
    }
    return clocked.times;
  }

 private:
  BothEngines engines_;
};

Edges probes(const std::vector<CircuitTimes>& circuits) {
  Edges edges;
  for (const CircuitTimes& circuit : circuits) edges.push_back(circuit.probe);
  return edges;
}

TEST_F(Circuits, OneCircuitIsTheFirstDiagram) {
  const CircuitTimes t = run(bare(), 1, {send(0, 1, 3)})[0];
  EXPECT_EQ(t.probe, 0u);
  EXPECT_EQ(t.requests, (Edges{2, 4}));
  EXPECT_EQ(t.grants, (Edges{2, 4}));
  EXPECT_EQ(t.acknowledge, 5u);
  EXPECT_EQ(t.first_phit, 8u);
  EXPECT_EQ(t.tail, 10u);
  EXPECT_EQ(t.sender_ready, 11u);
  EXPECT_EQ(t.free_from, (Edges{12, 13}));
  EXPECT_EQ(t.receiver_ready, 14u);
}

TEST_F(Circuits, OneWormIsTheThirdDiagram) {
  const CircuitTimes t = run(worms(), 1, {send(0, 1, 3)})[0];
  EXPECT_EQ(t.probe, 0u);
  EXPECT_EQ(t.grants, (Edges{2, 4}));
  EXPECT_EQ(t.acknowledge, 5u);  // the probe is taken
  EXPECT_EQ(t.first_phit, 3u);
  EXPECT_EQ(t.tail, 8u);
  EXPECT_EQ(t.sender_ready, 10u);
  EXPECT_EQ(t.free_from, (Edges{11, 12}));
  EXPECT_EQ(t.receiver_ready, 12u);
}

TEST_F(Circuits, APacketTakesOneLinkAtATime) {
  Machine machine = bare();
  machine.network.switching = Switching::store_and_forward;
  machine.library.forward_cycles = 7;
  machine.library.send_cycles = 5;
  const std::vector<CircuitTimes> t = run(machine, 2, {send(0, 3, 3)});
  EXPECT_EQ(t[0].grants, (Edges{7, 9, 28, 30}));  // 5 + 2, 7 + 2; received at 19, sent on at 19 + 7
  EXPECT_EQ(t[0].receiver_ready, 40u);
}

TEST_F(Circuits, TwoCircuitsThatShareALinkAreTheSecondDiagram) {
  const auto t = run(bare(), 2, {send(0, 2, 3), send(1, 2, 1, 6)});  // both need link 0 -> 2
  EXPECT_EQ(t[0].free_from, (Edges{12, 13}));
  EXPECT_EQ(t[1].requests, (Edges{8, 10, 14}));
  EXPECT_EQ(t[1].grants, (Edges{8, 12, 14}));
  EXPECT_EQ(t[1].first_phit, 19u);
}

/// The second diagram again: the second circuit crosses dimension 0, then waits for the link 0 -> 2, or does not.
TEST_F(Circuits, OfTwoChannelsDoNotMeetOnALink) {
  const auto second_by = [this](std::uint8_t port) {
    return run(two_channels(), 2, {send(0, 2, 3), send_by(port, 1, 2, 1, 6)})[1];
  };
  for (const std::uint8_t port : {std::uint8_t{0}, std::uint8_t{1}}) {
    const CircuitTimes t = second_by(port);
    EXPECT_EQ(t.requests, (Edges{8, 10, 14})) << "channel 0, as the first circuit";
    EXPECT_EQ(t.grants, (Edges{8, 12, 14}));
    EXPECT_EQ(t.first_phit, 19u);
  }
  for (const std::uint8_t port : {std::uint8_t{2}, std::uint8_t{3}}) {
    const CircuitTimes t = second_by(port);
    EXPECT_EQ(t.requests, (Edges{8, 10, 12})) << "channel 1";
    EXPECT_EQ(t.grants, (Edges{8, 10, 12}));
    EXPECT_EQ(t.first_phit, 17u);  // a = 13, A = 1, h = 2
    EXPECT_EQ(t.tail, 17u);
    EXPECT_EQ(t.free_from, (Edges{19, 20, 21}));
    EXPECT_EQ(t.receiver_ready, 22u);
  }
}

/// All pairs of nodes one after the other, far enough apart to have the network to themselves.
std::vector<TimedSend> every_pair(unsigned dim, Bytes bytes) {
  std::vector<TimedSend> sends;
  for (NodeId from = 0; from >> dim == 0; ++from)
    for (NodeId to = 0; to >> dim == 0; ++to) sends.push_back(send(from, to, bytes, 5 + 200 * sends.size()));
  return sends;
}

TEST_F(Circuits, UncontendedCircuitsFollowTheTableForEveryPair) {
  const std::vector<Ratio> rates{{1, 1}, {3, 2}, {7, 3}, {5, 1}};
  Sample sample(4);
  for (unsigned dim = 1; dim <= 3; ++dim)
    for (const std::uint32_t engines : {1u, Ports::n, 2u})
      for (const Cycles r : {1u, 2u, 5u})
        for (const Cycles accept : {1u, 4u})
          for (const Ratio c : rates)
            for (const Bytes bytes : {0u, 1u, 2u, 7u}) {
              if (!sample.takes()) continue;
              Machine machine = bare(engines);
              machine.router.route_cycles = r;
              machine.network.accept_cycles = accept;
              machine.link.cycles_per_phit = c;
              const std::vector<TimedSend> sends = every_pair(dim, bytes);
              const std::vector<CircuitTimes> times = run(machine, dim, sends);
              const Cycles data = bytes < 2 ? 0 : (bytes - 1) * c.num / c.den;
              SCOPED_TRACE("r " + std::to_string(r) + ", A " + std::to_string(accept) + ", bytes " +
                           std::to_string(bytes) + ", " + sample.name());
              for (std::size_t i = 0; i < sends.size(); ++i) {
                const CircuitTimes& t = times[i];
                const Cycles p = sends[i].issue;
                const Cycles h = hops(sends[i].source, sends[i].destination);
                ASSERT_EQ(t.probe, p);
                ASSERT_EQ(t.requests, t.grants);
                ASSERT_EQ(t.grants.size(), h + 1);
                for (Cycles k = 0; k <= h; ++k) ASSERT_EQ(t.grants[k], p + (k + 1) * (1 + r));
                ASSERT_EQ(t.acknowledge, t.grants[h] + accept);
                ASSERT_EQ(t.first_phit, t.acknowledge + h + 2);
                ASSERT_EQ(t.tail, t.first_phit + data);
                ASSERT_EQ(t.sender_ready, t.tail + 1);
                ASSERT_EQ(t.free_from.size(), h + 1);
                for (Cycles k = 0; k <= h; ++k) ASSERT_EQ(t.free_from[k], t.tail + k + 2);
                ASSERT_EQ(t.receiver_ready - t.probe, (h + 1) * (r + 3) + accept + 3 + data);
              }
            }
}

TEST_F(Circuits, PhitsLeaveAtTheFloorOfTheirRatio) {
  Machine machine = bare();
  machine.link.cycles_per_phit = {7, 3};
  const Edges phit_after_first{0, 2, 4, 7, 9, 11, 14};
  for (Bytes n = 1; n <= phit_after_first.size(); ++n)
    EXPECT_EQ(run(machine, 1, {send(0, 1, n)})[0].tail, 8 + phit_after_first[n - 1]) << n << " phits";
}

TEST_F(Circuits, AShortLastPhitTakesAWholePhitsTime) {
  Machine machine = bare();
  machine.link.phit_bytes = 4;
  EXPECT_EQ(run(machine, 1, {send(0, 1, 8)})[0].tail, 8u + 1);
  EXPECT_EQ(run(machine, 1, {send(0, 1, 9)})[0].tail, 8u + 2);
}

TEST_F(Circuits, AMessageToItselfUsesItsOwnRouterOnly) {
  const CircuitTimes t = run(bare(), 2, {send(2, 2, 3)})[0];
  EXPECT_EQ(t.grants, (Edges{2}));
  EXPECT_EQ(t.first_phit, 5u);
  EXPECT_EQ(t.receiver_ready, (1u + 3) + 1 + 3 + 2);
}

// Output 0 -> 2 of router 0: a circuit from node 1 asks from input 0, one of node 0 itself from input 2 (of 3).

TEST_F(Circuits, ATieGoesToTheFirstInputAtThePointer) {
  const auto t = run(bare(), 2, {send(0, 2, 1, 2), send(1, 2, 1, 0)});
  EXPECT_EQ(t[1].grants, (Edges{2, 4, 6}));
  EXPECT_EQ(t[1].free_from[1], 14u);
  EXPECT_EQ(t[0].requests[0], 4u);  // the loser of a tie waits from that edge
  EXPECT_EQ(t[0].grants[0], 14u);
}

TEST_F(Circuits, AnUncontendedGrantMovesThePointerToo) {
  const auto t = run(bare(), 2, {send(1, 2, 1, 0), send(1, 2, 1, 20), send(0, 2, 1, 22)});
  EXPECT_EQ(t[2].grants, (Edges{24, 26}));  // pointer 1: input 2 before input 0
  EXPECT_EQ(t[1].requests[1], 24u);
  EXPECT_EQ(t[1].grants[1], 32u);
}

TEST_F(Circuits, ThePointerWrapsAfterTheLastInput) {
  const auto t = run(bare(), 2, {send(0, 2, 1, 0), send(1, 2, 1, 20), send(0, 2, 1, 22)});
  EXPECT_EQ(t[1].grants, (Edges{22, 24, 26}));  // pointer 0 again: input 0 before input 2
  EXPECT_EQ(t[2].grants[0], 34u);
}

TEST_F(Circuits, ThePointerCountsEveryInjectPortOfAnNPortMachine) {
  const auto t = run(bare(Ports::n), 2, {send_by(0, 0, 2, 1, 0), send(1, 2, 1, 20), send_by(1, 0, 2, 1, 22)});
  EXPECT_EQ(t[2].grants, (Edges{24, 26}));  // pointer 3 of 4 inputs: the second inject port before input 0
  EXPECT_EQ(t[1].grants[1], 32u);
}

TEST_F(Circuits, ARequestAtTheEdgeOfReleaseCompetesEquallyWithOneThatWaited) {
  // Output 0 -> 4: granted to input 3 (pointer 0), free from 10; input 1 asks since 5, input 0 from 10 on.
  const auto t = run(bare(), 3, {send(0, 4, 1, 0), send(2, 4, 1, 1), send(1, 4, 1, 6)});
  EXPECT_EQ(t[0].free_from[0], 10u);
  EXPECT_EQ(t[1].requests[1], 5u);
  EXPECT_EQ(t[2].requests[1], 10u);
  EXPECT_EQ(t[2].grants[1], 10u);
  EXPECT_EQ(t[1].grants[1], 20u);
}

TEST_F(Circuits, ABusyEjectPortBlocksTheTreeBehindIt) {
  // 1 -> 0 holds the eject port of node 0 until 110; 3 -> 2 -> 0 holds link 2 -> 0 and waits for the eject port; 2 -> 0
  // -> 4 waits only for link 2 -> 0.
  const auto t = run(bare(), 3, {send(1, 0, 100), send(3, 0, 1), send(2, 4, 1, 10)});
  EXPECT_EQ(t[0].free_from, (Edges{109, 110}));
  EXPECT_EQ(t[1].requests, (Edges{2, 4, 6}));
  EXPECT_EQ(t[1].grants, (Edges{2, 4, 110}));
  EXPECT_EQ(t[1].free_from, (Edges{117, 118, 119}));
  EXPECT_EQ(t[2].requests, (Edges{12, 120, 122}));
  EXPECT_EQ(t[2].grants, (Edges{118, 120, 122}));
}

TEST_F(Circuits, OnePortEjectsOneCircuitAtATime) {
  const auto t = run(bare(), 2, {send(1, 0, 1), send(2, 0, 1)});
  EXPECT_EQ(t[0].grants, (Edges{2, 4}));
  EXPECT_EQ(t[0].free_from[1], 11u);
  EXPECT_EQ(t[1].requests, (Edges{2, 4}));
  EXPECT_EQ(t[1].grants, (Edges{2, 11}));
  EXPECT_EQ(t[0].receiver_ready, 12u);
  EXPECT_EQ(t[1].acknowledge, 12u);  // the old tail was on the wire when the eject port was granted again
}

TEST_F(Circuits, NPortEjectsByArrivalDimension) {
  const auto t = run(bare(Ports::n), 2, {send(1, 0, 1), send(2, 0, 1), send_by(1, 3, 3, 1, 2), send(1, 3, 1)});
  EXPECT_EQ(t[0].grants, (Edges{2, 4}));
  EXPECT_EQ(t[1].grants, (Edges{2, 4}));
  // Node 3: its own message through port 1 and the arrival in dimension 1 meet at eject port 1; input 1 is first.
  EXPECT_EQ(t[3].grants, (Edges{2, 4}));
  EXPECT_EQ(t[2].requests, (Edges{4}));
  EXPECT_EQ(t[2].grants, (Edges{11}));
}

TEST_F(Circuits, OverlappedStartupsBelongToThePorts) {
  const Machine machine = with_startup(Startups::overlapped, 10, 4);
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1), send(0, 2, 1)})), (Edges{10, 10}));
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 0), send(0, 2, 1)})), (Edges{4, 10}));
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1), send(0, 3, 1)})), (Edges{10, 29}));  // one port: Tt = 18
}

TEST_F(Circuits, QueuedStartupsAreServedOneAfterTheOther) {
  const Machine machine = with_startup(Startups::queued, 10, 4);
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1), send(0, 2, 1)})), (Edges{10, 20}));
  EXPECT_EQ(probes(run(machine, 2, {send(0, 2, 0), send(0, 1, 1)})), (Edges{4, 14}));
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1), send(3, 1, 1)})), (Edges{10, 10}));  // two processors
  EXPECT_EQ(probes(run(with_startup(Startups::queued, 0, 0), 2, {send(0, 1, 1), send(0, 2, 1)})), (Edges{0, 0}));
}

TEST_F(Circuits, QueuedStartupsAreOrderedByEligibilityAndThenByIssue) {
  const Machine machine = with_startup(Startups::queued, 10, 10);
  // The second send of port 0 is eligible at 19 = Tt + 1, the send of port 1 when it is issued.
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1, 0), send(0, 1, 1, 1), send(0, 2, 1, 5)})), (Edges{10, 30, 20}));
  EXPECT_EQ(probes(run(machine, 2, {send(0, 1, 1, 0), send(0, 1, 1, 1), send(0, 2, 1, 19)})), (Edges{10, 29, 39}));
  // The order of the list does not matter when the issue edges differ.
  EXPECT_EQ(probes(run(machine, 2, {send(0, 2, 1, 19), send(0, 1, 1, 1), send(0, 1, 1, 0)})), (Edges{39, 29, 10}));
}

TEST_F(Circuits, ANamedInjectPortStartsAtOnceAndMeetsTheOtherAtTheLink) {
  const auto t = run(bare(Ports::n), 2, {send(0, 1, 1), send_by(1, 0, 3, 1)});
  EXPECT_EQ(probes(t), (Edges{0, 0}));
  EXPECT_EQ(t[1].requests[0], 2u);
  EXPECT_EQ(t[1].grants[0], 10u);
}

TEST_F(Circuits, KEnginesBoundTheSendsOfANode) {
  const std::vector<TimedSend> three{send(0, 1, 1), send(0, 2, 1), send(0, 4, 1)};
  EXPECT_EQ(probes(run(bare(Ports::n), 3, three)), (Edges{0, 0, 0}));
  EXPECT_EQ(probes(run(bare(2), 3, three)), (Edges{0, 0, 9}));  // Tt = 8
}

TEST_F(Circuits, AFreeEngineGoesToTheFirstIssuedSendWhosePortIsFree) {
  EXPECT_EQ(probes(run(bare(2), 3, {send(0, 1, 1), send(0, 1, 1), send(0, 2, 1)})), (Edges{0, 9, 0}));
  EXPECT_EQ(probes(run(bare(2), 3, {send(0, 1, 1), send(0, 2, 50), send(0, 4, 1), send(0, 1, 1)})),
            (Edges{0, 0, 9, 18}));
}

TEST_F(Circuits, KEnginesBoundTheReceivesOfANode) {
  const auto ties = run(bare(2), 3, {send(4, 0, 1), send(2, 0, 1), send(1, 0, 1)});
  EXPECT_EQ(ties[2].acknowledge, 5u);  // all arrive at 5: eject ports 0 and 1 first
  EXPECT_EQ(ties[1].acknowledge, 5u);
  EXPECT_EQ(ties[0].grants[1], 4u);
  EXPECT_EQ(ties[0].acknowledge, 12u);  // = receiver ready of the others
  EXPECT_EQ(ties[0].first_phit, 15u);

  const auto late = run(bare(2), 3, {send(4, 0, 1), send(2, 0, 50), send(1, 0, 1, 1)});
  EXPECT_EQ(late[0].acknowledge, 5u);
  EXPECT_EQ(late[1].acknowledge, 5u);
  EXPECT_EQ(late[2].acknowledge, 12u);
}

TEST_F(Circuits, ReceiveEnginesAreGivenInOrderOfArrivalNotOfPort) {
  const auto t = run(bare(2), 4, {send(1, 0, 1), send(2, 0, 50), send(8, 0, 1, 1), send(4, 0, 1, 2)});
  EXPECT_EQ(t[2].acknowledge, 12u);  // arrived at 6, eject port 3
  EXPECT_EQ(t[2].receiver_ready, 19u);
  EXPECT_EQ(t[3].acknowledge, 19u);  // arrived at 7, eject port 2
}

TEST_F(Circuits, OnAFixedDistanceMachineEveryPairIsEquallyFar) {
  Machine machine = bare();
  machine.network.distance = Distance::fixed;
  for (const Cycles setup : {20u, 41u}) {  // 20 is the least for D = 3
    machine.network.setup_cycles = setup;
    for (const CircuitTimes& t : run(machine, 3, every_pair(3, 5))) {
      EXPECT_EQ(t.receiver_ready, t.probe + setup + 4);
      EXPECT_EQ(t.grants[0], t.probe + 2);
    }
  }
}

TEST_F(Circuits, ABlockedCircuitOutlastsTheFixedDistance) {
  Machine machine = bare();
  machine.network.distance = Distance::fixed;
  machine.network.setup_cycles = 20;
  const auto t = run(machine, 2, {send(0, 2, 3), send(1, 2, 1, 6)});
  EXPECT_EQ(t[0].first_phit, 16u);
  EXPECT_EQ(t[0].free_from[0], 20u);
  EXPECT_EQ(t[1].grants, (Edges{8, 20, 22}));
  EXPECT_EQ(t[1].first_phit, 27u);  // not 21 = p + F - h - 3
}

/// The outputs that a circuit holds: links by (node, dimension), eject ports by (node, D + port).
using Resource = std::pair<NodeId, unsigned>;

std::vector<Resource> path(const Machine& machine, unsigned dim, const TimedSend& message) {
  std::vector<Resource> outputs;
  unsigned arrival = message.source == message.destination && message.port != automatic_port ? message.port : 0;
  along_route(message.source, message.destination, [&](LinkId link) {
    outputs.emplace_back(link.node, link.output);
    arrival = link.output;
  });
  outputs.emplace_back(message.destination, dim + (machine.node.ports.engines == 1 ? 0 : arrival));
  return outputs;
}

TEST_F(Circuits, OutputsHaveOneOwnerAndAreNeverIdleWhileSomebodyAsks) {
  constexpr unsigned dim = 4;
  for (const std::uint32_t engines : {1u, 2u, 3u, Ports::n})
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", engines " + std::to_string(engines));
      std::mt19937 draw(seed);
      std::vector<TimedSend> traffic;
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
}  // namespace ecube::circuit_edges_test
