// SPDX-License-Identifier: Apache-2.0
// Parts of the event engine by themselves, rule by rule, worked out by hand from hw/README.md.
#include "hw/event/circuit_switching.h"
#include "hw/event/features.h"
#include "hw/event/interface_ports.h"
#include "hw/event/matching.h"
#include "hw/event/message_library.h"
#include "hw/event/payload.h"
#include "hw/event/processors.h"
#include "hw/event/routers.h"
#include "hw/event/worms.h"
#include "tests/test.h"

namespace ecube::event::event_parts_test {
namespace {

constexpr Known<Features{}> plain;
constexpr Known<Features{.several_ports = true}> several;
constexpr Known<Features{.products = true}> product;
constexpr Known<Features{.fixed_distance = true}> fixed;

Operation operation_of(OperationKind kind, NodeId node, NodeId peer, std::uint32_t tag = 0, std::uint32_t issue = 0) {
  Operation operation;
  operation.kind = kind;
  operation.node = node;
  operation.peer = peer;
  operation.tag = tag;
  notes(operation).issue = issue;
  notes(operation).open = 1;
  return operation;
}

CircuitId circuit_of(Circuits& circuits, NodeId source, NodeId destination, Bytes bytes = 0, Cycles probe = 0) {
  const CircuitId id = circuits.allocate();
  Circuit circuit;
  circuit.source = source;
  circuit.destination = destination;
  circuit.bytes = bytes;
  circuit.probe = probe;
  circuits[id] = circuit;
  return id;
}

TEST(EventOutputs, TheFirstThatWaitsAtOrAfterThePointerComesFirst) {
  Output output;
  output.set_waiting(0b1011);
  output.pointer = 0;
  EXPECT_EQ(output.first_waiting(), 0U);
  output.pointer = 2;
  EXPECT_EQ(output.first_waiting(), 3U);
  output.pointer = 4;
  EXPECT_EQ(output.first_waiting(), 0U);
  output.set_waiting(std::uint64_t{1} << 39 | 1);
  EXPECT_EQ(output.first_waiting(), 39U);
}

TEST(EventOutputs, BusyFromGrantToTheEdgeOfTheTailAndCountedBeyond31Bits) {
  const Topology cube = Topology::cube(3);
  Outputs outputs;
  outputs.reset(cube, 1);
  const Outputs::Place place = outputs.place(1, 6);
  EXPECT_EQ(outputs.router_of(place), 6U);
  EXPECT_EQ(outputs.number_of(place), 1U);
  outputs[place].take(0, 3, 10);
  EXPECT_TRUE(outputs[place].is_held());
  EXPECT_TRUE(outputs[place].was_granted_at(10));
  EXPECT_TRUE(outputs[place].free_from(plain, 15, 7));  // tail processed at 14
  EXPECT_FALSE(outputs[place].is_held());
  LinkStatistics link = outputs.statistics({6, 1});
  EXPECT_EQ(link.circuits, 1U);
  EXPECT_EQ(link.busy, 4U);
  EXPECT_EQ(link.bytes, 7U);
  constexpr Bytes many = (Bytes{1} << 31) - 1;
  outputs[place].take(1, 0, 20);
  EXPECT_FALSE(outputs[place].free_from(plain, 31, many)) << "7 + 2^31 - 1 bytes outgrow the count";
  EXPECT_FALSE(outputs.free_from(place, 31, many)) << "nobody waits";
  link = outputs.statistics({6, 1});
  EXPECT_EQ(link.busy, 14U);
  EXPECT_EQ(link.bytes, 7 + many);
  outputs[place].take(2, 0, 40);
  outputs[place].set_waiting(1);
  EXPECT_FALSE(outputs[place].free_from(plain, 50, 0)) << "somebody waits";
  EXPECT_TRUE(outputs.free_from(place, 50, 0));
  outputs[place].set_waiting(std::uint64_t{1} << 33);
  EXPECT_FALSE(outputs[place].free_from(product, 60, 0)) << "off the cube, one port may go with more than 32 links";
  outputs.count_wait(place, 5);
  EXPECT_EQ(outputs.statistics({6, 1}).blocked, 5U);
  EXPECT_EQ(outputs.statistics({5, 1}).blocked, 0U) << "of an output whose neighbour has waits";
}

TEST(EventOutputs, APathTakesTheLowestDimensionsFirstAndThenItsEjectPort) {
  const Topology cube = Topology::cube(3);
  Outputs outputs;
  outputs.reset(cube, 3);
  Circuits circuits;
  Circuit& circuit = circuits[circuit_of(circuits, 0b001, 0b111)];
  circuit.eject_port = 2;
  std::vector<std::pair<NodeId, unsigned>> path;
  outputs.along_path(circuit, [&](Outputs::Place place, NodeId router, unsigned output) {
    EXPECT_EQ(place, outputs.place(output, router));
    path.emplace_back(router, output);
  });
  const std::vector<std::pair<NodeId, unsigned>> expected = {{0b001, 1}, {0b011, 2}, {0b111, 5}};
  EXPECT_EQ(path, expected);
}

/// A cube of routers, edge by edge.
struct RouterBench {
  Circuits circuits;
  Statistics statistics;
  Failures failures;
  Routers routers{circuits, statistics, failures};
  Machine machine;
  Topology topology;

