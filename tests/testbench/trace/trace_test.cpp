// SPDX-License-Identifier: Apache-2.0
// Waveforms read back: their signals against the links' statistics, against cycles worked out by hand, and against each
// other. Waits and their chains.
#include <fmt/core.h>

#include "hw/cube.h"
#include "sw/traffic/traffic.h"
#include "testbench/trace/run_trace.h"
#include "testbench/trace/wait_chains.h"
#include "tests/machines.h"
#include "tests/test.h"
#include "tests/testbench/machine/diagram_machine.h"
#include "tests/testbench/shared_bench.h"
#include "tests/testbench/trace/fst_file.h"

namespace ecube::trace_test {
namespace {

constexpr auto bench = shared_bench<5>;

/// The waits of each circuit for outputs, from the engine alone.
class Waits final : public Observer {
 public:
  struct Interval {
    NodeId router = 0;
    unsigned output = 0;
    Cycles from = 0;
    Cycles until = 0;
  };
  void granted(CircuitId, const CircuitRecord&, NodeId router, unsigned output, Cycles asked, Cycles at) override {
    if (at > asked) intervals.push_back({router, output, asked, at});
  }
  std::vector<Interval> intervals;
};

/// A run of traffic with a trace in a directory of its own.
struct Traced {
  Traced(const RunSetup& setup, const std::vector<TrafficMessage>& messages, WaveFormat format = WaveFormat::fst,
         const TraceWindow& window = {})
      : file(format == WaveFormat::fst ? "w.fst" : "w.vcd"),
        trace({.format = format, .file = directory / file, .window = window}, setup, &files) {
    ObserverList observers;
    observers.add(trace.observers());
    observers.add(waits);
    const TrafficPlan plan(messages, Topology::cube(setup.dim));
    Traffic traffic(plan, nullptr, TrafficOperations::separate);
    Firmware firmware([&](Node& node) { return traffic.run(node); });
    run = bench().run_aside(setup, firmware, {}, &observers);
    EXPECT_EQ(run.result.status, RunResult::Status::finished);
    EXPECT_EQ(traffic.wrong(), 0U);
    EXPECT_EQ(trace.finish(bench().cube(), run.result.cycles), RunTrace::Outcome::whole);
  }
  [[nodiscard]] FstFile waves() const { return FstFile(files.file(file)); }

  Directory directory;
  StagedFiles files{directory / ""};
  std::string file;
  RunTrace trace;
  Waits waits;
  RunMeasurement run;
};

std::vector<TrafficMessage> busy_traffic(unsigned dim, double rate, std::uint64_t seed) {
  return make_traffic({.messages = 60, .rate = rate, .bytes = 400, .seed = seed}, Topology::cube(dim));
}

std::uint64_t value_of(const std::string& digits) { return std::stoull(digits, nullptr, 2); }

/// The sum of what `weight` makes of each value, over the cycles of the file.
template <class Weight>
std::uint64_t integral(const WaveChanges& changes, const WaveTime& time, Cycles end, const Weight& weight) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Cycles until = i + 1 < changes.size() ? time.cycle(changes[i + 1].first) : end;
    sum += weight(value_of(changes[i].second)) * (until - time.cycle(changes[i].first));
  }
  return sum;
}

std::uint64_t integral(const WaveChanges& changes, const WaveTime& time, Cycles end) {
  return integral(changes, time, end, [](std::uint64_t value) { return value; });
}

/// Cycles in which a state is not the first one.
std::uint64_t active(const WaveChanges& changes, const WaveTime& time, Cycles end) {
  return integral(changes, time, end, [](std::uint64_t value) { return value != 0 ? 1U : 0U; });
}

std::string link_name(NodeId node, unsigned dimension) {
  return fmt::format("cube.node{}.router.link{}.", node, dimension);
}

