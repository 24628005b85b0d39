// SPDX-License-Identifier: Apache-2.0
// Modules of the clocked machine by themselves: the next value of their registers, rule by rule, worked out by hand
// from hw/README.md.
#include <gtest/gtest-spi.h>

#include "hw/clocked/core.h"
#include "hw/clocked/interface_port.h"
#include "hw/clocked/router.h"
#include "hw/clocked/worm_port.h"
#include "hw/clocked/worm_router.h"
#include "tests/test.h"

namespace ecube::clocked::clocked_modules_test {
namespace {

/// Three dimensions and one port: inputs and outputs 0 to 2 are links, 3 is the node's.
constexpr Shape one_port{.dim = 3, .ports = 1};
constexpr Shape n_port{.dim = 3, .ports = 3};

Wire probe(RouteWord route) { return {.kind = WireKind::probe, .route = route}; }
Wire phit(std::uint16_t number = 0) { return {.kind = WireKind::phit, .sequence = number}; }
Wire tail(std::uint16_t number = 0) { return {.kind = WireKind::tail, .sequence = number}; }

/// A router edge by edge; wires are idle except those that a test drives at the present edge.
struct RouterBench {
  RouterState state;
  Cycles route_delay = 2;
  void edge(std::initializer_list<std::pair<unsigned, Wire>> wires = {}, std::initializer_list<unsigned> acks = {}) {
    RouterWires in;
    for (const auto& [input, wire] : wires) in.come(input, wire);
    for (const unsigned output : acks) in.back |= LineMask{1} << output;
    state = next(state, in, one_port, route_delay);
  }
};

TEST(RouterRules, AProbeWaitsTheRouteDelayAndThenAsksForItsLowestDimension) {
  RouterBench router;
  router.edge({{3, probe(0b110)}});  // edge e + 1
  router.edge();
  EXPECT_EQ(router.state.events.granted, 0U);
  router.edge();  // edge e + 1 + r
  EXPECT_EQ(router.state.events.granted, 0b010U);
  EXPECT_EQ(router.state.out[1].owner, 3);
  EXPECT_EQ(router.state.out[1].drive, probe(0b100)) << "it leaves at its grant edge, the dimension behind it";
}

TEST(RouterRules, WithNothingLeftOfItsRouteAProbeAsksForAnEjectPort) {
  for (unsigned input = 0; input < 3; ++input) {
    EXPECT_EQ(wanted_output(one_port, 0, input), 3U);
    EXPECT_EQ(wanted_output(n_port, 0, input), 3 + input) << "the port of the dimension it arrived by";
    EXPECT_EQ(wanted_output(n_port, 0, 3 + input), 3 + input) << "a message to itself: the port of the same number";
  }
  EXPECT_EQ(wanted_output(n_port, 0b101, 1), 0U);
}

TEST(RouterRules, TheFirstRequestAtOrAfterThePointerWinsAndThePointerGoesBehindIt) {
  EXPECT_EQ(winner(0b1011, 0), 0);
  EXPECT_EQ(winner(0b1011, 2), 3);
  EXPECT_EQ(winner(0b0011, 2), 0) << "counted around";
  EXPECT_EQ(winner(0, 2), nobody);
  RouterBench router{.state = {}, .route_delay = 1};
  router.edge({{0, probe(0b100)}, {3, probe(0b100)}});
  router.edge();
  EXPECT_EQ(router.state.out[2].owner, 0);
  EXPECT_EQ(router.state.out[2].pointer, 1);
  EXPECT_EQ(router.state.events.refused, 0b1000U);
  EXPECT_EQ(router.state.events.asking[3], 0b100U);
}

TEST(RouterRules, AnOutputBelongsToOneCircuitUntilTheEdgeAfterItsTail) {
  RouterBench router{.state = {}, .route_delay = 1};
  router.edge({{0, probe(0b100)}, {3, probe(0b100)}});
  router.edge();
  router.edge({{0, phit()}});
  EXPECT_EQ(router.state.out[2].drive, phit());
  EXPECT_EQ(router.state.events.refused, 0b1000U) << "the loser keeps asking";
  router.edge({{0, tail(1)}});  // x_k
  EXPECT_EQ(router.state.out[2].drive, tail(1));
  EXPECT_EQ(router.state.events.released, 0b100U);
  EXPECT_EQ(router.state.events.granted, 0U);
  router.edge();  // x_k + 1: no bubble beyond the release
  EXPECT_EQ(router.state.events.granted, 0b100U);
  EXPECT_EQ(router.state.out[2].owner, 3);
}

TEST(RouterRules, AnAcknowledgeGoesBackByTheInputOfItsCircuit) {
  RouterBench router{.state = {}, .route_delay = 1};
  router.edge({{0, probe(0b100)}});
  router.edge();
  router.edge({}, {2});
  EXPECT_EQ(router.state.back, 0b0001U);
  router.edge();
  EXPECT_EQ(router.state.back, 0U);
  EXPECT_EQ(router.state.events.broken, nullptr);
  router.edge({}, {1});
  EXPECT_NE(router.state.events.broken, nullptr) << "an acknowledge without a circuit";
}

TEST(RouterRules, PhitsComeWhereACircuitIs) {
  RouterBench router;
  router.edge({{1, phit()}});
  EXPECT_NE(router.state.events.broken, nullptr);
}

TEST(RouterRules, NothingMovesWhereAProbeIsBlocked) {
  RouterBench router{.state = {}, .route_delay = 1};
  EXPECT_FALSE(moving(router.state, one_port));
  router.edge({{0, probe(0b100)}, {3, probe(0b100)}});
  EXPECT_TRUE(moving(router.state, one_port));
  router.edge();
  EXPECT_TRUE(moving(router.state, one_port)) << "a probe is on the wire";
  router.edge();
  EXPECT_FALSE(moving(router.state, one_port));
}

/// The edges, counted from that of the probe, at which a message of `phits` phits is driven, acknowledged at
/// `answered`.
std::vector<Cycles> driven(const InterfacePortParameters& parameters, std::uint64_t phits, Cycles answered,
                           unsigned hops = 1) {
  InterfacePortState state;
  std::vector<Cycles> edges;
  for (Cycles edge = 1; edge < 200; ++edge) {
    PortWires wires;
    wires.start = edge == 1;
    wires.hops = hops;
    wires.phits = phits;
    wires.back = edge == answered;
    state = next(state, wires, parameters);
    if (state.drive.kind != WireKind::idle) edges.push_back(edge);
  }
  EXPECT_EQ(state.broken, nullptr);
  return edges;
}

TEST(InterfacePortRules, PhitsLeaveWithTheAcknowledgeAtTheFloorOfTheirRatio) {
  EXPECT_EQ(driven({}, 3, 8), (std::vector<Cycles>{8, 9, 10}));
  EXPECT_EQ(driven({.phit_cycles = 2, .extra_num = 1, .extra_den = 3}, 7, 8),
            (std::vector<Cycles>{8, 10, 12, 15, 17, 19, 22}));
}

TEST(InterfacePortRules, OnAFixedDistanceMachineTheFirstPhitWaits) {
  EXPECT_EQ(driven({.setup = 30}, 1, 8, 2), (std::vector<Cycles>{30 - 2 - 3}));
  EXPECT_EQ(driven({.setup = 30}, 1, 28, 2), (std::vector<Cycles>{28}));
}

/// The edge, counted from that at which the probe is seen, at which the acknowledge is driven.
Cycles answered(const InterfacePortParameters& parameters, Cycles engine_from = 0, Cycles sends_until = 0) {
  InterfacePortState state;
  for (Cycles edge = 0; edge < 100; ++edge) {
    PortWires wires;
    if (edge == 0) wires.wire = probe(0);
    wires.engine = edge == engine_from;
    wires.late_ports = edge <= sends_until && sends_until > 0 ? 0b10 : 0;
    wires.sending_ports = wires.late_ports;
    state = next(state, wires, parameters);
    if (state.back) return edge;
  }
  return never;
}

TEST(InterfacePortRules, TheAcknowledgeIsDrivenAcceptDelayAfterTheProbe) {
  EXPECT_EQ(answered({.accept_delay = 1}), 0U);
  EXPECT_EQ(answered({.accept_delay = 4}), 3U);
  EXPECT_EQ(answered({.accept_delay = 4}, 10), 13U) << "behind the edge at which an engine is given";
}

TEST(InterfacePortRules, ANodeThatHasSentForLongAcceptsWhenItsSendsHaveEnded) {
  EXPECT_EQ(answered({.accept_delay = 2, .together_only = false}, 0, 20), 1U);
  EXPECT_EQ(answered({.accept_delay = 2, .together_only = true}, 0, 20), 22U);
}

/// A router of one dimension with inputs of two words, edge by edge: a word comes from the node, and the link ahead
/// takes nothing where it is `stopped`.
struct WormBench {
  WormRouterState state;
  void edge(const Wire& word = {}, bool stopped = false) {
    RouterWires wires;
    wires.come(1, word);
    wires.back = stopped ? 1 : 0;
    state = next(state, wires, {.dim = 1, .ports = 1, .worms = true, .buffer = 2}, 1, 2);
  }
};

TEST(WormRules, AFullBufferStopsWhatComesAndOneWithATailTheNextWorm) {
  WormBench router;
  router.edge(probe(1), true);
  EXPECT_EQ(router.state.back, 0U);
  router.edge(phit(), true);
  EXPECT_EQ(router.state.back, 0b10U) << "two words";
  router.edge({}, true);
  EXPECT_EQ(router.state.events.refused, 0b10U)
      << "an output can be granted only when a word may be driven onto its link";
  router.edge();
  EXPECT_EQ(router.state.events.granted, 0b1U);
  EXPECT_EQ(router.state.back, 0U);
  router.edge(tail(1));
  EXPECT_EQ(router.state.back, 0b10U) << "phit and tail";
  router.edge();
  EXPECT_EQ(router.state.out[0].drive, phit()) << "c edges behind the probe";
  EXPECT_EQ(router.state.back, 0b10U) << "the tail alone";
}

TEST(WormRules, AnOutputIsFreeWhenTheTailHasLeftTheBufferAtItsEnd) {
  WormBench router;
  router.edge(probe(1));
  router.edge();  // granted at edge 1
  EXPECT_EQ(router.state.events.granted, 0b1U);
  router.edge(tail());
  router.edge();  // the tail leaves at edge 3
  EXPECT_EQ(router.state.out[0].drive, tail());
  router.edge();
  router.edge({}, true);  // it is in the buffer at the end of the link
  EXPECT_EQ(router.state.events.released, 0U);
  router.edge();
  EXPECT_EQ(router.state.events.released, 0b1U);
}

TEST(WormRules, WordsBehindAProbeThatIsNotTakenWaitInThePort) {
  WormPortState state;
  const WormPortParameters parameters{.phit_cycles = 2, .accept_delay = 5, .buffer = 2};
  PortWires wires{.wire = probe(0)};
  state = next(state, wires, parameters);  // edge 0
  EXPECT_FALSE(state.back);
  wires.wire = {};
  state = next(state, wires, parameters);
  wires.wire = phit();
  state = next(state, wires, parameters);
  EXPECT_TRUE(state.back) << "probe and phit";
  wires.wire = {};
  state = next(state, wires, parameters);
  state = next(state, wires, parameters);  // edge 4 = A - 1
  EXPECT_TRUE(state.accepted);
  EXPECT_TRUE(state.received_first);
  EXPECT_FALSE(state.back);
  wires.wire = tail(1);
  state = next(state, wires, parameters);
  EXPECT_TRUE(state.received_tail);
}

TEST(ReceiveEngineRules, AreGivenInOrderOfArrivalAndThenOfPort) {
  ReceiveEnginesState state;
  const auto edge = [&state](PortMask probes, PortMask tails) {
    state = next(state, {probes, tails}, 2);
    return state.given;
  };
  EXPECT_EQ(edge(0b1000, 0), 0b1000);
  EXPECT_EQ(edge(0b0110, 0), 0b0010) << "two engines: port 2 waits";
  EXPECT_EQ(edge(0b0001, 0), 0) << "and port 0 behind it";
  EXPECT_EQ(edge(0, 0b1000), 0b0100) << "free at the edge at which its message is received";
  EXPECT_EQ(edge(0, 0b0010), 0b0001);
}

TEST(ProcessorRules, ComputationTakesTheCyclesThatLibraryWorkLeaves) {
  Processor state;
  state.work.push_back({nullptr, 10});
  EXPECT_EQ(state.expected_end(), 10U);
  state.account(4, {});
  state.library_until = 9;  // library work from 4 on
  EXPECT_EQ(state.expected_end(), 15U);
  state.account(15, {});
  EXPECT_EQ(state.work.front().left, 0U);
}

TEST(ProcessorRules, PhitsKeepTheCoreFromComputingWhereTheyExcludeIt) {
  Processor state{.exclusive = true};
  state.work.push_back({nullptr, 10});
  state.account(5, {.begun = 1});  // the first phit passed in cycle 4
  EXPECT_EQ(state.work.front().left, 6U);
  EXPECT_EQ(state.expected_end(), never);
  state.account(8, {.ended = 1});
  EXPECT_EQ(state.work.front().left, 6U);
  EXPECT_EQ(state.expected_end(), 14U);
}

TEST(ProcessorRules, IdleCyclesAreThoseWithoutWork) {
  Processor state{.exclusive = true};
  state.library_until = 3;
  state.account(10, {});
  EXPECT_EQ(state.idle, 7U);
  state.account(12, {.begun = 1});
  EXPECT_EQ(state.idle, 8U) << "a phit passed in the last cycle";
}

TEST(Pins, OneThatIsLeftUnboundFailsAtElaborationWithTheNameOfItsModule) {
  const Router lonely("lonely", one_port);
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    FAIL() << "nothing was missed";
  } catch (const sc_core::sc_report& report) {
    EXPECT_HAS(std::string(report.what()), "lonely.");
  }
}

TEST(Warnings, OfSystemCFailTheTestThatTheyComeIn) {
  EXPECT_NONFATAL_FAILURE(SC_REPORT_WARNING("/ecube/test", "an example"), "an example");
}

}  // namespace
}  // namespace ecube::clocked::clocked_modules_test