  explicit RouterBench(unsigned dim, Cycles route_delay = 1) : topology(Topology::cube(dim)) {
    machine.router.route_cycles = route_delay;
    routers.reset(machine, topology, false);
  }
  CircuitId inject(NodeId source, NodeId destination, Cycles probe) {
    const CircuitId id = circuit_of(circuits, source, destination, 0, probe);
    routers.inject(several, circuits[id], id);
    return id;
  }
  /// Does all work up to `edge`; returns the circuits that arrive at it.
  std::vector<CircuitId> arrivals_at(Cycles edge) {
    std::vector<CircuitId> result;
    while (routers.next_cycle() <= edge) {
      const Cycles now = routers.next_cycle();
      routers.advance(now);
      if (now < edge) continue;
      for (const Routers::Ejecting& port : routers.ejecting()) result.push_back(routers.granted(several, port));
    }
    return result;
  }
};

TEST(EventRouters, AProbeIsGrantedEveryOutputOneAndTheRouteDelayAfterItWasDriven) {
  RouterBench bench(3, 4);
  const CircuitId id = bench.inject(0, 0b101, 10);
  // Granted at 15 (link 0 of node 0), 20 (link 2 of node 1) and 25 (eject port of node 5).
  EXPECT_TRUE(bench.arrivals_at(24).empty());
  EXPECT_EQ(bench.routers.outputs()[bench.routers.outputs().place(0, 0)].free_at, Output::held | 15);
  EXPECT_EQ(bench.routers.outputs()[bench.routers.outputs().place(2, 1)].free_at, Output::held | 20);
  EXPECT_EQ(bench.arrivals_at(25), std::vector{id});
}

TEST(EventRouters, OfSeveralThePointersInputWinsWhateverTheirOrder) {
  for (const bool other_order : {false, true}) {
    RouterBench bench(2);
    // Both ask at edge 4 for the eject port of node 0: one by link 0, one by link 1.
    std::array<CircuitId, 2> ids{};
    for (const unsigned i : {0U, 1U}) {
      const unsigned way = other_order ? 1 - i : i;
      ids[way] = bench.inject(NodeId{1} << way, 0, 0);
    }
    EXPECT_EQ(bench.arrivals_at(4), std::vector{ids[0]});
    ASSERT_EQ(bench.routers.waiting().size(), 1U);
    EXPECT_EQ(bench.routers.waiting().front().waiting.source, 0b10U);
    EXPECT_EQ(bench.routers.waiting().front().holder.source, 0b01U);
    // Free again from edge 20, and granted at that edge, with no idle cycle.
    bench.routers.free_from(bench.routers.outputs().place(2, 0), 20, 0);
    EXPECT_EQ(bench.routers.next_cycle(), 20U);
    EXPECT_EQ(bench.arrivals_at(20), std::vector{ids[1]});
    EXPECT_EQ(bench.statistics.totals().port_blocked.cycles, 16U);
    EXPECT_EQ(bench.statistics.totals().link_blocked.cycles, 0U);
  }
}

TEST(EventCircuits, HaveTheEdgesOfTheirTable) {
  RouterBench bench(1);
  bench.machine.network.accept_cycles = 1;
  CircuitSwitching switching(bench.routers, bench.statistics, bench.failures);
  switching.reset(bench.machine);
  // The diagram of section 3: h = 1, r = 1, A = 1, c = 1, n = 3, probe at edge 0.
  const CircuitId id = bench.inject(0, 1, 0);
  bench.circuits[id].bytes = 3;
  EXPECT_EQ(bench.arrivals_at(4), std::vector{id});
  CircuitSwitching::Reach reach;
  const CircuitSwitching::Established edges = switching.establish(plain, bench.circuits[id], id, 5, reach);
  EXPECT_EQ(edges.acknowledge, 5U);
  EXPECT_EQ(edges.data, 8U);
  EXPECT_EQ(edges.tail, 10U);
  EXPECT_EQ(edges.sender_ready, 11U);
  EXPECT_EQ(edges.first_received, 12U);
  EXPECT_EQ(edges.receiver_ready, 14U);
  const Outputs& outputs = bench.routers.outputs();
  EXPECT_EQ(outputs[outputs.place(0, 0)].free_at, 12U);
  EXPECT_EQ(outputs[outputs.place(1, 1)].free_at, 13U);
  EXPECT_EQ(outputs.statistics({0, 0}).busy, 9U);
}

TEST(EventCircuits, OfAFixedDistanceMachineBeginAtItsSetUpTimeAtTheEarliest) {
  RouterBench bench(1);
  bench.machine.network.distance = Distance::fixed;
  bench.machine.network.setup_cycles = 40;
  CircuitSwitching switching(bench.routers, bench.statistics, bench.failures);
  switching.reset(bench.machine);
  const CircuitId id = bench.inject(0, 1, 100);
  (void)bench.arrivals_at(104);
  CircuitSwitching::Reach reach;
  EXPECT_EQ(switching.establish(fixed, bench.circuits[id], id, 105, reach).data, 136U) << "p + F - h - 3";
  EXPECT_EQ(switching.establish(fixed, bench.circuits[id], id, 200, reach).data, 203U)
      << "a + A + h + 1 where that is later";
}

TEST(EventWorms, LeaveEachStageAsInTheirDiagram) {
  // Section 10: h = 1, c = 2, B = 1, n = 3; the probe leaves the interface, both routers and the destination's
  // interface.
  Worms::Worm worm{.phits = 3, .probe = std::vector<Cycles>(4), .hops = 1};
  worm.probe[0] = 0;
  worm.probe[1] = 2;
  worm.probe[2] = 4;
  worm.probe[3] = 5;
  EXPECT_EQ(Worms::flit_leaves(worm, 3, 0, 2, 1), 8U);
  EXPECT_EQ(Worms::flit_leaves(worm, 3, 1, 2, 1), 9U);
  EXPECT_EQ(Worms::flit_leaves(worm, 3, 2, 2, 1), 10U);
  // The probe is stopped for 20 cycles before its destination: one of the three phits waits in every buffer behind it.
  worm.probe[2] = 24;
  worm.probe[3] = 25;
  EXPECT_EQ(Worms::flit_leaves(worm, 3, 2, 2, 1), 30U);
  EXPECT_EQ(Worms::flit_leaves(worm, 3, 0, 2, 1), 28U) << "q = 2: 24 + 2 + 2 (3 - 2)";
  EXPECT_EQ(Worms::flit_leaves(worm, 3, 0, 2, 4), 6U) << "buffers of four hold the whole worm";
}

/// The ports of a cube's nodes; what they begin takes its port, and is noted.
struct PortBench {
  Features features;
  Topology topology;
  Circuits circuits;
  Statistics statistics;
  InterfacePorts ports{circuits, statistics};
  Cycles edge = 0;
  std::vector<const Operation*> begun;
  std::vector<CircuitId> launched;
  std::vector<Cycles> events;

