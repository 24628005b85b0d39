// SPDX-License-Identifier: Apache-2.0
// The `ecube` command.
#include <fmt/core.h>

#include <cstdlib>
#include <exception>
#include <span>
#include <systemc>

#include "models/machine/options.h"
#include "models/presets/presets.h"
#include "models/presets/settings.h"
#include "testbench/combine/combine_command.h"
#include "testbench/command_line/command.h"
#include "testbench/commands/calibrate_command.h"
#include "testbench/commands/check_command.h"
#include "testbench/commands/view_command.h"
#include "testbench/exchange/exchange_command.h"
#include "testbench/exchange/hull_command.h"
#include "testbench/report/compare_command.h"
#include "testbench/report/report_command.h"
#include "testbench/reproduction/reproduce_command.h"
#include "testbench/shuffle/shuffle_command.h"
#include "testbench/sweep/sweep_command.h"
#include "testbench/system/interruption.h"
#include "testbench/system/standard_streams.h"
#include "testbench/validation/validate_command.h"
#include "testbench/version.h"
#include "testbench/workloads/run_commands.h"

namespace {

constexpr int bad_input = 2;

/// models/machine/PARAMETERS.md
std::string parameters_document() {
  return "# Machine parameters: the what-if knobs\n\n"
         "Generated: `./ecube machines --options --markdown > models/machine/PARAMETERS.md`; a test keeps it true.\n\n"
         "Every parameter can be given to a run (`--set key=value`), to a machine file, and to a study as a fixed "
         "value or\n"
         "an axis (testbench/studies/README.md). Times in seconds become cycles of `clock`. Beside the defaults stands "
         "the\n"
         "preset ipsc860; `./ecube machines ipsc860` says where each of its numbers comes from.\n\n" +
         ecube::options_as_markdown(ecube::resolve(ecube::preset_settings(ecube::preset("ipsc860"))));
}

void add_machines(ecube::Command& app) {
  const auto name = std::make_shared<std::string>();
  const auto options = std::make_shared<bool>(false);
  const auto markdown = std::make_shared<bool>(false);
  ecube::Command& machines = app.add_command("machines", "Presets, every number with its source");
  machines.add_option("name", *name, "Preset to print as a machine file");
  machines.add_flag("--options", *options, "All machine parameters: key, unit, default, range, meaning");
  machines.add_flag("--markdown", *markdown, "With --options: as models/machine/PARAMETERS.md has them")
      .needs("--options");
  machines.footer(
      "Examples:\n  ecube machines\n  ecube machines ipsc860 > my.toml\n  ecube machines --options\n"
      "  ecube run exchange --machine my.toml");
  machines.on_run([name, options, markdown] {
    fmt::print("{}", *markdown       ? parameters_document()
                     : *options      ? ecube::options_as_text()
                     : name->empty() ? ecube::presets_as_text()
                                     : ecube::preset_as_toml(ecube::preset(*name)));
  });
}

int run(int argc, char** argv) {
  ecube::Command app("ecube", "ecube: a cycle-level model of circuit-switched hypercube multicomputers");
  app.require_command();
  app.add_version("--version", std::string("ecube ") + ecube::program_version);
  app.footer(
      "Examples:\n"
      "  ecube run exchange --machine ideal --dim 6 --bytes 32 --partition 3,3\n"
      "  ecube run exchange --help\n"
      "  ecube machines ipsc860\n\n"
      "In a checkout, ./ecube test, ./ecube bench and ./ecube doctor run the tests, the speed table and a check of "
      "the\n"
      "installation.\n\n"
      "Exit status: 0 good, 1 outside tolerance or wrong data, 2 bad input, 3 stalled machine or lost message.");
  ecube::Benches benches;
  ecube::Invocation invocation{.arguments = {argv, argv + argc}, .benches = &benches};

  ecube::add_run(app, invocation);
  ecube::Command& predict = app.add_command("predict", "The equations alone, term by term");
  predict.require_command();
  ecube::add_predict_exchange(predict, invocation);
  ecube::add_predict_combine(predict, invocation);
  ecube::add_predict_shuffle(predict, invocation);
  ecube::Command& best = app.add_command("best", "The best algorithm for this size on this machine");
  best.require_command();
  ecube::add_best_exchange(best, invocation);
  ecube::add_best_shuffle(best, invocation);
  ecube::add_best_combine(best, invocation);
  ecube::Command& hull = app.add_command("hull", "Which algorithm is best for which size: faces and crossovers");
  hull.require_command();
  ecube::add_hull_exchange(hull, invocation);
  ecube::add_hull_combine(hull, invocation);
  ecube::Command& explain = app.add_command("explain", "What an algorithm does: its schedule, step by step");
  explain.require_command();
  ecube::add_explain_combine(explain, invocation);
  ecube::add_explain_exchange(explain, invocation);
  ecube::add_explain_shuffle(explain, invocation);
  ecube::add_calibrate(app, invocation);
  ecube::add_validate(app, invocation);
  ecube::add_reproduce(app, invocation);
  ecube::add_check(app, invocation);
  ecube::add_view(app, invocation);
  ecube::add_sweep(app, invocation);
  ecube::add_report(app, invocation);
  ecube::add_compare(app, invocation);
  add_machines(app);

  if (!app.run(std::span(invocation.arguments).subspan(1))) return 0;
  return invocation.status;
}

int run_command(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const ecube::InputError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return bad_input;
  } catch (const ecube::Interrupted& interrupted) {
    fmt::print(stderr, "{}\n", interrupted.what());
    return ecube::interrupted_status;
  } catch (const std::exception& error) {
    if (ecube::standard_output_failed()) return 0;  // told at the end
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}

}  // namespace

namespace {

/// What SystemC has to say is no result: standard output is left to those.
void report_on_standard_error(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if ((actions & sc_core::SC_DISPLAY) != 0) fmt::print(stderr, "{}\n", sc_core::sc_report_compose_message(report));
  sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::sc_actions{sc_core::SC_DISPLAY});
}

}  // namespace

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_handler(report_on_standard_error);
  return ecube::finish_standard_output(run_command(argc, argv));
}

int main(int argc, char** argv) {
  ecube::prepare_standard_streams();
  ecube::obey_interrupts();
  // The library would print its banner before every result.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
