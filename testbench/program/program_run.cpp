// SPDX-License-Identifier: Apache-2.0
// From a program's name to its run.
#include "testbench/program/program_run.h"

#include <fmt/core.h>

#include "sw/api/firmware.h"
#include "sw/examples/programs.h"

namespace ecube {

namespace {

struct ProgramArguments {
  RunArguments run;
  std::string name;
};

class ProgramRun : public Experiment {
 public:
  ProgramRun(const ProgramArguments& arguments, const programs::Entry& program, const RunSetup& setup, TestBench& bench)
      : Experiment(setup, bench), arguments_(arguments), program_(program) {
    if (setup.engine == EngineChoice::ideal) {
      costs_ = ideal_costs(parameters_for(arguments.run, bench, setup.machine, setup.dim), setup.machine, setup.dim);
    }
  }

  [[nodiscard]] RunSize size() const override { return {}; }

  void run() override {
    Firmware firmware(program_.body);
    m_ = bench().run(setup(), firmware, costs_);
  }

  [[nodiscard]] const RunMeasurement& measurement() const override { return m_; }

  [[nodiscard]] RunReport report() const override {
    return {.command = "run program",
            .workload = {{"program", arguments_.name},
                         {"jitter_cycles", setup().conditions.jitter},
                         {"seed", setup().conditions.seed}}};
  }

  void print(const Style& /*style*/) const override {
    fmt::print("{}  d={} ({} nodes)  program {}  engine {}  seed {}\n\n", setup().machine.name, setup().dim,
               grouped(1U << setup().dim), arguments_.name, word_of(setup().engine, engines), setup().conditions.seed);
    fmt::print("measured  {} cycles, {:.3f} us\ncircuits  {}, {} blocked, {} port-blocked\n", grouped(m_.result.cycles),
               m_.result.us, grouped(m_.network.circuits), grouped(m_.network.link_blocked.circuits),
               grouped(m_.network.port_blocked.circuits));
  }

 private:
  ProgramArguments arguments_;
  const programs::Entry& program_;
  IdealCosts costs_;
  RunMeasurement m_;
};

std::unique_ptr<Experiment> program_run(const ProgramArguments& arguments, Benches& benches) {
  const programs::Entry* chosen = nullptr;
  std::vector<std::string_view> names;
  for (const programs::Entry& entry : programs::all()) {
    names.push_back(entry.name);
    if (entry.name == arguments.name) chosen = &entry;
  }
  if (chosen == nullptr) refuse_word("run program", arguments.name, names);
  const RunSetup setup = setup_of(arguments.run, settings_of(arguments.run));
  return std::make_unique<ProgramRun>(arguments, *chosen, setup, benches.get(arguments.run, setup));
}

class ProgramRunRequest : public RunRequestOf<ProgramArguments> {
 public:
  void declare(Command& command) override {
    command.add_option("name", arguments_.name, "Program").required();
    add_run_options(command, arguments_.run);
    std::string help = "Programs:\n";
    for (const programs::Entry& entry : programs::all()) help += fmt::format("  {:<10} {}\n", entry.name, entry.help);
    add_footer(command, help +
                            "\nExamples:\n  ecube run program ring --dim 5\n  ecube run program deadlock --dim 2\n"
                            "How to add one: sw/README.md");
  }
  [[nodiscard]] std::unique_ptr<Experiment> experiment(Benches& benches) const override {
    return program_run(arguments_, benches);
  }
};

}  // namespace

std::unique_ptr<RunRequest> program_run_request() { return std::make_unique<ProgramRunRequest>(); }

}  // namespace ecube
