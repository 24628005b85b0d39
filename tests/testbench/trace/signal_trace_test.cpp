// SPDX-License-Identifier: Apache-2.0
// Signals of modules in a waveform: against cycles worked out by hand, the objects of the simulator, and the event
// engine.
#include <fmt/core.h>

#include <systemc>

#include "hw/clocked/wires/signal.h"
#include "hw/clocked/wires/wire.h"
#include "sw/traffic/traffic.h"
#include "testbench/trace/run_trace.h"
#include "testbench/trace/waves/wave_signals.h"
#include "tests/machines.h"
#include "tests/test.h"
#include "tests/testbench/machine/diagram_machine.h"
#include "tests/testbench/trace/fst_file.h"

namespace ecube::signal_trace_test {
namespace {

RunSetup clocked_setup(const Machine& machine, unsigned dim) {
  return {.machine = machine, .dim = dim, .conditions = {.jitter = 7, .seed = 3}, .engine = EngineChoice::clocked};
}

const std::vector<TrafficMessage> one_message{{.source = 0, .destination = 1, .bytes = 3, .cycle = 0}};

/// Runs `messages` and reads their waveform.
class Waveforms {
 public:
  FstFile of(TestBench& bench, const RunSetup& setup, const std::vector<TrafficMessage>& messages,
             const TraceWindow& window = {}, const std::vector<std::string>& patterns = {}) {
    StagedFiles files(directory_ / "");
    RunTrace trace({.format = WaveFormat::fst, .file = directory_ / "w.fst", .window = window, .patterns = patterns},
                   setup, &files, bench.traced(setup));
    bench.observe(&trace.observers());
    bench.trace_signals(trace.signals());
    const TrafficPlan plan(messages, Topology::cube(setup.dim));
    Traffic traffic(plan, nullptr, TrafficOperations::separate);
    Firmware firmware([&](Node& node) { return traffic.run(node); });
    const RunMeasurement m = bench.run(setup, firmware);
    bench.observe(nullptr);
    bench.trace_signals(nullptr);
    EXPECT_EQ(m.result.status, RunResult::Status::finished);
    EXPECT_EQ(trace.finish(bench.links(), m.result.cycles), RunTrace::Outcome::whole);
    return FstFile(files.file("w.fst"));
  }

