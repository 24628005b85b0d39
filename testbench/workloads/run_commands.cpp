// SPDX-License-Identifier: Apache-2.0
// The command `run`, and its options by name.
#include "testbench/workloads/run_commands.h"

#include <algorithm>
#include <array>

#include "testbench/combine/combine_command.h"
#include "testbench/exchange/exchange_command.h"
#include "testbench/program/micro_benchmark_command.h"
#include "testbench/program/program_command.h"
#include "testbench/run/run_session.h"
#include "testbench/shuffle/shuffle_command.h"
#include "testbench/traffic/traffic_command.h"

namespace ecube {

namespace {

struct RunCommand {
  std::string_view name;
  void (*add)(Command&, Invocation&);
  bool in_studies;  ///< its options alone say what it does
};

constexpr std::array<RunCommand, 7> run_commands{{
    {"exchange", add_run_exchange, true},
    {"combine", add_run_combine, true},
    {"shuffle", add_run_shuffle, true},
    {"pingpong", add_run_pingpong, true},
    {"barrier", add_run_barrier, true},
    {"traffic", add_run_traffic, true},
    {"program", add_run_program, false},
}};

}  // namespace

void add_run(Command& app, Invocation& invocation, std::string_view only) {
  Command& run = app.add_command("run", "One experiment: measured beside predicted");
  run.require_command();
  // A run is ended in good order from its first moment on, calibration included.
  run.on_start([&invocation] { invocation.interruptible.emplace(); });
  for (const RunCommand& command : run_commands) {
    if (only.empty() || command.name == only) command.add(run, invocation);
  }
}

const std::vector<std::string>& run_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const RunCommand& command : run_commands) {
      if (command.in_studies) found.emplace_back(command.name);
    }
    return found;
  }();
  return names;
}

std::vector<std::string> run_options(const std::string& name) {
  // About where results go and how they look, and what a study says elsewhere.
  static constexpr std::array<std::string_view, 14> others{
      "help", "output", "trace",    "trace-window", "trace-filter", "circuits", "contention",
      "json", "quiet",  "no-color", "machine",      "set",          "seed",     "params"};
  Command program("ecube", "");
  Invocation invocation;
  add_run(program, invocation, name);
  std::vector<std::string> names;
  for (const std::string& option : program.command("run").command(name).option_names()) {
    if (std::find(others.begin(), others.end(), option) == others.end()) names.push_back(option);
  }
  return names;
}

}  // namespace ecube