  PortBench(const Features& of, const Machine& machine, unsigned dim) : features(of), topology(Topology::cube(dim)) {
    ports.reset(machine, topology);
  }
  [[nodiscard]] Cycles now() const { return edge; }
  [[nodiscard]] Asked asked() const { return Asked(features); }
  void begin_send(auto has, const Operation& send, unsigned port) {
    ports.occupy(has, from(send.node, port));
    begun.push_back(&send);
  }
  void launch(auto has, const Circuit& circuit, CircuitId id) {
    ports.occupy(has, circuit);
    launched.push_back(id);
  }
  void port_free_at(Cycles at, InterfacePorts::Number) { events.push_back(at); }
  static Circuit from(NodeId node, unsigned port) {
    Circuit circuit;
    circuit.source = node;
    circuit.inject_port = static_cast<std::uint8_t>(port);
    return circuit;
  }
  void enter(Operation& send, Cycles at) {
    edge = send_notes(send).posted_at = at;
    ports.enter(*this, asked(), send);
  }
  void is_free(NodeId node, unsigned port, Cycles at) {
    edge = at;
    ports.vacate(asked(), from(node, port), 0, at);
    ports.has_become_free(ports.number(port, node));
    ports.serve_freed(*this, asked());
  }
};

TEST(EventInjectPorts, SendsWaitInOrderOfIssueAndReadyCircuitsGoFirst) {
  Machine machine;
  machine.node.ports.engines = Ports::n;
  PortBench bench({.several_ports = true}, machine, 2);
  std::array<Operation, 5> sends;
  for (std::uint32_t i = 0; i < 5; ++i) sends[i] = operation_of(OperationKind::send, 3, 1, 0, i);
  using Begun = std::vector<const Operation*>;
  bench.enter(sends[0], 0);
  EXPECT_EQ(bench.begun, Begun{sends.data()}) << "its port is idle";
  bench.enter(sends[1], 9);
  bench.enter(sends[3], 10);
  bench.enter(sends[2], 10);
  const CircuitId ready = circuit_of(bench.circuits, 3, 1);
  bench.ports.make_ready(bench, bench.asked(), ready);
  EXPECT_TRUE(bench.events.empty()) << "nobody knows when it is free";
  bench.ports.vacate(several, PortBench::from(3, 1), 0, 30);
  bench.ports.announce_free(bench, several, PortBench::from(3, 1), 30);
  bench.ports.announce_free(bench, several, PortBench::from(3, 1), 30);
  EXPECT_EQ(bench.events, std::vector<Cycles>{30}) << "one event is enough";
  bench.is_free(3, 1, 30);
  EXPECT_EQ(bench.launched, std::vector{ready});
  EXPECT_EQ(bench.begun.size(), 1U);
  bench.is_free(3, 1, 40);
  EXPECT_EQ(bench.begun.back(), &sends[1]);
  bench.ports.begin_several(several, sends[1], 1);
  bench.is_free(3, 1, 50);
  EXPECT_EQ(bench.begun.back(), &sends[1]) << "until all circuits of the one before have left";
  bench.ports.end_send(several, PortBench::from(3, 1));
  for (const std::uint32_t i : {2U, 3U}) {
    bench.is_free(3, 1, 40 + 10 * i);
    EXPECT_EQ(bench.begun.back(), &sends[i]);
  }
  bench.is_free(3, 1, 80);
  bench.enter(sends[4], 80);
  EXPECT_EQ(bench.begun.back(), &sends[4]) << "idle again";
}

TEST(EventSendEngines, AreTakenByTheFirstIssuedWhosePortIsIdle) {
  Machine machine;
  machine.node.ports.engines = 2;
  PortBench bench({.several_ports = true, .engines = true}, machine, 3);
  constexpr std::array<unsigned, 6> ports{0, 1, 0, 1, 2, 1};
  std::array<Operation, 6> sends;
  for (std::uint32_t i = 0; i < 6; ++i) {
    sends[i] = operation_of(OperationKind::send, 1, 1 ^ NodeId{1} << ports[i], 0, i);
  }
  bench.enter(sends[0], 0);
  bench.enter(sends[1], 0);
  for (const std::size_t i : {4U, 2U, 3U}) bench.enter(sends[i], 5);
  EXPECT_EQ(bench.begun.size(), 2U) << "both engines are taken";
  EXPECT_EQ(bench.ports.first_waiting(1), &sends[2]);
  Operation other = operation_of(OperationKind::send, 0, 1, 0, 0);
  bench.enter(other, 5);
  EXPECT_EQ(bench.begun.back(), &other) << "another node";
  bench.is_free(1, 1, 9);
  EXPECT_EQ(bench.begun.back(), &sends[3]);
  bench.is_free(1, 1, 20);
  EXPECT_EQ(bench.begun.back(), &sends[4]) << "the last that waits";
  bench.enter(sends[5], 30);
  EXPECT_EQ(bench.ports.first_waiting(1), &sends[2]);
  bench.is_free(1, 0, 40);
  EXPECT_EQ(bench.begun.back(), &sends[2]);
  bench.is_free(1, 0, 50);
  EXPECT_EQ(bench.begun.back(), &sends[5]);
  EXPECT_EQ(bench.ports.first_waiting(1), nullptr);
}

/// Few and many events of as many nodes: the one is sorted by comparison, the other is counted.
TEST(EventByNode, ComesAsAskedAtEachNode) {
  using Item = std::pair<NodeId, std::uint64_t>;
  std::mt19937_64 random(1);
  ByNode<Item> by_node;
  for (const std::size_t nodes : {1U, 64U, 1024U}) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, nodes / 8, nodes / 8 + 1, 3 * nodes}) {
      std::vector<Item> items;
      for (std::size_t i = 0; i < count; ++i) items.emplace_back(static_cast<NodeId>(random() % nodes), random());
      std::vector<Item> expected = items;
      std::sort(expected.begin(), expected.end());
      by_node.sort(
          items, nodes, [](const Item& item) { return item.first; },
          [](const Item& a, const Item& b) { return a.second < b.second; });
      std::ranges::stable_sort(items, {}, &Item::first);  // the nodes may come in any order
      EXPECT_EQ(items, expected) << count << " of " << nodes;
    }
  }
}