 private:
  Directory directory_;
};

std::string bits_of(clocked::WireKind kind) {
  const auto value = static_cast<unsigned>(kind);
  return {(value & 2U) != 0 ? '1' : '0', (value & 1U) != 0 ? '1' : '0'};
}

/// True for the state of an output of a router, or of a program.
bool is_readable(const std::string& name) {
  const std::string leaf = name.substr(name.rfind('.') + 1);
  return name.find(".router.link") != std::string::npos || name.find(".router.eject") != std::string::npos ||
         leaf == "program" || leaf == "phase" || leaf == "step";
}

/// The names of the file's signals that belong to modules.
std::set<std::string> module_signals(const FstFile& waves) {
  std::set<std::string> result;
  for (const auto& [name, changes] : waves.signals) {
    if (!is_readable(name)) result.insert(name);
  }
  return result;
}

std::size_t readable_signals(const FstFile& waves) { return waves.signals.size() - module_signals(waves).size(); }

TEST(SignalTrace, ShowsTheWiresOfACircuitAsInTheDiagram) {
  // hw/README.md section 3: probe at 0, grants at 2 and 4, acknowledge at 5, phits from 8 with the tail at 10.
  RunSetup setup = clocked_setup(diagram_machine(), 1);
  setup.conditions.jitter = 0;
  TestBench bench(1);
  bench.elaborate(setup);
  const FstFile waves = Waveforms().of(bench, setup, one_message);
  ASSERT_EQ(setup.machine.clock_hz, 40e6);
  EXPECT_EQ(waves.exponent, -12);  // half a cycle is 12.5 ns
  constexpr std::uint64_t cycle = 25'000;
  EXPECT_EQ(waves.begin, 0U);
  const auto kinds = [&](const std::string& wire) {
    std::vector<std::pair<Cycles, std::string>> result;
    for (const auto& [at, value] : waves.signals.at("cube." + wire)) {
      EXPECT_EQ(at % cycle, 0U);
      result.emplace_back(at / cycle, value);
    }
    return result;
  };
  using Changes = std::vector<std::pair<Cycles, std::string>>;
  const std::string idle = bits_of(clocked::WireKind::idle);
  const std::string probe = bits_of(clocked::WireKind::probe);
  const std::string phit = bits_of(clocked::WireKind::phit);
  const std::string tail = bits_of(clocked::WireKind::tail);
  EXPECT_EQ(kinds("node0.inject_0.kind"), (Changes{{0, probe}, {1, idle}, {8, phit}, {10, tail}, {11, idle}}));
  EXPECT_EQ(kinds("link0_0.wire.kind"), (Changes{{0, idle}, {2, probe}, {3, idle}, {9, phit}, {11, tail}, {12, idle}}));
  EXPECT_EQ(kinds("node1.eject_0.kind"),
            (Changes{{0, idle}, {4, probe}, {5, idle}, {10, phit}, {12, tail}, {13, idle}}));
  EXPECT_EQ(kinds("node1.eject_acknowledge_0"), (Changes{{0, "0"}, {5, "1"}, {6, "0"}}));
  EXPECT_EQ(kinds("link0_0.acknowledge"), (Changes{{0, "0"}, {6, "1"}, {7, "0"}}));
  EXPECT_EQ(kinds("node0.inject_acknowledge_0"), (Changes{{0, "0"}, {7, "1"}, {8, "0"}}));
  EXPECT_EQ(kinds("link1_0.wire.kind"), (Changes{{0, idle}}));
  // The clock rises at whole cycles, at those of the diagram among others, and falls half a cycle later.
  const WaveChanges& clock = waves.signals.at("cube.clk_0");
  std::set<Cycles> rises;
  ASSERT_EQ(clock.size() % 2, 0U);
  for (std::size_t i = 0; i < clock.size(); i += 2) {
    EXPECT_EQ(clock[i].second, "1");
    EXPECT_EQ(clock[i].first % cycle, 0U);
    EXPECT_EQ(clock[i + 1], std::pair(clock[i].first + cycle / 2, std::string("0")));
    rises.insert(clock[i].first / cycle);
  }
  for (const Cycles edge : {0U, 1U, 2U, 7U, 8U, 9U, 10U, 11U}) EXPECT_TRUE(rises.contains(edge)) << edge;
  EXPECT_FALSE(rises.contains(4));  // nothing comes to node 0 then
  EXPECT_EQ(waves.signals.at("cube.rst"), (WaveChanges{{0, "0"}}));
}

TEST(SignalTrace, HasEverySignalOfTheMachine) {
  const RunSetup setup = clocked_setup(preset_machine("ideal", 2), 3);
  TestBench bench(3);
  bench.elaborate(setup);
  const FstFile waves = Waveforms().of(bench, setup, one_message);
  std::vector<const sc_core::sc_object*> todo{sc_core::sc_find_object("cube")};
  std::size_t signals = 0;
  while (!todo.empty()) {
    const sc_core::sc_object& object = *todo.back();
    todo.pop_back();
    todo.insert(todo.end(), object.get_child_objects().begin(), object.get_child_objects().end());
    if (std::string_view(object.kind()) != "sc_signal") continue;
    const std::string name = object.name();
    if (name.ends_with(".memory_activity")) {  // of a node with rates, whose memory does nothing
      EXPECT_EQ(waves.find(name + ".core"), nullptr) << name;
      continue;
    }
    ++signals;
    EXPECT_TRUE(waves.find(name) != nullptr || waves.find(name + ".kind") != nullptr ||
                waves.find(name + "_0") != nullptr)
        << name;
  }
  EXPECT_GT(signals, 8U * 60);
  EXPECT_LE(signals, module_signals(waves).size());
}

/// The changes of a signal within a window.
WaveChanges cut(const WaveChanges& changes, std::uint64_t from, std::uint64_t until) {
  WaveChanges result;
  for (const auto& [at, value] : changes) {
    if (at >= until) break;
    if (at <= from) result.clear();
    result.emplace_back(std::max(at, from), value);
  }
  return result;
}

TEST(SignalTrace, OfAWindowIsThatPartOfTheWhole) {
  RunSetup setup = clocked_setup(preset_machine("ideal"), 2);
  TestBench bench(2);
  bench.elaborate(setup);
  std::vector<TrafficMessage> messages =
      make_traffic({.messages = 20, .rate = 40, .bytes = 40, .seed = 9}, Topology::cube(setup.dim));
  // Long before this message nothing is simulated, also at the beginning of the last window.
  messages.push_back({.source = 0, .destination = 3, .bytes = 40, .cycle = 5000});
  Waveforms waveforms;
  (void)waveforms.of(bench, setup, messages);  // the end values of a run are there at the beginning of the next
  const FstFile whole = waveforms.of(bench, setup, messages);
  for (const TraceWindow window :
       {TraceWindow{200, 350}, TraceWindow{0, 99}, TraceWindow{301, never}, TraceWindow{4000, 5150}}) {
    const FstFile part = waveforms.of(bench, setup, messages, window);
    const WaveTime time = WaveTime::of_clock(static_cast<std::uint64_t>(setup.machine.clock_hz), 2);
    const std::uint64_t from = time.of(window.from);
    const std::uint64_t until = window.until == never ? whole.end + 1 : time.of(window.until);
    EXPECT_EQ(part.begin, from);
    if (window.until != never) {
      EXPECT_EQ(part.end, until);
    }
    ASSERT_EQ(part.signals.size(), whole.signals.size());
    for (const auto& [name, changes] : whole.signals) {
      EXPECT_EQ(part.signals.at(name), cut(changes, from, until)) << name;
    }
  }
}

TEST(SignalTrace, OfASecondRunBeginsAtCycle0) {
  RunSetup setup = clocked_setup(diagram_machine(), 1);
  TestBench bench(1);
  bench.elaborate(setup);
  Waveforms waveforms;
  const FstFile first = waveforms.of(bench, setup, one_message);
  const FstFile second = waveforms.of(bench, setup, one_message);
  EXPECT_EQ(second.begin, 0U);
  EXPECT_EQ(second.end, first.end);
  for (const char* const name : {"cube.link0_0.wire.kind", "cube.clk_0", "cube.edge"}) {
    EXPECT_EQ(second.signals.at(name), first.signals.at(name)) << name;
  }
  EXPECT_GT(sc_core::sc_time_stamp(), sc_core::sc_time(static_cast<double>(2 * first.end - 25'000), sc_core::SC_PS));
}

TEST(SignalTrace, HasWhatPatternsName) {
  const RunSetup setup = clocked_setup(preset_machine("ideal"), 2);
  TestBench bench(2);
  bench.elaborate(setup);
  Waveforms waveforms;
  const auto traced = [&](const std::string& pattern) {
    return waveforms.of(bench, setup, one_message, {}, {pattern});
  };
  // An output of a router: its wire and the acknowledge, beside the four leaves of its state.
  const std::set<std::string> link1{"cube.link2_1.wire.kind",     "cube.link2_1.wire.port",
                                    "cube.link2_1.wire.source",   "cube.link2_1.wire.route",
                                    "cube.link2_1.wire.sequence", "cube.link2_1.acknowledge"};
  EXPECT_EQ(module_signals(traced("node2.router.link1")), link1);
  EXPECT_EQ(readable_signals(traced("node2.router.link1")), 4U);
  // Names of signals, arrays, pins and modules; no state of an output or program has these names.
  EXPECT_EQ(module_signals(traced("link2_1")), link1);
  EXPECT_EQ(module_signals(traced("node2.acknowledge_i_1")), (std::set<std::string>{"cube.link2_1.acknowledge"}));
  const std::set<std::string> sequences{"cube.node0.sequence_0", "cube.node1.sequence_0", "cube.node2.sequence_0",
                                        "cube.node3.sequence_0"};
  for (const char* const pattern : {"*.sequence_0", "sequence", "node?.sequence"}) {
    EXPECT_EQ(module_signals(traced(pattern)), sequences) << pattern;
    EXPECT_EQ(readable_signals(traced(pattern)), 0U) << pattern;
  }
  const std::set<std::string> library = module_signals(traced("node2.library"));
  EXPECT_TRUE(library.contains("cube.node2.start_0") && library.contains("cube.core_clk_2"));
  EXPECT_FALSE(library.contains("cube.node2.granted"));
  // All signals of a node: those in the node, and those at its pins.
  const std::set<std::string> node = module_signals(traced("node2"));
  EXPECT_TRUE(std::includes(node.begin(), node.end(), link1.begin(), link1.end()));
  EXPECT_TRUE(node.contains("cube.node2.granted") && node.contains("cube.clk_2"));
  EXPECT_FALSE(node.contains("cube.node1.granted") || node.contains("cube.clk_1"));
  EXPECT_EQ(module_signals(traced("cube.node2")), node);
  EXPECT_THROW(traced("node4"), InputError);
  EXPECT_THROW(traced("drive_clocks"), InputError);  // a process has no signals
}

/// Named tests, because one process elaborates one machine.
class SignalTraceOf : public testing::TestWithParam<std::string> {};

TEST_P(SignalTraceOf, LeavesTheReadableSignalsAsTheyAreOnTheEventEngine) {
  const Machine machine = GetParam() == "ncube2"        ? preset_machine("ncube2")
                          : GetParam() == "two_engines" ? preset_machine("ideal", 2)
                                                        : preset_machine("ideal", {"clock=7 MHz", "core.clock=7 MHz"});
  RunSetup setup = clocked_setup(machine, 3);
  TestBench bench(3);
  bench.elaborate(setup);
  const std::vector<TrafficMessage> messages =
      make_traffic({.messages = 30, .rate = 40, .bytes = 90, .seed = 5}, Topology::cube(setup.dim));
  Waveforms waveforms;
  const FstFile clocked = waveforms.of(bench, setup, messages);
  setup.engine = EngineChoice::event;
  const FstFile event = waveforms.of(bench, setup, messages);
  EXPECT_EQ(readable_signals(clocked), event.signals.size());
  const WaveTime coarse = WaveTime::of_clock(static_cast<std::uint64_t>(machine.clock_hz));
  const WaveTime fine = WaveTime::of_clock(static_cast<std::uint64_t>(machine.clock_hz), 2);
  for (const auto& [name, changes] : event.signals) {
    WaveChanges expected = changes;
    for (auto& [at, value] : expected) at = fine.of(coarse.cycle(at));
    // Of two machines in one process only the first is the cube.
    const WaveChanges* const found = clocked.find("cube" + name.substr(name.find('.')));
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(*found, expected) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, SignalTraceOf, testing::Values("ncube2", "one_port_at_7_mhz", "two_engines"),
                         [](const auto& machine) { return machine.param; });

/// Records every call.
class Notes final : public WaveWriter {
 public:
  explicit Notes(std::vector<std::string>& lines) : lines_(lines) {}
  void enter(const std::string& scope) override { lines_.push_back("enter " + scope); }
  void leave() override { lines_.emplace_back("leave"); }
  Signal state(const std::string& name, const std::string&, std::span<const std::string_view>) override {
    return number(name, 1);
  }
  Signal number(const std::string& name, unsigned) override {
    names_.push_back(name);
    return static_cast<Signal>(names_.size() - 1);
  }
  Signal text(const std::string& name) override { return number(name, 0); }
  void end_declarations() override { lines_.emplace_back("declared"); }
  void change_time(std::uint64_t time) override { time_ = time; }
  void set(Signal signal, std::uint64_t value) override { set(signal, std::to_string(value)); }
  void set(Signal signal, std::string_view value) override {
    lines_.push_back(fmt::format("{} {}={}", time_, names_[signal], value));
  }
  void close() override {
    lines_.push_back(fmt::format("{} end", time_));
    throw std::runtime_error("the disk is full");
  }

 private:
  std::vector<std::string>& lines_;
  std::vector<std::string> names_;
  std::uint64_t time_ = 0;
};

TEST(SignalTrace, KeepsItsChangesUntilTheReadableSignalsAreKnown) {
  RunSetup setup = clocked_setup(diagram_machine(), 1);
  setup.conditions.jitter = 0;
  TestBench bench(1);
  bench.elaborate(setup);
  const TracedMachine machine = bench.traced(setup);
  const WaveTime time = WaveTime::of_clock(40'000'000, 2);
  std::vector<std::string> lines;
  WaveSink waves(std::make_unique<Notes>(lines), time, {},
                 TraceSelection(setup.machine, setup.topology(), machine.names, {"node0.program"}), machine.names,
                 setup.topology());
  SignalTrace signals(waves.file(), time, {}, [](Cycles) {});
  selected_signals(*machine.modules, setup.topology(), {"clk_0"}).front()->trace_in(signals);
  waves.end_declarations(&signals);
  EXPECT_EQ(lines.back(), "declared");
  lines.clear();
  bench.trace_signals(&signals);
  const TrafficPlan plan(one_message, setup.topology());
  Traffic traffic(plan);
  Firmware firmware([&](Node& node) { return traffic.run(node); });
  (void)bench.run(setup, firmware);
  bench.trace_signals(nullptr);
  EXPECT_TRUE(lines.empty());  // the program may still change at cycle 0
  waves.program_changed(1, 0, {.state = ProgramState::sending});
  waves.program_changed(2, 0, {.state = ProgramState::waiting});
  EXPECT_EQ(lines, (std::vector<std::string>{"0 program=0", "0 phase=0", "0 step=0", "0 clk_0=1", "12500 clk_0=0",
                                             "25000 program=3", "25000 clk_0=1", "37500 clk_0=0", "50000 program=1"}));
  EXPECT_THROW(waves.finish(2), std::runtime_error);  // as the file says
}

TEST(SignalTrace, RefusesWhatIsNoInteger) {
  std::vector<std::string> lines;
  Notes file(lines);
  SignalTrace trace(file, WaveTime{}, {}, [](Cycles) {});
  EXPECT_THROW(sc_core::sc_trace(&trace, 1.5, "top.voltage"), std::invalid_argument);
  EXPECT_THROW(sc_core::sc_trace(&trace, sc_core::sc_event("event"), "top.event"), std::invalid_argument);
  EXPECT_THROW(sc_core::sc_write_comment(&trace, "words"), std::invalid_argument);
  EXPECT_EQ(trace.values(), 0U);
  // Scopes are entered and left by the names.
  const int number = -2;
  sc_core::sc_trace(&trace, number, "top.a.one");
  sc_core::sc_trace(&trace, number, "top.b.two");
  file.leave_scopes();
  EXPECT_EQ(lines, (std::vector<std::string>{"enter top", "enter a", "leave", "enter b", "leave", "leave"}));
}

}  // namespace
}  // namespace ecube::signal_trace_test
