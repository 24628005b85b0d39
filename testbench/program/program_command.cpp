// SPDX-License-Identifier: Apache-2.0
// From a program's name to its run.
#include "testbench/program/program_command.h"

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "sw/api/firmware.h"
#include "sw/examples/programs.h"
#include "testbench/run/run_session.h"

namespace ecube {

namespace {

struct ProgramArguments {
  RunArguments run;
  std::string name;
};

int run(const ProgramArguments& arguments, const Invocation& invocation) {
  const programs::Entry* chosen = nullptr;
  std::vector<std::string_view> names;
  for (const programs::Entry& entry : programs::all()) {
    names.push_back(entry.name);
    if (entry.name == arguments.name) chosen = &entry;
  }
  if (chosen == nullptr) refuse_word("run program", arguments.name, names);
  const RunSetup setup = setup_of(arguments.run, settings_of(arguments.run));
  TestBench& bench = invocation.benches->get(arguments.run, setup);
  IdealCosts costs;
  if (setup.engine == EngineChoice::ideal) {
    costs = ideal_costs(parameters_for(arguments.run, bench, setup.machine, setup.dim), setup.machine, setup.dim);
  }
  Firmware firmware(chosen->body);
  RunSession session(arguments.run, setup, bench, {});
  const RunMeasurement m = bench.run(setup, firmware, costs);
  RunReport report{
      .command = "run program",
      .workload = {
          {"program", arguments.name}, {"jitter_cycles", setup.conditions.jitter}, {"seed", setup.conditions.seed}}};
  return session.finish(m, report, invocation, [&] {
    fmt::print("{}  d={} ({} nodes)  program {}  engine {}  seed {}\n\n", setup.machine.name, setup.dim,
               grouped(1U << setup.dim), arguments.name, word_of(setup.engine, engines), setup.conditions.seed);
    fmt::print("measured  {} cycles, {:.3f} us\ncircuits  {}, {} blocked, {} port-blocked\n", grouped(m.result.cycles),
               m.result.us, grouped(m.network.circuits), grouped(m.network.link_blocked.circuits),
               grouped(m.network.port_blocked.circuits));
  });
}

}  // namespace

void add_run_program(Command& run_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ProgramArguments>();
  Command& command = run_command.add_command("program", "Firmware of your own, or one of sw/examples");
  command.add_option("name", arguments->name, "Program").required();
  add_run_options(command, arguments->run);
  std::string help = "Programs:\n";
  for (const programs::Entry& entry : programs::all()) help += fmt::format("  {:<10} {}\n", entry.name, entry.help);
  add_footer(command, help +
                          "\nExamples:\n  ecube run program ring --dim 5\n  ecube run program deadlock --dim 2\n"
                          "How to add one: sw/README.md");
  command.on_run([arguments, &invocation] { invocation.status = run(*arguments, invocation); });
}

}  // namespace ecube
