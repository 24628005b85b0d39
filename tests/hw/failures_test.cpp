// SPDX-License-Identifier: Apache-2.0
// Links and nodes that fail: the edges of hw/README.md section 12 by hand, and the same edges on the event engine and
// in clocked modules for random programs on random machines.
#include "tests/hw/both_engines.h"
#include "tests/test.h"

namespace ecube::failures_test {
namespace {

/// What a run of one message from node 0 to node 3 (two hops, three phits) leaves behind.
struct OneMessage {
  RunResult result;
  RunStatistics counts;
  CircuitRecorder edges;

  OneMessage(BothEngines& engines, const Machine& machine, std::vector<Failure> failures) {
    Firmware firmware([](Node& node) -> Task<> {
      if (node.id() == 0) co_await node.send({.to = 3, .tag = 7, .bytes = 3});
      if (node.id() == 3) (void)co_await node.receive({.from = 0, .tag = 7, .bytes = 3});
    });
    result = engines.run_event(firmware, machine, 2, {.failures = std::move(failures)}, edges);
    counts = engines.event().engine().statistics();
  }
  [[nodiscard]] bool has(const std::string& what) {
    const auto& all = edges.edges();
    return std::any_of(all.begin(), all.end(),
                       [&](const RecordedEdge& edge) { return edge.what.find(what) != std::string::npos; });
  }
  [[nodiscard]] std::string cut() const {
    if (counts.cut != 1) return std::to_string(counts.cut) + " cut";
    const CutCircuit& circuit = counts.first_cut.front();
    constexpr std::array lost{"probe", "acknowledge", "tail"};
    return std::string(lost[static_cast<std::size_t>(circuit.lost)]) + " on " + std::to_string(circuit.link.node) +
           ":" + std::to_string(circuit.link.output) + " at " + std::to_string(circuit.at);
  }
};

void without_startups(Machine& machine) {
  Machine::Library& library = machine.library;
  library.send_cycles = library.send_zero_cycles = library.receive_cycles = library.receive_zero_cycles = 0;
}

/// r = 1, A = 1, c = 1, no start-ups: probe at edge 0, g_0 = 2, g_1 = 4, g_2 = 6, acceptance at 7, acknowledge driven
/// at 7 by the interface, at 8, 9 and 10 by routers 2, 1 and 0; T0 = 11, Tt = 13, x_0 = 14, x_1 = 15, x_2 = 16,
/// receiver ready at 18.
Machine plain() {
  Machine machine = machine_of({.dim = 2, .engines = 1});
  machine.link.phit_bytes = 1;
  without_startups(machine);
  return machine;
}

TEST(Failures, ALinkLosesWhatIsDrivenFromItsEdgeOnAndNothingBefore) {
  BothEngines engines;
  const auto cut_by = [&engines](NodeId node, unsigned dimension, Cycles from) {
    OneMessage run(engines, plain(), {{node, dimension, from}});
    return run.result.status == RunResult::Status::finished ? "ends at " + std::to_string(run.result.cycles)
                                                            : run.cut();
  };
  EXPECT_EQ(cut_by(0, 0, 2), "probe on 0:0 at 2");
  EXPECT_EQ(cut_by(0, 0, 3), "acknowledge on 0:0 at 9");
  EXPECT_EQ(cut_by(0, 0, 9), "acknowledge on 0:0 at 9");
  EXPECT_EQ(cut_by(0, 0, 10), "tail on 0:0 at 14");
  EXPECT_EQ(cut_by(0, 0, 14), "tail on 0:0 at 14");
  EXPECT_EQ(cut_by(0, 0, 15), "ends at 18");
  EXPECT_EQ(cut_by(1, 1, 4), "probe on 1:1 at 4");
  EXPECT_EQ(cut_by(1, 1, 8), "acknowledge on 1:1 at 8");
  EXPECT_EQ(cut_by(1, 1, 15), "tail on 1:1 at 15");
  EXPECT_EQ(cut_by(1, 1, 16), "ends at 18");
  EXPECT_EQ(cut_by(1, 0, 0), "ends at 18") << "the other direction of the cable is another link";
}

TEST(Failures, RoutersBeforeALostTailLetGoAndThoseBehindItDoNot) {
  BothEngines engines;
  OneMessage run(engines, plain(), {{1, 1, 15}});
  EXPECT_TRUE(run.has("output 0 free again"));
  EXPECT_TRUE(run.has("output 1 free again"));
  EXPECT_FALSE(run.has("output 2 free again")) << "the eject port of node 3 waits for the tail";
  EXPECT_TRUE(run.has("first phit arrives"));
  EXPECT_TRUE(run.has("send, operation 0, is complete"));
  EXPECT_FALSE(run.has("receive, operation 0, is complete"));
}

TEST(Failures, ADeadNodeTakesItsLinksWithItAndItsProgramEnds) {
  BothEngines engines;
  EXPECT_EQ(OneMessage(engines, plain(), {{1, {}, 4}}).cut(), "probe on 1:1 at 4") << "a link that leaves node 1";
  EXPECT_EQ(OneMessage(engines, plain(), {{1, {}, 2}}).cut(), "probe on 0:0 at 2") << "a link that enters node 1";
  OneMessage dead(engines, plain(), {{3, {}, 18}});
  EXPECT_EQ(dead.result.status, RunResult::Status::stalled);
  EXPECT_EQ(dead.counts.circuits, 1U) << "the message has arrived";
  EXPECT_EQ(OneMessage(engines, plain(), {{3, {}, 19}}).result.status, RunResult::Status::finished);
}

/// Section 10 with c = 2, B = 1: the probe leaves the interface at 0, the routers at 2, 4 and 6.
TEST(Failures, ADeadLinkStopsAWorm) {
  BothEngines engines;
  Machine machine = machine_of({.dim = 2, .engines = 1, .buffer = 1});
  machine.link.phit_bytes = 1;
  without_startups(machine);
  OneMessage before(engines, machine, {{1, 1, 4}});
  EXPECT_FALSE(before.has("grant of output 1")) << "no word leaves onto the link at the failure's edge or later";
  EXPECT_EQ(before.counts.cut, 0U) << "a worm is stopped, and none of its words is lost";
  OneMessage after(engines, machine, {{1, 1, 5}});
  EXPECT_TRUE(after.has("grant of output 1")) << "the probe has left at edge 4";
  EXPECT_FALSE(after.has("free again"));
  EXPECT_EQ(after.result.status, RunResult::Status::stalled);
}

TEST(Failures, NoEdgeOfRandomProgramsDiffersBetweenTheEngines) {
  const Shapes shapes = shapes_of({1, 2, 3, 4});
  BothEngines engines(shapes);
  const Compared wanted{.programs = given("ECUBE_CASES", random_cases(300))};
  const Compared all = compare_programs(engines, wanted, given("ECUBE_SEED", 1), [&](std::uint64_t seed) {
    RandomProgram program = random_program(seed, shapes);
    program.conditions.failures = random_failures(seed, program);
    return program;
  });
  if (all.programs < 20) return;
  EXPECT_GT(all.cut, all.programs / 2) << "few circuits are cut";
  EXPECT_LT(all.finished, all.programs) << "every program ends in spite of the failures";
}

}  // namespace
}  // namespace ecube::failures_test