std::vector<std::pair<std::string, Machine>> machines() {
  return {{"one port", preset_machine("ideal")},
          {"7 MHz", preset_machine("ideal", {"clock=7 MHz", "core.clock=7 MHz"})},
          {"n ports", preset_machine("ideal", Ports::n)},
          {"two engines", preset_machine("ideal", 2)},
          {"ipsc860", preset_machine("ipsc860")},
          {"ipsc2", preset_machine("ipsc2")},
          {"stored", preset_machine("ipsc1")},
          {"worms", preset_machine("ncube2")},
          {"worms, buffers of 4", preset_machine("ncube2", {"router.buffer=4 B"})}};
}

/// Compares every link's signals with the statistics of the run. Returns the blocked cycles of all links.
Cycles expect_statistics(const FstFile& waves, const Machine& machine, unsigned dim) {
  const WaveTime time = WaveTime::of_clock(static_cast<std::uint64_t>(machine.clock_hz));
  EXPECT_EQ(waves.exponent, time.exponent);
  const Cycles end = time.cycle(waves.end);
  Cycles blocked = 0;
  for (NodeId node = 0; node >> dim == 0; ++node)
    for (unsigned dimension = 0; dimension < dim; ++dimension) {
      const std::string link = link_name(node, dimension);
      const LinkStatistics statistics = bench().cube().engine().statistics({node, dimension});
      EXPECT_EQ(integral(waves.signals.at(link + "waiting"), time, end), statistics.blocked) << link;
      // Owned from grant to the first edge at which it could be granted again: busy, and an edge of turnaround.
      EXPECT_EQ(active(waves.signals.at(link + "state"), time, end), statistics.busy + statistics.circuits) << link;
      EXPECT_EQ(value_of(waves.signals.at(link + "bytes").back().second), statistics.bytes) << link;
      EXPECT_EQ(waves.signals.at(link + "owner").back().second, "-") << link;
      blocked += statistics.blocked;
    }
  return blocked;
}

TEST(Waves, WaitingAddsUpToTheBlockedCyclesOfEveryLink) {
  for (const auto& [name, machine] : machines()) {
    SCOPED_TRACE(name);
    const RunSetup setup{.machine = machine, .dim = 4, .conditions = {.jitter = 20, .seed = 3}};
    const Traced traced(setup, busy_traffic(4, 40, 5));
    // Where packets are stored, only the port of its own node asks for a link.
    EXPECT_EQ(expect_statistics(traced.waves(), machine, 4) > 0, name != "stored");
    EXPECT_GT(traced.run.network.link_blocked.circuits + traced.run.network.port_blocked.circuits, 0U);
  }
}

TEST(Waves, OfManyBlocksAddUpToo) {
  const Machine machine = preset_machine("ideal");
  const Traced traced({.machine = machine, .dim = 5, .conditions = {}},
                      make_traffic({.messages = 600, .rate = 40, .bytes = 40, .seed = 7}, Topology::cube(5)));
  const FstFile waves = traced.waves();
  EXPECT_GT(waves.blocks, 5U);
  EXPECT_GT(expect_statistics(waves, machine, 5), 0U);
}

TEST(Waves, OfAWindowAddUpToWhatWasBlockedInIt) {
  const RunSetup setup{.machine = preset_machine("ideal"), .dim = 4, .conditions = {.jitter = 0, .seed = 1}};
  for (const TraceWindow window : {TraceWindow{700, 1500}, TraceWindow{0, 999}, TraceWindow{1234, never}}) {
    const Traced traced(setup, busy_traffic(4, 60, 9), WaveFormat::fst, window);
    const FstFile waves = traced.waves();
    const WaveTime time = WaveTime::of_clock(static_cast<std::uint64_t>(setup.machine.clock_hz));
    EXPECT_EQ(time.cycle(waves.begin), window.from);
    if (window.until != never) {
      EXPECT_EQ(time.cycle(waves.end), window.until);
    }
    std::uint64_t all = 0;
    for (NodeId node = 0; node < 16; ++node)
      for (unsigned dimension = 0; dimension < 4; ++dimension) {
        std::uint64_t expected = 0;
        for (const Waits::Interval& wait : traced.waits.intervals) {
          if (wait.router != node || wait.output != dimension) continue;
          const Cycles from = std::max(wait.from, window.from);
          const Cycles until = std::min(wait.until, window.until);
          if (until > from) expected += until - from;
        }
        EXPECT_EQ(integral(waves.signals.at(link_name(node, dimension) + "waiting"), time, time.cycle(waves.end)),
                  expected);
        EXPECT_EQ(traced.trace.contention().window_blocked({node, dimension}), expected);
        all += expected;
      }
    EXPECT_GT(all, 0U);
  }
}

