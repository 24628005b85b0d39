// SPDX-License-Identifier: Apache-2.0
// All commands, in the order of --help.

#include <fmt/core.h>

#include <initializer_list>
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
  const auto with_commands = [&](const char* name, const char* description,
                                 std::initializer_list<AddCommand*> below) -> Command& {
    Command& command = app.add_command(name, description);
    command.require_command();
    for (AddCommand* const add : below) add(command, invocation);
    return command;
  };
  Command& predict = with_commands("predict", "The equations alone, term by term",
                                   {add_predict_exchange, add_predict_combine, add_predict_shuffle});
  Command& best = with_commands("best", "The best algorithm for this size on this machine",
                                {add_best_exchange, add_best_shuffle, add_best_combine});
  with_commands("hull", "Which algorithm is best for which size", {add_hull_exchange, add_hull_combine});
  Command& explain = with_commands("explain", "What an algorithm does: its schedule, step by step",
                                   {add_explain_combine, add_explain_exchange, add_explain_shuffle});
  add_explain_program(explain);
  for (const Collective* collective : collectives()) {
    add_predict_family(predict, *collective, invocation);
    add_best_family(best, *collective, invocation);
    add_explain_family(explain, *collective, invocation);
  }
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
