// SPDX-License-Identifier: Apache-2.0
// Planes that are tuned (hw/README.md section 14): the worked diagram, stalls, refusals, and random programs on both
// engines.
#include <array>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "tests/hw/both_engines.h"
#include "tests/hw/random_planes.h"
#include "tests/test.h"

namespace ecube::planes_test {
namespace {

using What = PlaneStep::What;

PlaneProgram quiet(unsigned dim, unsigned planes, Cycles retune, PlaneScope scope = PlaneScope::link) {
  PlaneProgram program{.machine = planes_machine(planes), .dim = dim, .conditions = {}, .steps = {}};
  program.machine.plane.retune_cycles = retune;
  program.machine.plane.scope = scope;
  program.machine.library.send_cycles = program.machine.library.send_zero_cycles = 0;
  program.steps.resize(std::size_t{1} << dim);
  return program;
}

/// When tunes are complete and links dark, in order of node, then of plane and mask.
struct Tunings {
  std::vector<std::string> tunes;
  std::vector<std::string> dark;
};

class TuneRecorder final : public Observer {
 public:
  void completed(const Operation& operation, Cycles at) override {
    if (operation.kind != OperationKind::compute || operation.work != Work::tune) return;
    told.tunes.push_back(std::to_string(operation.node) + "/" + std::to_string(operation.port) + " to " +
                         std::to_string(operation.amount) + " at " + std::to_string(at));
  }
  void half_is(HalfState state, NodeId node, unsigned plane, NodeId mask, Cycles at) override {
    if (state == HalfState::closing) asked_[{node, plane}] = at;
    if (state == HalfState::dark && !begun_.emplace(std::tuple(node, plane, mask), at).second) ADD_FAILURE();
    const auto begun = begun_.find({node, plane, mask});
    if (state != HalfState::up || begun == begun_.end()) return;  // of scope plane, where no mask changes
    told.dark.push_back(std::to_string(node) + "/" + std::to_string(plane) + " to " + std::to_string(mask) + " from " +
                        std::to_string(begun->second) + " until " + std::to_string(at));
    cycles += at - begun->second;
    closing += begun->second - asked_.at({node, plane});
    begun_.erase(begun);
  }
  void plane_count(PlaneCount what, NodeId node, bool more, Cycles at) override {
    counts_[node][at][what] += more ? 1 : -1;
  }
  /// Exposed and hidden node-cycles, from edge to edge, when all tunes are complete.
  [[nodiscard]] std::pair<Cycles, Cycles> tuning_cycles() const {
    std::pair<Cycles, Cycles> sums{};
    for (const auto& [node, edges] : counts_) {
      std::array<int, 3> now{};
      for (auto edge = edges.begin(); edge != edges.end(); ++edge) {
        for (std::size_t what = 0; what < now.size(); ++what) now[what] += edge->second[what];
        if (now[plane_changes] == 0) continue;
        const bool exposed = now[plane_waits] > 0 && now[plane_circuits] == 0;
        (exposed ? sums.first : sums.second) += std::next(edge)->first - edge->first;
      }
    }
    return sums;
  }
  Tunings told;
  Cycles cycles = 0;
  Cycles closing = 0;