/// The changes of a VCD file, values as an FST has them.
std::map<std::string, WaveChanges> read_vcd(const std::string& file) {
  std::ifstream stream(file);
  std::map<std::string, std::vector<std::pair<std::string, unsigned>>> names;  // [identifier]
  std::map<std::string, WaveChanges> signals;
  std::string scope;
  std::vector<std::size_t> lengths;
  std::uint64_t time = 0;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "$scope") {
      std::string kind;
      std::string name;
      words >> kind >> name;
      lengths.push_back(scope.size());
      scope += name + ".";
    } else if (first == "$upscope") {
      scope.resize(lengths.back());
      lengths.pop_back();
    } else if (first == "$var") {
      std::string kind;
      std::string identifier;
      std::string name;
      unsigned bits = 0;
      words >> kind >> bits >> identifier >> name;
      names[identifier].emplace_back(scope + name, kind == "string" ? 0 : bits);
    } else if (first[0] == '#') {
      time = std::stoull(first.substr(1));
    } else if (first[0] == 'b' || first[0] == 's') {
      std::string identifier;
      words >> identifier;
      const auto& [name, bits] = names.at(identifier).front();
      std::string value = first.substr(1);
      if (bits > value.size()) value.insert(0, bits - value.size(), '0');
      // Of two values written at one time the last counts.
      WaveChanges& changes = signals[name];
      if (!changes.empty() && changes.back().first == time) changes.pop_back();
      if (changes.empty() || changes.back().second != value) changes.emplace_back(time, value);
    }
  }
  return signals;
}

TEST(Waves, AreTheSameAsVcd) {
  const RunSetup setup{.machine = preset_machine("ideal"), .dim = 3, .conditions = {.jitter = 7, .seed = 1}};
  const FstFile fst = Traced(setup, busy_traffic(3, 60, 2)).waves();
  const Traced as_vcd(setup, busy_traffic(3, 60, 2), WaveFormat::vcd);
  const std::map<std::string, WaveChanges> vcd = read_vcd(as_vcd.files.file(as_vcd.file));
  ASSERT_EQ(fst.signals.size(), vcd.size());
  std::size_t changes = 0;
  for (const auto& [name, expected] : fst.signals) {
    WaveChanges without_blanks = expected;
    for (auto& [time, value] : without_blanks) std::erase(value, ' ');
    EXPECT_EQ(vcd.at(name), without_blanks) << name;
    changes += expected.size();
  }
  EXPECT_GT(changes, 2000U);
  EXPECT_EQ(fst.aliases.at("cube.node0.router.link2.state_code"), "cube.node0.router.link2.state");
}

WaveChanges in_cycles(const WaveChanges& changes, const Machine& machine) {
  WaveChanges result;
  const WaveTime time = WaveTime::of_clock(static_cast<std::uint64_t>(machine.clock_hz));
  for (const auto& [at, value] : changes) result.emplace_back(time.cycle(at), value);
  return result;
}

std::string bits_of(LinkState state) {
  std::string result;
  for (unsigned bit = 3; bit-- > 0;) result += (static_cast<unsigned>(state) >> bit & 1U) != 0 ? '1' : '0';
  return result;
}

