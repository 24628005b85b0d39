// SPDX-License-Identifier: Apache-2.0
// The command `run`, and its options by name.
#include "testbench/run_commands.h"

#include <algorithm>
#include <array>

#include "testbench/combine_command.h"
#include "testbench/exchange_command.h"
#include "testbench/micro_benchmark_command.h"
#include "testbench/program_command.h"
#include "testbench/run_session.h"
#include "testbench/shuffle_command.h"
#include "testbench/traffic_command.h"

namespace ecube {

namespace {

struct RunCommand {
  std::string_view name;
  void (*add)(CLI::App&, Invocation&);
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

void add_run(CLI::App& app, Invocation& invocation, std::string_view only) {
  CLI::App* const run = app.add_subcommand("run", "One experiment: measured beside predicted")->require_subcommand(1);
  // A run is ended in good order from its first moment on, calibration included.
  run->preparse_callback([&invocation](std::size_t) { invocation.interruptible.emplace(); });
  for (const RunCommand& command : run_commands) {
    if (only.empty() || command.name == only) command.add(*run, invocation);
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
  CLI::App app;
  Invocation invocation;
  add_run(app, invocation, name);
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_subcommand("run")->get_subcommand(name)->get_options()) {
    for (const std::string& long_name : option->get_lnames()) {
      if (std::find(others.begin(), others.end(), long_name) == others.end()) names.push_back(long_name);
    }
  }
  return names;
}

}  // namespace ecube
