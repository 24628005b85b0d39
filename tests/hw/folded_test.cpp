// SPDX-License-Identifier: Apache-2.0
// One node in the place of all (hw/README.md section 13): equal to the event engine wherever no two circuits meet, and
// refused wherever they do.
#include "hw/folded/cube.h"
#include "models/contract/node_ports.h"
#include "sw/api/barrier.h"
#include "sw/api/firmware.h"
#include "tests/draws.h"
#include "tests/hw/both_engines.h"
#include "tests/test.h"

namespace ecube::folded_test {
namespace {

/// What every node does in a step: exchanges with the nodes across these masks, all at once, then computation.
struct Step {
  struct Meeting {
    NodeId mask = 1;
    Bytes bytes = 0;
    PairwiseSync sync = PairwiseSync::on;
    Cycles later = 0;  ///< asked for so many cycles after the begin of the step
    Bytes room = as_sent;
  };
  std::vector<Meeting> meetings;
  Cycles cycles = 0;
  bool synchronised = false;  ///< a barrier comes first
};

Task<> meet(Node& node, Step::Meeting meeting, std::uint32_t tag) {
  if (meeting.later > 0) co_await node.until(node.now() + meeting.later);
  co_await node.exchange({.with = node.id() ^ meeting.mask,
                          .tag = tag,
                          .bytes = meeting.bytes,
                          .room = meeting.room,
                          .sync = meeting.sync});
}

/// The program of every node.
Firmware::Body body_of(const std::vector<Step>& steps) {
  return [&steps](Node& node) -> Task<> {
    std::uint32_t tag = 0;
    for (const Step& step : steps) {
      if (step.synchronised) co_await barrier(node);
      std::vector<Task<>> meetings;
      for (const Step::Meeting& meeting : step.meetings) meetings.push_back(meet(node, meeting, tag++));
      co_await node.all(meetings);
      if (step.cycles > 0) co_await node.compute(step.cycles);
    }
  };
}

/// All that a machine says of a run: its end, its counts, and those of each link.
std::string figures(Cycles cycles, const RunStatistics& s, const Links& links) {
  return std::to_string(cycles) + " cycles, " + counted(s) + "\n" + all_links(links);
}

/// The same run on both machines.
class Both {
 public:
  Both(const Machine& machine, unsigned dim, const std::vector<Step>& steps) {
    static Cube cube("cube", 7, Hierarchy::flat);
    cube.reset(machine, dim);
    Firmware whole(body_of(steps));
    const RunResult result = cube.run(whole);
    finished = result.status == RunResult::Status::finished;
    counts = cube.engine().statistics();
    unfolded = figures(result.cycles, counts, cube);
    FoldedCube one;
    Firmware alone(body_of(steps));
    try {
      one.reset(machine, dim, {});
      const Cycles end = one.run(alone).cycles;
      folded = figures(end, one.statistics(), one);
    } catch (const NotFolded& problem) {
      refusal = problem.what();
    }
    cube.unload();
  }

  std::string unfolded;
  std::string folded;
  std::string refusal;
  RunStatistics counts;
  bool finished = false;