TEST(Trace, ALinkOfAPlaneIsDarkUntilItComesUpAndAfterItsCircuit) {
  class Changes final : public TraceSink {
   public:
    void link_changed(Cycles at, const OutputId& output, const LinkView& view) override {
      if (output.output > 1) return;  // the inject port
      EXPECT_EQ(output, (OutputId{1, 1}));
      seen.emplace_back(at, view.state, view.tuned_to);
    }
    std::vector<std::tuple<Cycles, LinkState, NodeId>> seen;
  } changes;
  const Topology topology = Topology::on_planes(2, 2);
  MessageNumbers names(4);
  MachineTrace trace(Machine{}, topology, names);
  trace.add(changes);
  const CircuitRecord circuit{.bytes = 1, .probe = 5, .source = 1, .destination = 0};
  names.injected(0, circuit);
  trace.injected(0, circuit);
  trace.granted(0, circuit, 1, 1, 7, 7);
  // The half closes at 10, when the tail has left the node, an edge before the router has processed it.
  trace.half_is(HalfState::dark, 1, 1, 2, 10);
  trace.released(0, circuit, 1, 1, 11);
  // It asks again when it is up, and no mask changes. The engine may tell the two in this order.
  trace.half_is(HalfState::closing, 1, 1, 3, 14);
  trace.half_is(HalfState::up, 1, 1, 2, 14);
  trace.half_is(HalfState::up, 1, 1, 3, 16);
  trace.finish();
  using Seen = std::tuple<Cycles, LinkState, NodeId>;
  EXPECT_EQ(changes.seen, (std::vector<Seen>{{7, LinkState::setup, 0},
                                             {10, LinkState::setup, 0},
                                             {11, LinkState::dark, 2},
                                             {14, LinkState::closing, 3},
                                             {16, LinkState::idle, 0}}));
}

TEST(Trace, TuningsAreExposedWhileASendWaitsAndNoPhitsMove) {
  class Changes final : public TraceSink {
   public:
    void program_changed(Cycles at, NodeId node, const ProgramView& view) override {
      EXPECT_EQ(node, 1U);
      seen.emplace_back(at, view.tuning);
    }
    std::vector<std::pair<Cycles, TuningState>> seen;
  } changes;
  MessageNumbers names(4);
  MachineTrace trace(Machine{}, Topology::on_planes(2, 2), names);
  trace.add(changes);
  trace.plane_count(plane_changes, 1, true, 5);
  trace.plane_count(plane_waits, 1, true, 7);
  // A circuit is told ahead. A second tune begins where the first ends.
  trace.plane_count(plane_circuits, 1, true, 8);
  trace.plane_count(plane_circuits, 1, false, 12);
  trace.plane_count(plane_changes, 1, true, 14);
  trace.plane_count(plane_changes, 1, false, 14);
  trace.plane_count(plane_waits, 1, false, 15);
  trace.plane_count(plane_changes, 1, false, 17);
  trace.finish();
  using Seen = std::pair<Cycles, TuningState>;
  EXPECT_EQ(changes.seen, (std::vector<Seen>{{5, TuningState::hidden},
                                             {7, TuningState::exposed},
                                             {8, TuningState::hidden},
                                             {12, TuningState::exposed},
                                             {15, TuningState::hidden},
                                             {17, TuningState::none}}));
}

