// SPDX-License-Identifier: Apache-2.0
// The `ecube` command.
#include <fmt/core.h>

#include <cstdlib>
#include <exception>
#include <span>
#include <systemc>

#include "models/machine/error.h"
#include "testbench/command_line/command.h"
#include "testbench/run/commands.h"
#include "testbench/run/run_arguments.h"
#include "testbench/system/process.h"

namespace {

constexpr int bad_input = 2;

int run_command(int argc, char** argv) {
  try {
    // Both stay to the end of the process, which frees them at once. Taking the modules of a large cube out of
    // SystemC's lists one by one takes time that grows with their square.
    static ecube::Command& app = *new ecube::Command("ecube", ecube::program_description);
    static ecube::Benches& benches = *new ecube::Benches;
    ecube::Invocation invocation{.arguments = {argv, argv + argc}, .benches = &benches};
    ecube::add_commands(app, invocation);
    return app.run(std::span(invocation.arguments).subspan(1)) ? invocation.status : 0;
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

/// SystemC's messages are no results, so they go to standard error.
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
  ecube::end_without_memory();
  if (const int status = ecube::take_stack(); status != 0) return status;
  // The library would print its banner before every result.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