TEST(EventTogether, ASenderAcceptsWhatBeginsWithItsOwnOrAfterIt) {
  Machine machine;
  machine.network.duplex = Duplex::together;
  machine.network.together_cycles = 10;
  PortBench bench({.together = true}, machine, 1);
  const auto accepted_from = [&](NodeId node, Cycles seen) {
    Circuit circuit;
    circuit.destination = node;
    return bench.ports.accepted_from(bench.asked(), circuit, seen);
  };
  EXPECT_EQ(accepted_from(1, 100), 100U) << "it sends nothing";
  bench.ports.vacate(bench.asked(), PortBench::from(1, 0), 90, 140);  // T0, Tt + 1
  EXPECT_EQ(accepted_from(1, 100), 100U) << "T0 + together = seen";
  EXPECT_EQ(accepted_from(1, 101), 140U);
  EXPECT_EQ(accepted_from(1, 140), 140U) << "its tail has left";
  EXPECT_EQ(accepted_from(0, 101), 101U) << "another node";
}

TEST(EventRendezvous, PartnersMeetWhoNameEachOtherAndTheSameType) {
  for (const unsigned ports : {1U, 3U}) {
    const Features features{.several_ports = ports > 1};
    const Asked has(features);
    Rendezvous rendezvous;
    rendezvous.reset(8, ports);
    Operation a = operation_of(OperationKind::exchange, 2, 6, 1);
    Operation other_type = operation_of(OperationKind::exchange, 2, 6, 2);
    Operation send = operation_of(OperationKind::send, 2, 6, 1);
    EXPECT_EQ(rendezvous.meet(has, a), nullptr);
    EXPECT_EQ(rendezvous.meet(has, other_type), nullptr);
    EXPECT_EQ(rendezvous.meet(has, send), nullptr);
    EXPECT_EQ(rendezvous.waiting_at(2), &a);
    EXPECT_EQ(rendezvous.waiting_at(6), nullptr);
    Operation second = operation_of(OperationKind::exchange, 6, 2, 2);
    EXPECT_EQ(rendezvous.meet(has, second), &other_type);
    Operation first = operation_of(OperationKind::exchange, 6, 2, 1);
    EXPECT_EQ(rendezvous.meet(has, first), &a);
    Operation receive = operation_of(OperationKind::receive, 6, 2, 1);
    EXPECT_EQ(rendezvous.meet(has, receive), &send);
    EXPECT_EQ(rendezvous.waiting_at(2), nullptr);
  }
}