TEST(Waves, ShowACircuitAsInTheDiagram) {
  // hw/README.md section 3: grants at 2 and 4, first phit at 8, tails at 11 and 12.
  const RunSetup setup{.machine = diagram_machine(), .dim = 1, .conditions = {}};
  const FstFile waves = Traced(setup, {{.source = 0, .destination = 1, .bytes = 3, .cycle = 0}}).waves();
  const auto of = [&](const std::string& name) { return in_cycles(waves.signals.at(name), setup.machine); };
  EXPECT_EQ(of("cube.node0.router.link0.state"), (WaveChanges{{0, bits_of(LinkState::idle)},
                                                              {2, bits_of(LinkState::setup)},
                                                              {4, bits_of(LinkState::held)},
                                                              {9, bits_of(LinkState::data)},
                                                              {12, bits_of(LinkState::idle)}}));
  EXPECT_EQ(of("cube.node1.router.eject0.state"), (WaveChanges{{0, bits_of(LinkState::idle)},
                                                               {4, bits_of(LinkState::held)},
                                                               {10, bits_of(LinkState::data)},
                                                               {13, bits_of(LinkState::idle)}}));
  EXPECT_EQ(of("cube.node0.router.link0.owner"), (WaveChanges{{0, "-"}, {2, "0->1 #1"}, {12, "-"}}));
  const auto program = [&](NodeId node) {
    std::vector<std::pair<Cycles, ProgramState>> states;
    for (const auto& [at, value] : of("cube.node" + std::to_string(node) + ".program")) {
      states.emplace_back(at, static_cast<ProgramState>(value_of(value)));
    }
    return states;
  };
  using Programs = std::vector<std::pair<Cycles, ProgramState>>;
  // Sending until its sender ready edge; the receiver gets the first phit at 12 and is ready at 14.
  EXPECT_EQ(program(0), (Programs{{0, ProgramState::sending}, {11, ProgramState::finished}}));
  EXPECT_EQ(program(1),
            (Programs{{0, ProgramState::waiting}, {12, ProgramState::receiving}, {14, ProgramState::finished}}));
}

TEST(Contention, NamesTheChainBehindAWait) {
  const RunSetup setup{.machine = diagram_machine(), .dim = 3, .conditions = {}};
  const Traced traced(setup, chain_of_three());
  const std::vector<Wait> longest = traced.trace.contention().longest(true);
  ASSERT_EQ(longest.size(), 2U);
  const Wait& first = longest[0];
  EXPECT_EQ(first.waiter.text(), "5->6 #1");
  EXPECT_EQ(first.output, (OutputId{4, 1}));
  EXPECT_EQ(first.from, 4U);
  EXPECT_EQ(first.until, 127U);
  ASSERT_EQ(first.chain.size(), 2U);
  EXPECT_EQ(first.chain[0].holder.text(), "4->2 #1");
  EXPECT_EQ(first.chain[0].output, (OutputId{4, 1}));
  EXPECT_EQ(first.chain[1].holder.text(), "6->2 #1");
  EXPECT_EQ(first.chain[1].output, (OutputId{6, 2}));
  EXPECT_EQ(first.chain[1].from, 4U);
  EXPECT_EQ(first.chain[1].until, 109U);
  EXPECT_EQ(longest[1].waiter.text(), "4->2 #1");
  EXPECT_EQ(longest[1].cycles(), 105U);
  EXPECT_EQ(longest[1].chain.size(), 1U);
  ASSERT_NE(traced.trace.contention().longest_of({4, 1}), nullptr);
  EXPECT_EQ(sentence_of(*traced.trace.contention().longest_of({4, 1}), 3),
            "5->6 #1 waited 123 cycles from 4 for link 4:1 held by 4->2 #1 for 123 cycles, which waited for link 6:2 "
            "held by 6->2 #1 for 105 cycles, which did not wait");
  EXPECT_EQ(traced.trace.contention().longest_of({6, 1}), nullptr);
}

TEST(Contention, ChainsEndAndCauseTheirWaits) {
  // On any contended run: the first entry of a chain is the output for which the circuit waits, each further output
  // lies on the path of the holder before, all entries overlap in time, and outputs ascend in dimension.
  for (const auto& [name, machine] : machines()) {
    SCOPED_TRACE(name);
    const RunSetup setup{.machine = machine, .dim = 5, .conditions = {.jitter = 10, .seed = 4}};
    const Traced traced(setup, busy_traffic(5, 60, 12));
    std::uint64_t chains = 0;
    for (const bool links : {true, false}) {
      const std::vector<Wait> longest = traced.trace.contention().longest(links);
      for (std::size_t i = 1; i < longest.size(); ++i) EXPECT_GE(longest[i - 1].cycles(), longest[i].cycles());
      for (const Wait& wait : longest) {
        ASSERT_FALSE(wait.chain.empty());
        EXPECT_GE(wait.holders, 1U);
        EXPECT_EQ(wait.chain.front().output, wait.output);
        for (std::size_t i = 0; i < wait.chain.size(); ++i) {
          EXPECT_LT(wait.chain[i].from, wait.chain[i].until);
          if (i == 0) continue;
          EXPECT_GT(wait.chain[i].output.output, wait.chain[i - 1].output.output);
          EXPECT_LT(wait.chain[i].from, wait.chain[i - 1].until);
          EXPECT_LT(wait.chain[i - 1].from, wait.chain[i].until);
        }
        chains += wait.chain.size() > 1 ? 1 : 0;
      }
    }
    // Packets that are stored take one link at a time.
    if (name != "stored") {
      EXPECT_GT(chains, 0U);
    }
  }
}

