// SPDX-License-Identifier: Apache-2.0
// The `ecube` command.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <systemc>

#include "models/presets.h"
#include "testbench/exchange_command.h"
#include "testbench/program_command.h"

namespace {

constexpr int bad_input = 2;

void add_run_options(CLI::App& app, ecube::RunArguments& arguments) {
  app.add_option("--machine", arguments.machine, "Preset, or machine file (.toml)")->capture_default_str();
  app.add_option("--set", arguments.set, "Any machine parameter, as key=value");
  app.add_option("--dim", arguments.dim, "Dimension of the cube")->capture_default_str();
  app.add_option("--ports", arguments.ports, "one, n, or the number of simultaneous engines");
  app.add_option("--startups", arguments.startups, "queued or overlapped");
  app.add_option("--barrier", arguments.barrier, "none, phase or step");
  app.add_option("--protocol", arguments.protocol, "none, forced or unforced");
  app.add_option("--hierarchy", arguments.hierarchy, "auto, full or flat")->capture_default_str();
  app.add_option("--jitter", arguments.jitter, "Node starts and start-ups are longer by up to this time")
      ->capture_default_str();
  app.add_option("--seed", arguments.seed, "Seed of all random draws")->capture_default_str();
  app.add_flag("--json", arguments.json, "One JSON object on standard output");
}

void add_exchange_options(CLI::App& app, ecube::ExchangeArguments& arguments) {
  add_run_options(app, arguments.run);
  app.add_option("--bytes", arguments.bytes, "Bytes of a block")->capture_default_str();
  app.add_option("--partition", arguments.partition, "Phases: 3,3, direct or standard")->capture_default_str();
  app.add_option("--order", arguments.order, "Order of the blocks: high, low, inplace")->capture_default_str();
  app.add_option("--schedule", arguments.schedule, "xor, shift, ordered or random")->capture_default_str();
  app.add_option("--pairwise-sync", arguments.pairwise_sync, "on or off, for --schedule xor")->capture_default_str();
  app.add_option("--identity-shuffle", arguments.identity_shuffle, "charge or skip");
  app.add_option("--payload", arguments.payload, "bytes, tags or none")->capture_default_str();
}

int run(int argc, char** argv) {
  CLI::App app("ecube: a cycle-level model of circuit-switched hypercube multicomputers", "ecube");
  app.require_subcommand(1);
  ecube::ExchangeArguments arguments;
  std::string machine;
  int status = 0;
  CLI::App* const run = app.add_subcommand("run", "One experiment: measured beside predicted")->require_subcommand(1);
  CLI::App* const run_exchange = run->add_subcommand("exchange", "Multiphase complete exchange");
  add_exchange_options(*run_exchange, arguments);
  run_exchange->footer("Example: ecube run exchange --machine ideal --dim 6 --bytes 32 --partition 3,3");
  run_exchange->callback([&] { status = ecube::run_exchange_command(arguments); });
  ecube::RunArguments program_arguments;
  std::string program;
  CLI::App* const run_program = run->add_subcommand("program", "A program of your own, or one of sw/examples");
  run_program->add_option("name", program, "Program")->required();
  add_run_options(*run_program, program_arguments);
  run_program->footer("Example: ecube run program ring --dim 5");
  run_program->callback([&] { status = ecube::run_program_command(program, program_arguments); });
  CLI::App* const predict = app.add_subcommand("predict", "The equations alone, term by term")->require_subcommand(1);
  CLI::App* const predict_exchange = predict->add_subcommand("exchange", "Multiphase complete exchange");
  add_exchange_options(*predict_exchange, arguments);
  predict_exchange->callback([&] { status = ecube::predict_exchange_command(arguments); });
  CLI::App* const machines = app.add_subcommand("machines", "Presets, every number with its source");
  machines->add_option("name", machine, "Preset to print as a machine file");
  machines->callback([&] {
    fmt::print("{}", machine.empty() ? ecube::presets_as_text() : ecube::preset_as_toml(ecube::preset(machine)));
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "error: {}\n  see: ecube --help\n", error.what());
    return bad_input;
  }
  return status;
}

}  // namespace

int sc_main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const ecube::InputError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return bad_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}

int main(int argc, char** argv) {
  // The library would print its banner before every result.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
