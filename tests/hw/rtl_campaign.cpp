// SPDX-License-Identifier: Apache-2.0
// A part of the campaign of `hw/rtl/verify campaign`: random programs on random machines of one shape, in RTL and on
// the event engine, until so many circuits have been compared edge by edge:
//   rtl_campaign LIBRARY DIM one|n|K BUFFER SEED CIRCUITS
// BUFFER is 0 for circuits. Prints what was compared, as words NAME=COUNT, and exits with 0; or prints the first
// difference with the seed of its program, and exits with 1.
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "models/presets/presets.h"
#include "tests/hw/both_engines.h"
#include "tests/hw/late_worms.h"
#include "tests/hw/rtl_file.h"

namespace ecube {
namespace {

/// Presets as machines of this shape, except their ports and buffers.
std::vector<Machine> presets_of(const RandomShape& shape) {
  std::vector<Machine> machines;
  for (const Preset& each : presets()) {
    Machine machine = resolve(preset_settings(each));
    if ((machine.network.switching == Switching::wormhole) != (shape.buffer > 0)) continue;
    machine.node.ports.engines = shape.engines;
    if (shape.buffer > 0) machine.router.buffer_bytes = Bytes{shape.buffer} * machine.link.phit_bytes;
    if (rtl_refusal(machine, shape.dim).empty()) machines.push_back(std::move(machine));
  }
  return machines;
}

/// A sixteenth of the programs run on presets, and three eighths of those for worms accept late.
RandomProgram drawn(std::uint64_t seed, const RandomShape& shape, const std::vector<Machine>& of_presets) {
  const auto messages = static_cast<unsigned>(4 + mix(seed) % 21);
  if (seed % 16 == 0 && !of_presets.empty()) {
    std::mt19937_64 random(seed);
    return random_steps(random, seed, of_presets[(seed / 16) % of_presets.size()], shape.dim, messages, false);
  }
  if (shape.buffer > 0 && seed % 8 < 3) return late_worms(seed, shape, messages);
  return random_program(seed, shape, messages, seed % 4 == 3);
}

using Counts = std::map<std::string, std::uint64_t>;

/// Adds the circuits of a run to the counts of what its machine and program have.
void count(Counts& counts, const RandomProgram& program, const RunStatistics& run) {
  const Machine& machine = program.machine;
  const auto add = [&](const std::string& name, bool has = true) {
    if (has) counts[name] += run.circuits;
  };
  const auto& c = machine.link.cycles_per_phit;
  counts["programs"] += 1;
  counts["link_blocked"] += run.link_blocked.circuits;
  counts["port_blocked"] += run.port_blocked.circuits;
  counts["serialised"] += run.serialised.circuits;
  counts["control"] += run.control_circuits;
  counts["lost"] += run.lost;
  add("circuits");
  constexpr std::array switching{"circuit", "store_and_forward", "wormhole"};
  add(std::string("switching.") + switching[static_cast<std::size_t>(machine.network.switching)]);
  constexpr std::array protocols{"none", "forced", "unforced"};
  add(std::string("protocol.") + protocols[static_cast<std::size_t>(machine.library.protocol)]);
  add(machine.node.startups == Startups::queued ? "startups.queued" : "startups.overlapped");
  add(machine.node.overlap == Overlap::on ? "overlap.on" : "overlap.off");
  add(machine.library.combining == Combining::arriving ? "combining.arriving" : "combining.received");
  add("duplex.together", machine.network.duplex == Duplex::together);
  add("distance.fixed", machine.network.distance == Distance::fixed);
  add("cycles_per_phit.fraction", c.num % c.den != 0);
  add("accepts_late",
      machine.network.switching == Switching::wormhole && machine.network.accept_cycles * c.den > c.num + c.den);
  add("jitter", program.conditions.jitter > 0);
  add("few_tags", program.few_tags);
  add("preset." + machine.name, find_preset(machine.name) != nullptr);
  for (NodeId node = 0; node < program.steps.size(); ++node) {
    for (const ProgramStep& step : program.steps[node]) {
      const bool sends = step.kind == ProgramStep::Kind::send || step.kind == ProgramStep::Kind::exchange;
      counts["messages"] += sends ? 1 : 0;
      counts["messages_to_oneself"] += sends && step.peer == node ? 1 : 0;
    }
  }
}

int run(const std::string& file, const RandomShape& shape, std::uint64_t seed, std::uint64_t wanted) {
  RtlLibrary* const library = library_of(file, "rtl_campaign");
  if (library == nullptr) return 2;
  BothEngines engines("rtl");
  engines.elaborate(machine_of(shape), shape.dim, RtlParts(*library));
  const std::vector<Machine> of_presets = presets_of(shape);
  Counts counts;
  for (; counts["circuits"] < wanted; ++seed) {
    const RandomProgram program = drawn(seed, shape, of_presets);
    if (const std::string found = engines.difference(program); !found.empty()) {
      std::printf("program %llu, machine %s: %s\n", static_cast<unsigned long long>(seed), program.machine.name.c_str(),
                  found.c_str());
      std::fflush(stdout);
      std::_Exit(1);  // A wrong machine may have stopped anywhere; nothing of it is taken down.
    }
    count(counts, program, engines.event().engine().statistics());
  }
  for (const auto& [name, value] : counts) {
    std::printf("%s=%llu ", name.c_str(), static_cast<unsigned long long>(value));
  }
  std::printf("\n");
  return 0;
}

}  // namespace
}  // namespace ecube

int sc_main(int argc, char* argv[]) {
  const std::string_view engines = argc == 7 ? argv[3] : "";
  const auto number = [argv](int i) { return static_cast<unsigned>(std::atoi(argv[i])); };
  if (engines.empty() || (engines != "one" && engines != "n" && number(3) < 2)) {
    std::fprintf(stderr, "usage: rtl_campaign LIBRARY DIM one|n|K BUFFER SEED CIRCUITS\n");
    return 2;
  }
  const ecube::RandomShape shape{.dim = number(2),
                                 .engines = engines == "one" ? 1U
                                            : engines == "n" ? std::uint32_t{ecube::Ports::n}
                                                             : number(3),
                                 .buffer = number(4)};
  return ecube::run(argv[1], shape, std::strtoull(argv[5], nullptr, 10), std::strtoull(argv[6], nullptr, 10));
}