TEST(Contention, TheLongestWaitOfALinkIsThatOfItsIntervals) {
  const RunSetup setup{.machine = preset_machine("ideal"), .dim = 4, .conditions = {.jitter = 0, .seed = 1}};
  const Traced traced(setup, busy_traffic(4, 60, 9));
  std::map<std::pair<NodeId, unsigned>, Cycles> longest;
  for (const Waits::Interval& wait : traced.waits.intervals) {
    Cycles& most = longest[{wait.router, wait.output}];
    most = std::max(most, wait.until - wait.from);
  }
  for (NodeId node = 0; node < 16; ++node)
    for (unsigned dimension = 0; dimension < 4; ++dimension) {
      const Wait* const wait = traced.trace.contention().longest_of({node, dimension});
      EXPECT_EQ(wait == nullptr ? 0 : wait->cycles(), (longest[{node, dimension}]));
    }
}

TEST(TraceSelection, TakesWhatPatternsName) {
  const Machine machine = preset_machine("ideal");
  EXPECT_DOUBLE_EQ(TraceSelection(machine, Topology::cube(3), HierarchyNames(), {}).share(), 1.0);
  EXPECT_DOUBLE_EQ(TraceSelection(machine, *Topology::parse("mesh:4"), HierarchyNames(), {}).share(), 1.0);
  const TraceSelection node(machine, Topology::cube(3), HierarchyNames(), {"node5"});
  EXPECT_TRUE(node.program(5));
  EXPECT_FALSE(node.program(4));
  EXPECT_TRUE(node.output(5, 0) && node.output(5, 3));
  EXPECT_DOUBLE_EQ(node.share(), 1.0 / 8);
  const TraceSelection dimension(machine, Topology::cube(3), HierarchyNames(), {"link2", "node[01].program"});
  EXPECT_TRUE(dimension.output(7, 2) && dimension.program(1));
  EXPECT_FALSE(dimension.output(7, 1) || dimension.program(7));
  const TraceSelection one(machine, Topology::cube(3), HierarchyNames(), {"cube.node5.router.link2"});
  EXPECT_DOUBLE_EQ(one.share(), 1.0 / 32);
  EXPECT_THROW(TraceSelection(machine, Topology::cube(3), HierarchyNames(), {"node5", "node8"}), InputError);
}

TEST(WaveTime, GivesEveryCycleATimeOfItsOwn) {
  for (const std::uint64_t clock : {40'000'000ULL, 7'000'000ULL, 33'333'333ULL, 1ULL, 1'000'000'000ULL, 3ULL}) {
    const WaveTime time = WaveTime::of_clock(clock);
    for (const Cycles cycle : {0ULL, 1ULL, 2ULL, 999ULL, 123'456'789ULL, 10'000'000'000ULL}) {
      if (clock < 100 && cycle > 1'000'000) continue;
      EXPECT_EQ(time.cycle(time.of(cycle)), cycle) << clock;
      EXPECT_LT(time.of(cycle), time.of(cycle + 1));
    }
  }
  EXPECT_EQ(WaveTime::of_clock(40'000'000).of(3), 75U);
  EXPECT_EQ(WaveTime::of_clock(7'000'000).of(1), 142'857U);
}

}  // namespace
}  // namespace ecube::trace_test