TEST(EventMatching, TheFirstReceiveThatFitsGetsAMessageAndTheFirstMessageAReceive) {
  Circuits circuits;
  Matching matching(circuits);
  matching.reset(4);
  const auto none = [](CircuitId) { FAIL() << "nothing has arrived"; };
  Operation from_one = operation_of(OperationKind::receive, 3, 1, 7);
  Operation from_any = operation_of(OperationKind::receive, 3, any_node, 7);
  matching.post(from_one, none);
  matching.post(from_any, none);
  EXPECT_EQ(matching.take_receive(3, 1, 8), nullptr);
  EXPECT_EQ(matching.take_receive(3, 2, 7), &from_any);
  EXPECT_EQ(matching.take_receive(3, 1, 7), &from_one);
  EXPECT_EQ(matching.first_receive(3), nullptr);

  const CircuitId first = circuit_of(circuits, 2, 3);
  const CircuitId second = circuit_of(circuits, 1, 3);
  const CircuitId third = circuit_of(circuits, 1, 3);
  for (const CircuitId id : {first, second, third}) matching.keep(id);
  std::vector<CircuitId> taken;
  const auto take = [&](CircuitId id) { taken.push_back(id); };
  Operation one = operation_of(OperationKind::receive, 3, 1, 0);
  matching.post(one, take);
  EXPECT_EQ(taken, std::vector{second});
  EXPECT_TRUE(matching.still_waits(first));
  EXPECT_FALSE(matching.still_waits(second));
  matching.forget(first);
  Operation any = operation_of(OperationKind::receive, 3, any_node, 0);
  matching.post(any, take);
  EXPECT_EQ(taken, (std::vector{second, third}));
}

TEST(EventMatching, AMessageOnItsWayIsPromisedAReceiveOnlyIfNoOtherCanComeFirst) {
  Circuits circuits;
  Matching matching(circuits);
  matching.reset(4);
  const auto none = [](CircuitId) {};
  Operation from_any = operation_of(OperationKind::receive, 3, any_node);
  const CircuitId id = circuit_of(circuits, 1, 3);
  matching.post(from_any, none);
  EXPECT_EQ(matching.take_receive_early(circuits[id]), nullptr) << "another node may come first";
  EXPECT_EQ(matching.take_receive(3, 1, 0), &from_any);
  Operation from_one = operation_of(OperationKind::receive, 3, 1);
  matching.post(from_one, none);
  matching.expect(3);
  EXPECT_EQ(matching.take_receive_early(circuits[id]), nullptr) << "an earlier one of the same source may be under way";
  matching.expected_arrived(3);
  EXPECT_EQ(matching.take_receive_early(circuits[id]), &from_one);
  matching.reset(4, Matching::InOrder::none);
  matching.post(from_one, none);
  EXPECT_EQ(matching.take_receive_early(circuits[id]), nullptr) << "one of another channel may come first";
}

