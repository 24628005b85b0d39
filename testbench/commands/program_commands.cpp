// SPDX-License-Identifier: Apache-2.0
// All commands, in the order of --help.

#include <fmt/core.h>

#include <memory>
#include <string>

#include "models/family/plan.h"
#include "models/machine/machine_parameters.h"
#include "models/presets/presets.h"
#include "testbench/family/family_request.h"
#include "testbench/run/commands.h"
#include "testbench/system/program_files.h"
#include "testbench/version.h"
#include "testbench/workloads/workload_list.h"

namespace ecube {

namespace {

void add_machines(Command& app, Invocation& /*invocation*/) {
  const auto name = std::make_shared<std::string>();
  const auto options = std::make_shared<bool>(false);
  Command& machines = app.add_command("machines", "Presets, every number with its source");
  machines.add_option("name", *name, "Preset to print as a machine file");
  machines.add_flag("--options", *options, "All machine parameters: key, unit, default, range, meaning");
  machines.on_run([name, options] {
    fmt::print("{}", *options        ? options_as_text()
                     : name->empty() ? presets_as_text()
                                     : std::string(preset(*name).toml));
  });
}

/// predict, best, hull and explain, each with its workloads.
void add_questions(Command& app, Invocation& invocation) {
  const auto question = [&app](const char* name, const char* description) -> Command& {
    Command& command = app.add_command(name, description);
    command.require_command();
    return command;
  };
  const Questions to{question("predict", "The equations alone, term by term"),
                     question("best", "The best algorithm for this size on this machine"),
                     question("hull", "Which algorithm is best for which size"),
                     question("explain", "What an algorithm does: its schedule, step by step"), invocation};
  for (AddQuestions* const add :
       {add_exchange_questions, add_exchange_hull, add_exchange_explanation, add_combine_questions, add_combine_hull,
        add_shuffle_questions, add_shuffle_explanation}) {
    add(to);
  }
  add_explain_program(to.explain);
  for (const Collective* collective : collectives()) add_family_questions(to, *collective);
}

}  // namespace

void add_commands(Command& app, Invocation& invocation) {
  app.require_command();
  app.add_version("--version", std::string("ecube ") + program_version);
  app.footer(
      "Examples:\n"
      "  ecube run exchange --machine ideal --dim 6 --bytes 32 --partition 3,3\n"
      "  ecube run exchange --help\n"
      "  ecube machines ipsc860\n\n" +
      std::string(installed_files().empty()
                      ? "In a checkout: ./ecube test | bench | doctor | package (see README.md)\n\n"
                      : "") +
      "Exit status: 0 good, 1 wrong data, or outside the tolerance of validate, reproduce or lesson (run has none), "
      "2 bad input, 3 stalled machine or lost message.");
  for (AddCommand* const add :
       {add_run, add_questions, add_check, add_view, add_report, add_compare, add_sweep, add_reproduce, add_validate,
        add_lesson, add_machines, add_calibrate, add_verify_router, add_init}) {
    add(app, invocation);
  }
  app.group("Run and ask", {"run", "predict", "best", "hull", "explain", "check"});
  app.group("Look", {"view", "report", "compare"});
  app.group("Studies", {"sweep"});
  app.group("Papers", {"reproduce", "validate", "lesson"});
  app.group("Machines and projects", {"machines", "calibrate", "verify-router", "init"});
}

}  // namespace ecube