  [[nodiscard]] std::uint64_t waits() const {
    return counts.link_blocked.circuits + counts.port_blocked.circuits + counts.serialised.circuits + counts.lost;
  }
};

Machine drawn_machine(Draws& draws, unsigned dim) {
  Machine machine;
  machine.link.phit_bytes = draws.of({1U, 4U});
  machine.link.cycles_per_phit = draws.of({Ratio{1, 1}, Ratio{3, 1}, Ratio{7, 2}, Ratio{1576, 25}});
  machine.router.route_cycles = 1 + draws.up_to(11);
  machine.network.accept_cycles = 1 + draws.up_to(3);
  machine.library.send_cycles = draws.of({0U, 20U, 100U, 777U});
  machine.library.send_zero_cycles = draws.of({0U, 20U, 60U});
  machine.library.signal_send_cycles = machine.library.send_zero_cycles;
  machine.library.receive_cycles = draws.of({0U, 7U, 300U});
  machine.library.receive_zero_cycles = draws.of({0U, 5U, 40U});
  machine.library.signal_receive_cycles = draws.of({0U, 9U});
  machine.node.ports.engines = draws.of({1U, 1U, Ports::n, Ports::n, 2U});
  machine.node.startups = draws.of({Startups::queued, Startups::overlapped});
  machine.node.overlap = draws.of({Overlap::on, Overlap::off});
  machine.library.protocol = draws.of({Protocol::none, Protocol::none, Protocol::forced});
  if (draws.up_to(3) == 0) {
    machine.network.distance = Distance::fixed;
    machine.network.setup_cycles = (dim + 1) * (machine.router.route_cycles + 3) + machine.network.accept_cycles + 40;
  }
  if (draws.up_to(3) == 0) {
    machine.network.duplex = Duplex::together;
    machine.network.together_cycles = draws.of({0U, 10U, 2000U});
  }
  return machine;
}

std::vector<Step> drawn_steps(Draws& draws, unsigned dim, std::uint64_t most_at_once) {
  std::vector<Step> steps;
  for (std::uint64_t left = 1 + draws.up_to(5); left > 0; --left) {
    Step step{.meetings = {}, .cycles = draws.of({0U, 0U, 50U, 3000U}), .synchronised = draws.up_to(3) == 0};
    for (std::uint64_t meetings = 1 + draws.up_to(most_at_once - 1); meetings > 0; --meetings) {
      step.meetings.push_back({.mask = static_cast<NodeId>(1 + draws.up_to((NodeId{1} << dim) - 2)),
                               .bytes = draws.of({0U, 1U, 16U, 100U, 1000U}),
                               .sync = draws.of({PairwiseSync::on, PairwiseSync::off}),
                               .later = draws.of({0U, 0U, 3U, 200U})});
    }
    steps.push_back(step);
  }
  return steps;
}

/// A run that folds is the same run and nothing waits in it. One that is refused, and has not been refused for the
/// order in which a node is asked, has circuits that wait.
TEST(Folded, IsTheWholeMachineOrIsRefusedOnRandomProgramsOnRandomMachines) {
  std::uint64_t folded = 0;
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(all_cases ? 40'000 : 2'000); ++seed) {
    Draws draws(seed);
    const unsigned dim = static_cast<unsigned>(1 + draws.up_to(4));
    const Machine machine = drawn_machine(draws, dim);
    const std::vector<Step> steps = drawn_steps(draws, dim, draws.of({1U, 2U, 3U}));
    const Both both(machine, dim, steps);
    if (both.refusal.empty()) {
      ++folded;
      ASSERT_EQ(both.folded, both.unfolded) << "seed " << seed;
      ASSERT_EQ(both.waits(), 0U) << "seed " << seed;
    } else {
      ++refused;
      const bool for_circuits = both.refusal.starts_with("link") || both.refusal.starts_with("eject") ||
                                both.refusal.starts_with("receive engine") || both.refusal.starts_with("node 0 would");
      if (for_circuits) {
        ASSERT_GT(both.waits(), 0U) << "seed " << seed << ": " << both.refusal;
      }
    }
  }
  EXPECT_GT(folded, refused / 4);
  EXPECT_GT(refused, folded / 4);
}

Machine with_ports(std::uint32_t engines) {
  Machine machine;
  machine.node.ports.engines = engines;
  return machine;
}

/// 0 to 3 goes by dimensions 0 and 1, 0 to 2 by dimension 1 alone: at r = 1 the first asks for dimension 1 two cycles
/// after the second, which then holds it. At node 1 these are 0->3 and 1->3; of those that meet on the link 0:1, 0->2
/// and 1->2.
TEST(FoldedRefuses, TwoCircuitsOnOneLink) {
  const Both both(with_ports(Ports::n), 3, {{.meetings = {{.mask = 2, .bytes = 50}, {.mask = 3, .bytes = 50}}}});
  EXPECT_EQ(both.refusal,
            "link 0:1 is needed at one time by 0->2 tag 0 (cycles 102 to 159) and 1->2 tag 1 (cycles 104 to 163)");
  EXPECT_GT(both.counts.link_blocked.circuits, 0U);
  EXPECT_EQ(both.counts.port_blocked.circuits, 0U);
}

/// The second asks two cycles later, so that both ask for the link of dimension 1 at the edge 104.
TEST(FoldedRefuses, TwoCircuitsThatAnArbiterWouldHaveToChooseFrom) {
  const Both both(with_ports(Ports::n), 3,
                  {{.meetings = {{.mask = 2, .bytes = 50, .later = 2}, {.mask = 3, .bytes = 50}}}});
  EXPECT_EQ(both.refusal,
            "link 0:1 is asked for at one edge by 1->2 tag 1 (cycles 104 to 163) and 0->2 tag 0 (cycles 104 to 161)");
  EXPECT_GT(both.counts.link_blocked.circuits, 0U);
}

/// The first circuit's tail is driven at edge 157 and passes router 0 at 158: the link can be granted again at 159, and
/// the second circuit asks for it 4 edges after its probe was driven.
TEST(FoldedRefuses, NothingWhereTheSecondCircuitComesAtTheEdgeOfRelease) {
  const auto later = [](Cycles cycles) {
    return Both(with_ports(Ports::n), 3,
                {{.meetings = {{.mask = 2, .bytes = 50}, {.mask = 3, .bytes = 50, .later = cycles}}}});
  };
  const Both met = later(54);
  EXPECT_EQ(met.refusal,
            "link 0:1 is needed at one time by 0->2 tag 0 (cycles 102 to 159) and 1->2 tag 1 (cycles 158 to 217)");
  EXPECT_GT(met.waits(), 0U);
  const Both apart = later(55);
  EXPECT_EQ(apart.refusal, "");
  EXPECT_EQ(apart.folded, apart.unfolded);
  EXPECT_EQ(apart.waits(), 0U);
}

TEST(FoldedRefuses, SendsThatWaitForAPortOfTheirNode) {
  const Both both(with_ports(1), 3, {{.meetings = {{.mask = 1, .bytes = 50}, {.mask = 2, .bytes = 50, .later = 120}}}});
  EXPECT_EQ(both.refusal.substr(0, 49), "inject port 0:0 is needed at one time by 0->1 tag");
}

/// Circuits that leave by different ports and come by the same dimension, which their last link is, too.
TEST(FoldedRefuses, MoreMessagesThanEngines) {
  const std::vector<Step> steps{
      {.meetings = {{.mask = 1, .bytes = 9}, {.mask = 2, .bytes = 9}, {.mask = 4, .bytes = 9}}}};
  EXPECT_EQ(Both(with_ports(3), 4, steps).refusal, "");
  EXPECT_EQ(Both(with_ports(2), 4, steps).refusal.substr(0, 45), "send engine of node 0 is asked for at one edg");
}

/// 0->15 drives its tail at edge 25: its send engine is free at 26, and its receive engine at 32. The probe of 0->2 is
/// at the interface 5 edges after it was driven, and asks for a receive engine there.
TEST(FoldedRefuses, MoreArrivalsThanReceiveEngines) {
  Machine machine = with_ports(2);
  machine.library.send_cycles = 0;
  const auto later = [&](Cycles cycles) {
    return Both(
        machine, 5,
        {{.meetings = {
              {.mask = 15, .bytes = 9}, {.mask = 16, .bytes = 400}, {.mask = 2, .bytes = 9, .later = cycles}}}});
  };
  EXPECT_EQ(later(25).refusal.substr(0, 38), "send engine of node 0 is needed at one");
  const Both both = later(26);
  EXPECT_EQ(both.refusal,
            "receive engine of node 0 is needed at one time by 15->0 tag 0 (cycles 11 to 32) and 2->0 tag 2 (cycles "
            "31 to 46)");
  EXPECT_GT(both.counts.port_blocked.circuits, 0U);
  EXPECT_EQ(later(27).refusal, "");
}

/// The second begins in the midst of the first.
TEST(FoldedRefuses, CircuitsThatWouldHaveToBeginTogether) {
  Machine machine = with_ports(Ports::n);
  machine.network.duplex = Duplex::together;
  machine.network.together_cycles = 5;
  const auto later = [&](Cycles cycles) {
    return Both(machine, 3, {{.meetings = {{.mask = 1, .bytes = 90}, {.mask = 2, .bytes = 90, .later = cycles}}}});
  };
  EXPECT_EQ(later(1).refusal, "");
  const Both both = later(40);
  EXPECT_EQ(both.refusal,
            "node 0 would accept 2->0 tag 1 (cycles 40 to 238) only after it has sent 0->1 tag 0 (cycles 0 to 198)");
  EXPECT_GT(both.counts.serialised.circuits, 0U);
}

TEST(FoldedRefuses, SynchronisationsThatEndTogether) {
  Machine machine = with_ports(Ports::n);
  machine.library.protocol = Protocol::forced;
  const Both both(machine, 3, {{.meetings = {{.mask = 1, .bytes = 5}, {.mask = 2, .bytes = 5}}}});
  EXPECT_HAS(both.refusal, "synchronisations 0->1 and 0->2 end together, in the order of the nodes' labels");
}

TEST(FoldedRefuses, PartnersThatExpectAnotherLength) {
  const Both both(Machine{}, 2, {{.meetings = {{.mask = 1, .bytes = 5, .room = 9}}}});
  EXPECT_EQ(both.refusal,
            "partners send each other messages of different lengths: node 0 sends 5 bytes to node 1 and "
            "expects 9");
}

std::string refusal_of(const Firmware::Body& body, const Machine& machine = {}, const RunConditions& conditions = {}) {
  Firmware program(body);
  FoldedCube cube;
  try {
    cube.reset(machine, 3, conditions);
    (void)cube.run(program);
  } catch (const NotFolded& problem) {
    return problem.what();
  }
  return {};
}

TEST(FoldedRefuses, ProgramsThatAreNotTheSameOnAllNodes) {
  EXPECT_EQ(refusal_of([](Node& node) -> Task<> { co_await node.send({.to = 1, .bytes = 3}); }),
            "its nodes send messages one way");
  EXPECT_EQ(refusal_of([](Node& node) -> Task<> { co_await node.receive({.from = 1, .bytes = 3}); }),
            "its nodes receive messages one way");
  EXPECT_EQ(refusal_of([](Node&) -> Task<> {
              throw std::runtime_error("no");
              co_return;
            }),
            "the program of node 0 failed: no");
  EXPECT_EQ(refusal_of([](Node&) -> Task<> { co_await std::suspend_always{}; }),
            "its program waits for what never comes");
  EXPECT_EQ(refusal_of([](Node&) -> Task<> { co_return; }), "");
}

TEST(FoldedRefuses, MachinesAndConditionsThatTellNodesApart) {
  const auto nothing = [](Node&) -> Task<> { co_return; };
  Machine buffered;
  buffered.library.protocol = Protocol::unforced;
  Machine worms;
  worms.network.switching = Switching::wormhole;
  Machine packets;
  packets.network.switching = Switching::store_and_forward;
  for (const Machine& machine : {buffered, worms, packets}) EXPECT_NE(refusal_of(nothing, machine), "");
  EXPECT_NE(refusal_of(nothing, {}, {.jitter = 1}), "");
  EXPECT_NE(refusal_of(nothing, {}, {.failures = {{.node = 1, .output = {}}}}), "");
}

TEST(FoldedHolds, OverlapFromTheFirstCycleOfTheOneToTheLastOfTheOther) {
  const auto hold = [](Cycles from, Cycles until) { return folded::Hold{.way = 1, .from = from, .until = until}; };
  for (Cycles from = 0; from < 20; ++from)
    for (Cycles until = from + 1; until < 20; ++until) {
      folded::Holds holds(1);
      EXPECT_FALSE(holds.add(hold(8, 12), 0));
      bool shared = false;
      for (Cycles at = from; at < until; ++at) shared = shared || (at >= 8 && at < 12);
      EXPECT_EQ(holds.add(hold(from, until), 0).has_value(), shared) << from << " " << until;
    }
}

/// Against counting in every cycle.
TEST(FoldedHolds, HaveRoomForAsManyAsTheyHave) {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    Draws draws(seed);
    const auto room = static_cast<unsigned>(1 + draws.up_to(2));
    folded::Holds holds(room);
    std::vector<unsigned> taken(40, 0);
    for (;;) {
      const Cycles from = draws.up_to(30);
      const Cycles until = from + 1 + draws.up_to(8);
      bool full = false;
      for (Cycles at = from; at < until; ++at) full = ++taken[at] > room || full;
      ASSERT_EQ(holds.add({.way = 1, .from = from, .until = until}, 0).has_value(), full) << "seed " << seed;
      if (full) break;
    }
  }
}

TEST(Translation, TakesTheNamedNodesToTheirImages) {
  for (NodeId from = 0; from < 8; ++from)
    for (NodeId to = 0; to < 8; ++to)
      for (NodeId by = 0; by < 8; ++by) {
        EXPECT_EQ(translated(name_of_pair(from, to, 5), by), name_of_pair(from ^ by, to ^ by, 5));
        EXPECT_EQ(name_of_pair(from, to) == name_of_pair(by, to), from == by);
      }
  EXPECT_EQ(translated(1234, 5), 1234U);
}

}  // namespace
}  // namespace ecube::folded_test