TEST(EventMatching, AMessageOnItsWayIsPromisedAReceiveOfSeveralWhereMessagesComeInOrder) {
  Circuits circuits;
  Matching matching(circuits);
  for (const bool in_order : {false, true}) {
    matching.reset(4, in_order ? Matching::InOrder::all : Matching::InOrder::of_a_source);
    Operation counted = operation_of(OperationKind::receive_counted, 3, any_node);
    counted.count = 2;
    notes(counted).open = messages_of(counted);
    matching.post(counted, [](CircuitId) {});
    for (const NodeId source : {1U, 3U, 2U}) {
      Operation* const taken = matching.take_receive_early(circuits[circuit_of(circuits, source, 3)]);
      EXPECT_EQ(taken, in_order && source != 2 ? &counted : nullptr) << "from node " << source;
    }
    matching.reset(4, in_order ? Matching::InOrder::all : Matching::InOrder::of_a_source);
    Operation each = operation_of(OperationKind::receive_each, 3, 0);
    each.sources = {.low = 0, .dim = 2};
    notes(each).open = messages_of(each);
    matching.post(each, [](CircuitId) {});
    for (const NodeId source : {1U, 1U, 3U, 2U, 0U}) {
      Operation* const taken = matching.take_receive_early(circuits[circuit_of(circuits, source, 3)]);
      EXPECT_EQ(taken, in_order && (source == 1 || source == 2) ? &each : nullptr) << "from node " << source;
    }
  }
}

TEST(EventSubmissions, AreTakenInOrderOfIssue) {
  Submissions submissions;
  submissions.reset(4);
  std::array<Operation, 3> operations;
  for (std::uint32_t i = 0; i < 3; ++i) operations[i] = operation_of(OperationKind::send, 2, 0, 0, i);
  for (const std::size_t i : {1U, 2U, 0U}) submissions.add(operations[i]);
  std::vector<std::uint32_t> order;
  submissions.take_all([&](const Operation& operation) { order.push_back(notes(operation).issue); });
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_TRUE(submissions.empty());
}

/// Notes the circuits that a library makes ready.
class Host final : public LibraryHost {
 public:
  Circuits circuits;
  Matching matching{circuits};
  std::vector<std::pair<CircuitKind, NodeId>> ready;  ///< kind, and the node it leaves from

  CircuitId make_circuit(CircuitKind kind, Operation& about) override {
    const bool back = kind == CircuitKind::grant;
    const CircuitId id = circuit_of(circuits, back ? about.peer : about.node, back ? about.node : about.peer);
    circuits[id].kind = kind;
    return id;
  }
  void make_ready(CircuitId id) override { ready.emplace_back(circuits[id].kind, circuits[id].source); }
  std::unique_ptr<MessageLibrary> library(Protocol protocol) {
    Machine machine;
    machine.library.protocol = protocol;
    machine.library.threshold_bytes = 100;
    machine.library.buffer_bytes = 1000;
    matching.reset(4);
    auto library = std::make_unique<MessageLibrary>(*this, circuits, matching);
    library->reset(machine, 4);
    return library;
  }
  static Circuit control(CircuitKind kind, NodeId source, NodeId destination) {
    Circuit circuit;
    circuit.kind = kind;
    circuit.source = source;
    circuit.destination = destination;
    return circuit;
  }
};

TEST(EventMessageLibrary, SaysWhichCircuitASendBeginsWith) {
  Host host;
  Operation send = operation_of(OperationKind::send, 0, 1);
  send.bytes = 101;
  Operation exchange = operation_of(OperationKind::exchange, 0, 1);
  exchange.sync = PairwiseSync::on;
  send.sync = PairwiseSync::off;
  EXPECT_EQ(host.library(Protocol::none)->first_kind(exchange), CircuitKind::data);
  EXPECT_EQ(host.library(Protocol::forced)->first_kind(send), CircuitKind::data);
  EXPECT_EQ(host.library(Protocol::forced)->first_kind(exchange), CircuitKind::synchronisation);
  EXPECT_EQ(host.library(Protocol::unforced)->first_kind(exchange), CircuitKind::synchronisation);
  EXPECT_EQ(host.library(Protocol::unforced)->first_kind(send), CircuitKind::reservation);
  send.bytes = 100;
  EXPECT_EQ(host.library(Protocol::unforced)->first_kind(send), CircuitKind::data);
  send.signal = true;
  EXPECT_EQ(host.library(Protocol::unforced)->first_kind(send), CircuitKind::signal);
}

TEST(EventMessageLibrary, DataFollowsWhenBothSynchronisationsAreDoneInWhateverOrder) {
  for (const bool early : {false, true}) {
    Host host;
    const auto library = host.library(Protocol::forced);
    Operation exchange = operation_of(OperationKind::exchange, 0, 1);
    const Circuit partners = Host::control(CircuitKind::synchronisation, 1, 0);
    if (early) library->received(partners, nullptr);
    library->expect_partner(exchange);
    library->synchronisation_left(exchange);
    if (!early) {
      EXPECT_TRUE(host.ready.empty());
      library->received(partners, nullptr);
    }
    EXPECT_EQ(host.ready, (std::vector<std::pair<CircuitKind, NodeId>>{{CircuitKind::data, 0}}));
  }
}

