// SPDX-License-Identifier: Apache-2.0
// Every wire of the clocked machine matters: a run with a broken wire differs from the whole machine's, or fails.
#include <gtest/gtest.h>

#include <set>

#include "hw/clocked/wires/signal.h"
#include "tests/effort.h"
#include "tests/hw/both_engines.h"
#include "tests/hw/random_program.h"

namespace ecube::broken_wires_test {
namespace {

/// A run as an observer sees it.
struct Seen {
  RunResult::Status status = RunResult::Status::finished;
  Cycles cycles = 0;
  std::vector<RecordedEdge> edges;
  std::string links;
  std::string figures;
  friend bool operator==(const Seen&, const Seen&) = default;
};

/// Machines of one shape, and the wires that they do not use.
struct Wires {
  const char* name;
  unsigned dim;
  std::vector<Machine> machines;
  std::set<std::string> unused;
  friend std::ostream& operator<<(std::ostream& stream, const Wires& wires) { return stream << wires.name; }
};

Machine circuits(std::uint32_t engines) {
  Machine machine;
  machine.node.ports.engines = engines;
  machine.router.route_cycles = 2;
  machine.network.accept_cycles = 2;
  machine.link.cycles_per_phit = {7, 3};
  machine.library.send_cycles = 5;
  machine.library.send_zero_cycles = 3;
  machine.node.overlap = Overlap::off;
  return machine;
}

/// A machine whose nodes receive while they send only if both begin together, and where all nodes are equally far.
Machine together(std::uint32_t engines) {
  Machine machine = circuits(engines);
  machine.network.duplex = Duplex::together;
  machine.network.together_cycles = 5;
  machine.network.distance = Distance::fixed;
  machine.network.setup_cycles = 40;
  return machine;
}

Machine worms(Cycles accept) {
  Machine machine = circuits(Ports::n);
  machine.network.accept_cycles = accept;
  machine.network.switching = Switching::wormhole;
  machine.link.cycles_per_phit = {2, 1};
  machine.router.buffer_bytes = 2;
  return machine;
}

class BrokenWires : public ::testing::TestWithParam<Wires> {};

Seen run(ClockedCube& cube, const RandomProgram& program, Cycles most) {
  CircuitRecorder recorder;
  RandomFirmware firmware(program);
  cube.observe(&recorder);
  cube.on_progress([most](Cycles cycle) { return cycle < most; });
  cube.reset(program.machine, {});
  Seen seen;
  const RunResult result = cube.run(firmware.program());
  seen.status = result.status;
  seen.cycles = result.cycles;
  seen.edges = recorder.edges();
  seen.links = all_links(cube);
  seen.figures = counted(cube.statistics());
  cube.observe(nullptr);
  cube.unload();
  return seen;
}

/// All wires below an object, by name.
void collect(const sc_core::sc_object& object, std::map<std::string, clocked::Breakable*>& wires) {
  for (sc_core::sc_object* const child : object.get_child_objects()) {
    // What only shows the loops of detailed nodes is read by no part.
    const bool shows = std::string_view(child->basename()).starts_with("memory_shows");
    if (auto* const wire = dynamic_cast<clocked::Breakable*>(child); wire != nullptr && !shows)
      wires[child->name()] = wire;
    collect(*child, wires);
  }
}

/// The pin of a wire: the wire's name without the numbers of the node and of the wire.
std::string pin_of(const std::string& wire) {
  std::string pin = wire.substr(wire.find('.') + 1);
  if (pin.starts_with("node") || pin.starts_with("link")) pin = pin.substr(pin.find('.') + 1);
  while (!pin.empty() && (std::isdigit(static_cast<unsigned char>(pin.back())) != 0 || pin.back() == '_'))
    pin.pop_back();
  return pin;
}

/// The wires of the last three nodes and their links stand for those of all; the last node gets most messages.
bool near_the_last_nodes(const std::string& wire, unsigned dim) {
  const std::size_t number = wire.find_first_of("0123456789");
  const bool numbered = wire.find(".node") != std::string::npos || wire.find(".link") != std::string::npos;
  return !numbered || std::stoul(wire.substr(number)) + 3 >= 1UL << dim;
}

TEST_P(BrokenWires, AreMissedInSomeRun) {
  const Wires& test = GetParam();
  ClockedCube cube("cube", test.machines.front(), test.dim);
  std::map<std::string, clocked::Breakable*> wires;
  collect(cube, wires);
  ASSERT_GT(wires.size(), 100U);
  std::vector<RandomProgram> programs;
  std::vector<Seen> whole;
  for (const Machine& machine : test.machines)
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      RandomProgram program = random_program(seed, {test.dim, machine.node.ports.engines, 0}, 6);
      program.machine = machine;
      programs.push_back(program);
      whole.push_back(run(cube, program, never));
      ASSERT_TRUE(run(cube, program, never) == whole.back()) << "a run is the same twice";
    }
  Sample sample;
  std::map<std::string, unsigned> pins;  // wires of the pin that were missed
  std::size_t unnoticed = 0;
  for (const auto& [name, wire] : wires) {
    if (test.unused.contains(pin_of(name)) || !near_the_last_nodes(name, test.dim)) continue;
    if (pin_of(name) == "memory_activity") continue;  // no part reads it: it is for waveforms
    if (fewer_cases > 1 && !sample.takes()) continue;
    wire->break_wire();
    bool missed = false;
    for (std::size_t i = 0; i < programs.size() && !missed; ++i) {
      missed = run(cube, programs[i], 4 * whole[i].cycles + 10000) != whole[i];
    }
    wire->mend_wire();
    pins[pin_of(name)] += missed ? 1 : 0;
    unnoticed += missed ? 0 : 1;
    ASSERT_TRUE(run(cube, programs[0], never) == whole[0]) << name << " has been mended";
  }
  if (fewer_cases > 1) return;
  // Some nodes have little to do in these programs, so the wires at one pin count together: all nodes are the same
  // module.
  for (const auto& [pin, missed] : pins) EXPECT_GT(missed, 0U) << pin;
  EXPECT_LT(unnoticed, wires.size() / 10);
}

INSTANTIATE_TEST_SUITE_P(Shapes, BrokenWires,
                         ::testing::Values(Wires{"one_port", 2, {circuits(1), together(1)}, {"engines"}},
                                           Wires{"n_port", 2, {circuits(Ports::n), together(Ports::n)}, {"engines"}},
                                           Wires{"engines", 3, {circuits(2), together(2)}, {}},
                                           Wires{"worms",
                                                 2,
                                                 {worms(1), worms(12)},
                                                 {"engines", "phit_extra_num", "phit_extra_den", "setup",
                                                  "together_only", "together", "probe_seen"}}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace ecube::broken_wires_test