 private:
  std::map<NodeId, std::map<Cycles, std::array<int, 3>>> counts_;
  std::map<std::pair<NodeId, unsigned>, Cycles> asked_;
  std::map<std::tuple<NodeId, unsigned, NodeId>, Cycles> begun_;
};

/// A run on one engine: when tunes were complete, the counts, and the nodes that wait.
struct PlaneRun : Tunings {
  RunResult result;
  PlaneStatistics planes;
  std::vector<std::string> waits;
};

std::vector<std::string> texts_of(const std::vector<WaitingNode>& waits) {
  std::vector<std::string> texts;
  for (const WaitingNode& wait : waits) {
    texts.push_back(std::to_string(wait.node) +
                    (wait.waits_for == WaitingNode::For::ask    ? " ask of "
                     : wait.waits_for == WaitingNode::For::end  ? " end of "
                     : wait.waits_for == WaitingNode::For::link ? " link to "
                                                                : " other ") +
                    std::to_string(wait.peer) + " plane " + std::to_string(wait.tag) + " since " +
                    std::to_string(wait.since));
  }
  return texts;
}

const Engine& engine_of(const Cube& cube) { return cube.engine(); }
const ClockedCube& engine_of(const ClockedCube& cube) { return cube; }

/// On a machine that has been reset.
template <class AnyCube>
PlaneRun run_on(AnyCube& cube, const PlaneProgram& program) {
  PlaneFirmware firmware(program);
  TuneRecorder recorder;
  cube.observe(&recorder);
  RunResult result = cube.run(firmware.program());
  cube.observe(nullptr);
  for (auto* texts : {&recorder.told.tunes, &recorder.told.dark}) std::sort(texts->begin(), texts->end());
  PlaneRun run{recorder.told, std::move(result), engine_of(cube).plane_statistics(),
               texts_of(engine_of(cube).waiting_nodes(100))};
  EXPECT_EQ(recorder.cycles, run.planes.dark);
  EXPECT_EQ(recorder.closing, run.planes.closing);
  if (run.result.status == RunResult::Status::finished) {
    EXPECT_EQ(recorder.tuning_cycles(), std::pair(run.planes.exposed, run.planes.hidden));
  }
  cube.unload();
  EXPECT_EQ(firmware.wrong(), 0U);
  return run;
}

/// Runs a program on both engines, which have to agree in what they tell of it.
PlaneRun run_both(const PlaneProgram& program) {
  Cube event("cube", program.dim, Hierarchy::flat);
  ClockedCube clocked("clocked", program.machine, program.dim);
  event.reset(program.machine, program.dim, program.conditions);
  clocked.reset(program.machine, program.conditions);
  PlaneRun on_event = run_on(event, program);
  const PlaneRun on_clocked = run_on(clocked, program);
  EXPECT_EQ(on_clocked.tunes, on_event.tunes);
  EXPECT_EQ(on_clocked.dark, on_event.dark);
  EXPECT_EQ(on_clocked.waits, on_event.waits);
  EXPECT_TRUE(on_clocked.planes == on_event.planes);
  EXPECT_EQ(on_clocked.result.status, on_event.result.status);
  EXPECT_EQ(on_clocked.result.fault, on_event.result.fault);
  return on_event;
}

void tune(PlaneProgram& program, NodeId node, NodeId mask, std::uint8_t plane = 0) {
  program.steps[node].push_back({.what = What::tune, .plane = plane, .node = mask});
}
void compute(PlaneProgram& program, NodeId node, Cycles cycles) {
  program.steps[node].push_back({.what = What::compute, .amount = cycles});
}
/// 12 cycles from the edge of call to the one at which the receiver is ready, and one for each byte beyond the first.
void send(PlaneProgram& program, NodeId from, NodeId to, Bytes bytes, std::uint8_t plane = 0) {
  program.steps[from].push_back(
      {.what = What::send, .plane = plane, .node = to, .tag = from, .amount = bytes, .sync = PairwiseSync::off});
  program.steps[to].push_back(
      {.what = What::receive, .node = from, .tag = from, .amount = bytes, .sync = PairwiseSync::off});
}

TEST(Planes, CloseInPairsAsInTheDiagram) {
  PlaneProgram program = quiet(2, 1, 3);
  for (const NodeId node : {0U, 1U, 2U, 3U}) tune(program, node, 1);
  send(program, 0, 1, 2);  // the tail is driven at 9, and node 0 calls at 6, before
  const std::array<Cycles, 4> calls{6, 8, 9, 9};
  for (const NodeId node : {0U, 1U, 2U, 3U}) {
    compute(program, node, calls[node]);
    tune(program, node, 2);
  }
  const PlaneRun run = run_both(program);
  EXPECT_EQ(run.tunes,
            (std::vector<std::string>{"0/0 to 1 at 0", "0/0 to 2 at 14", "1/0 to 1 at 0", "1/0 to 2 at 14",
                                      "2/0 to 1 at 0", "2/0 to 2 at 14", "3/0 to 1 at 0", "3/0 to 2 at 14"}));
  EXPECT_EQ(run.dark, (std::vector<std::string>{"0/0 to 2 from 11 until 14", "1/0 to 2 from 11 until 14",
                                                "2/0 to 2 from 10 until 14", "3/0 to 2 from 10 until 14"}));
  EXPECT_EQ(run.planes.changes, 4U);
  EXPECT_EQ(run.planes.closing, 6U);
  EXPECT_EQ(run.planes.dark, 14U);
  EXPECT_EQ(run.planes.exposed, 0U);
  EXPECT_EQ(run.planes.hidden, 20U);
}

TEST(Planes, OfScopePlaneWaitForAllNodes) {
  PlaneProgram program = quiet(2, 1, 5, PlaneScope::plane);
  for (const NodeId node : {0U, 1U, 2U, 3U}) {
    tune(program, node, 1);
    compute(program, node, 10 + node);
    tune(program, node, 3);
    tune(program, node, 3);
  }
  const PlaneRun run = run_both(program);
  // The last asks at 13; dark from 14 to 18; the second tune is asked for at 19 and changes nothing: 20 + 1.
  std::vector<std::string> expected;
  for (const std::string& node : std::vector<std::string>{"0", "1", "2", "3"}) {
    for (const char* const tune : {" to 1 at 0", " to 3 at 19", " to 3 at 21"}) expected.push_back(node + "/0" + tune);
  }
  EXPECT_EQ(run.tunes, expected);
  EXPECT_EQ(run.planes.closing, 4U + 3U + 2U + 1U);
  EXPECT_EQ(run.planes.dark, 20U);
}

TEST(Planes, HoldALaterSendUntilTheirLinkIsUp) {
  PlaneProgram program = quiet(2, 1, 10);
  for (const NodeId node : {0U, 1U, 2U, 3U}) {
    tune(program, node, 1);
    tune(program, node, 2);
  }
  send(program, 0, 2, 5);
  const PlaneRun run = run_both(program);
  EXPECT_EQ(run.result.cycles, 11U + 12U + 4U) << "asked at 0, dark from 1 to 10, then a message of 5 phits";
  EXPECT_EQ(run.planes.exposed, 11U) << "node 0 waits";
  EXPECT_EQ(run.planes.hidden, 33U) << "the others do not";
}

TEST(Planes, NameWhoHasNotAsked) {
  PlaneProgram program = quiet(2, 1, 4);
  for (const NodeId node : {0U, 1U, 2U, 3U}) tune(program, node, 1);
  compute(program, 0, 7);
  tune(program, 0, 2);
  const PlaneRun run = run_both(program);
  EXPECT_EQ(run.result.status, RunResult::Status::stalled);
  EXPECT_EQ(run.waits, (std::vector<std::string>{"0 ask of 1 plane 0 since 7"}));
}

TEST(Planes, ChangedInOppositeOrdersStall) {
  PlaneProgram program = quiet(2, 2, 4);
  for (const NodeId node : {0U, 1U, 2U, 3U}) {
    tune(program, node, 1, 0);
    tune(program, node, 1, 1);
    const std::uint8_t first = node == 0 ? 0 : 1;
    program.steps[node].push_back({});
    tune(program, node, 2, first);
    program.steps[node].push_back({});
    tune(program, node, 2, first ^ 1U);
  }
  const PlaneRun run = run_both(program);
  EXPECT_EQ(run.result.status, RunResult::Status::stalled);
  ASSERT_FALSE(run.waits.empty());
  EXPECT_EQ(run.waits.front(), "0 ask of 1 plane 0 since 0");
}

TEST(Planes, RefuseWhatTheyCannotDo) {
  Cube cube("cube", 2, Hierarchy::flat);
  const auto fault = [&](PlaneStep step) {
    PlaneProgram program = quiet(2, 2, 4);
    program.steps[0].push_back(step);
    cube.reset(program.machine, program.dim, program.conditions);
    return run_on(cube, program).result.fault;
  };
  EXPECT_NE(fault({.what = What::send, .plane = automatic_port, .node = 1}).find("by no plane"), std::string::npos);
  EXPECT_NE(fault({.what = What::send, .node = 0}).find("sends to itself"), std::string::npos);
}

/// A tune that ends at edge 5 counts, also if one that never ends begins there.
TEST(Planes, CountWhatEndsAtAnEdgeBeforeWhatBegins) {
  for (const bool ends_first : {true, false}) {
    PlaneTimes times;
    times.reset(1);
    times.begins(0, plane_changes, 1);
    if (ends_first) times.ends(0, plane_changes, 5);
    times.begins(0, plane_changes, 5);
    if (!ends_first) times.ends(0, plane_changes, 5);
    EXPECT_EQ(times.totals().hidden, 4U);
  }
}

/// Random programs, until `wanted` circuits have been compared.
void compare(std::size_t wanted) {
  BothEngines engines;
  for (unsigned dim = 1; dim <= 4; ++dim) {
    for (unsigned planes = 1; planes <= 3; ++planes) engines.elaborate(planes_machine(planes), dim);
  }
  const Compared all = compare_programs(engines, {.circuits = wanted}, 1, [](std::uint64_t seed) {
    return random_planes(seed, static_cast<unsigned>(1 + seed % 4), static_cast<unsigned>(1 + seed / 4 % 3));
  });
  EXPECT_GT(all.finished, all.programs / 2) << "most programs stall";
  EXPECT_LT(all.finished, all.programs) << "no program stalls";
  EXPECT_GT(all.planes.changes, all.circuits / 4);
  EXPECT_GT(all.planes.exposed, 0U);
  EXPECT_GT(all.planes.hidden, 0U);
}

TEST(Planes, NoEdgeOfRandomTuningsDiffersFromTheEventEngine) {
  compare(all_cases ? 100'000 : std::max<std::size_t>(random_cases(10'000), 2000));
}

}  // namespace
}  // namespace ecube::planes_test