TEST(EventMessageLibrary, AReservationIsGrantedAReceiveElseRoomElseItWaits) {
  Host host;
  const auto library = host.library(Protocol::unforced);
  Operation receive = operation_of(OperationKind::receive, 3, 0);
  host.matching.post(receive, [](CircuitId) {});
  std::array<Operation, 4> sends;
  for (NodeId node = 0; node < 3; ++node) {
    sends[node] = operation_of(OperationKind::send, node, 3);
    sends[node].bytes = 600;
    library->received(Host::control(CircuitKind::reservation, node, 3), &sends[node]);
  }
  EXPECT_EQ(notes(sends[0]).partner, &receive) << "promised";
  EXPECT_EQ(host.ready.size(), 2U) << "a receive, and room for 600 bytes of 1,000";
  library->posted(3);
  EXPECT_TRUE(library->any_posted()) << "a reservation waits";
  library->copied_out(3, 600);
  library->answer_posted();
  EXPECT_EQ(host.ready.size(), 3U);
  library->posted(3);
  EXPECT_FALSE(library->any_posted());
  EXPECT_EQ(host.ready.back(), (std::pair{CircuitKind::grant, NodeId{3}}));
}

TEST(EventMessageLibrary, KeepsWhatHasNoReceiveAsFarAsThereIsRoom) {
  Host host;
  Circuit message = Host::control(CircuitKind::data, 0, 3);
  message.bytes = 600;
  EXPECT_FALSE(host.library(Protocol::forced)->keeps(message));
  const auto unforced = host.library(Protocol::unforced);
  EXPECT_TRUE(unforced->keeps(message));
  EXPECT_TRUE(message.buffered);
  EXPECT_FALSE(unforced->keeps(message)) << "1,200 bytes in 1,000";
  message.bytes = 0;
  EXPECT_TRUE(unforced->keeps(message)) << "nothing needs no room";
}

TEST(EventLibraryPaths, AreThoseOfTheKindOfCircuit) {
  Machine machine;
  machine.library = {.send_cycles = 1,
                     .send_zero_cycles = 2,
                     .receive_cycles = 3,
                     .receive_zero_cycles = 4,
                     .control_send_cycles = 5,
                     .control_receive_cycles = 6,
                     .signal_send_cycles = 7,
                     .signal_receive_cycles = 8,
                     .forward_cycles = 9};
  const LibraryPaths paths{machine.path_lengths()};
  const auto lengths = [&](CircuitKind kind, Bytes bytes, bool granted) {
    Circuit circuit = Host::control(kind, 0, 1);
    circuit.bytes = bytes;
    circuit.granted = granted;
    return std::pair(paths.startup(circuit), paths.receipt(circuit));
  };
  using Lengths = std::pair<Cycles, Cycles>;
  EXPECT_EQ(lengths(CircuitKind::data, 8, false), Lengths(1, 3));
  EXPECT_EQ(lengths(CircuitKind::data, 0, false), Lengths(2, 4));
  EXPECT_EQ(lengths(CircuitKind::data, 8, true), Lengths(5, 3));
  EXPECT_EQ(lengths(CircuitKind::signal, 0, false), Lengths(7, 8));
  EXPECT_EQ(lengths(CircuitKind::synchronisation, 0, false), Lengths(2, 4));
  EXPECT_EQ(lengths(CircuitKind::reservation, 0, false), Lengths(1, 6));
  EXPECT_EQ(lengths(CircuitKind::grant, 0, false), Lengths(5, 6));
  EXPECT_EQ(paths.forward, 9U);
  EXPECT_FALSE(paths.without_receipts());
}

TEST(EventPacketStore, CutsForwardsAndAssemblesAMessage) {
  Machine machine;
  machine.network.switching = Switching::store_and_forward;
  machine.network.packet_bytes = 10;
  Circuits circuits;
  Statistics statistics;
  PacketStore store(circuits, statistics);
  const Topology square = Topology::cube(2);
  store.reset(machine, square);
  Operation send = operation_of(OperationKind::send, 0, 3);
  send.bytes = 25;
  const PacketStore::Number message = store.begin(send);
  EXPECT_TRUE(store.several_packets(message));
  std::vector<CircuitId> packets;
  const std::vector<Bytes> lengths = {10, 10, 5};
  for (const Bytes length : lengths) {
    const CircuitId id = circuit_of(circuits, 0, 3);
    store.next_packet(message, id);
    EXPECT_EQ(circuits[id].destination, 1U) << "the lowest dimension first";
    EXPECT_EQ(circuits[id].bytes, length);
    EXPECT_EQ(store.left_source(id), length == 5);
    packets.push_back(id);
  }
  store.sent(message, nullptr);
  for (const CircuitId id : packets) {
    EXPECT_FALSE(store.is_for(id, 1));
    store.forward(id);
    EXPECT_EQ(circuits[id].source, 1U);
    EXPECT_EQ(circuits[id].destination, 3U);
    EXPECT_TRUE(store.is_for(id, 3));
  }
  EXPECT_EQ(statistics.totals().most_stored, 25U);
  EXPECT_EQ(statistics.totals().most_packets, 3U);
  EXPECT_FALSE(store.arrived(packets[0]));
  EXPECT_FALSE(store.arrived(packets[2]));
  EXPECT_TRUE(store.arrived(packets[1]));
  EXPECT_EQ(store.assemble(packets[1]), nullptr);
  EXPECT_EQ(circuits[packets[1]].source, 0U);
  EXPECT_EQ(circuits[packets[1]].bytes, 25U);
}

TEST(EventPayload, MovesContentsOnceAndKeepsThemWhereTheSenderGoesOn) {
  Circuits circuits;
  Payload payload(circuits);
  payload.reset();
  std::array<std::byte, 4> from{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  std::array<std::byte, 4> to{};
  Operation send = operation_of(OperationKind::send, 0, 1);
  send.bytes = 4;
  send.outgoing = Region::contiguous(from.data(), 4);
  Operation receive = operation_of(OperationKind::receive, 1, 0);
  receive.incoming = Region::contiguous(to.data(), 4);
  for (const bool staged : {false, true}) {
    to = {};
    notes(send).contents = Contents::in_place;
    const CircuitId id = circuit_of(circuits, 0, 1, 4);
    circuits[id].operation = &send;
    circuits[id].carries = true;
    if (staged) {
      payload.stage(id);
      circuits[id].operation = nullptr;
    }
    payload.deliver(receive, circuits[id], id);
    EXPECT_EQ(to, from);
    payload.release(id);
  }
}

TEST(EventPayload, ExchangesInPlaceChangePlacesWhenBothHaveArrived) {
  Circuits circuits;
  Payload payload(circuits);
  payload.reset();
  std::array<std::byte, 2> left{std::byte{1}, std::byte{2}};
  std::array<std::byte, 2> right{std::byte{3}, std::byte{4}};
  const auto exchange_of = [](NodeId node, std::array<std::byte, 2>& buffer) {
    Operation exchange = operation_of(OperationKind::exchange, node, 1 - node);
    exchange.bytes = 2;
    exchange.outgoing = exchange.incoming = Region::contiguous(buffer.data(), 2);
    return exchange;
  };
  Operation a = exchange_of(0, left);
  Operation b = exchange_of(1, right);
  Payload::pair(a, b);
  const auto deliver = [&](Operation& send, Operation& receive) {
    const CircuitId id = circuit_of(circuits, send.node, receive.node, 2);
    circuits[id].operation = &send;
    circuits[id].carries = true;
    payload.deliver(receive, circuits[id], id);
  };
  deliver(a, b);
  EXPECT_EQ(left[0], std::byte{1}) << "nothing moves before the second one";
  deliver(b, a);
  EXPECT_EQ(left, (std::array{std::byte{3}, std::byte{4}}));
  EXPECT_EQ(right, (std::array{std::byte{1}, std::byte{2}}));
}

TEST(EventProcessors, ComputationGetsTheCyclesThatLibraryWorkLeaves) {
  Processors processors;
  processors.reset(Machine{}, 2);
  Operation work = operation_of(OperationKind::compute, 0, 0);
  EXPECT_EQ(processors.serve(0, 10, 5), 15U);
  EXPECT_TRUE(processors.compute(0, 12, work, 10));
  EXPECT_EQ(processors.next_end(0), 25U) << "from 15 on";
  EXPECT_EQ(processors.serve(0, 20, 4), 24U) << "library work is served at once";
  EXPECT_EQ(processors.next_end(0), 29U);
  EXPECT_EQ(processors.serve(0, 22, 3), 27U) << "one after the other";
  EXPECT_EQ(processors.next_end(0), 32U);
  EXPECT_EQ(&processors.finish(0, 32), &work);
  EXPECT_FALSE(processors.computing(0));
}

TEST(EventProcessors, WithoutOverlapComputationWaitsForPhitsToo) {
  Machine machine;
  machine.node.overlap = Overlap::off;
  Processors processors;
  processors.reset(machine, 2);
  Operation work = operation_of(OperationKind::compute, 0, 0);
  processors.moves(0, 5, 12, 18);
  EXPECT_TRUE(processors.compute(0, 10, work, 10));
  EXPECT_EQ(processors.next_end(0), 26U);
  processors.moves(0, 20, 22, never);
  EXPECT_EQ(processors.next_end(0), never) << "nobody knows until when";
  processors.stops(0, 24, 22, 30);
  EXPECT_EQ(processors.next_end(0), 34U);
}

}  // namespace
}  // namespace ecube::event::event_parts_test
