// SPDX-License-Identifier: Apache-2.0
// From a program's name to its run.
#include "testbench/program_command.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "sw/examples/programs.h"
#include "sw/firmware.h"

namespace ecube {

int run_program_command(const std::string& name, const RunArguments& arguments) {
  const programs::Entry* chosen = nullptr;
  std::vector<std::string_view> names;
  for (const programs::Entry& entry : programs::all()) {
    names.push_back(entry.name);
    if (entry.name == name) chosen = &entry;
  }
  if (chosen == nullptr) refuse_word("run program", name, names);
  const Machine machine = resolve(settings_of(arguments));
  const unsigned dim = dim_of(arguments, machine, max_simulated_dim);
  Cube cube("cube", dim, hierarchy_of(arguments, dim));
  cube.reset(machine, dim, conditions_of(arguments, machine));
  Firmware firmware(chosen->body);
  const RunMeasurement measurement = run_program(cube, firmware);
  if (measurement.result.status == RunResult::Status::finished) {
    const double us = machine.us(static_cast<double>(measurement.result.cycles));
    if (arguments.json) {
      const nlohmann::ordered_json json = {{"schema", 1},
                                           {"command", "run program"},
                                           {"machine", machine_json(machine, dim)},
                                           {"workload", {{"program", name}}},
                                           {"measured", {{"cycles", measurement.result.cycles}, {"us", us}}},
                                           {"predicted", nullptr},
                                           {"error_percent", nullptr}};
      fmt::print("{}\n", json.dump(2));
    } else {
      fmt::print("{}  d={} ({} nodes)  program {}  engine event\n", machine.name, dim, 1U << dim, name);
      fmt::print("{} cycles, {:.3f} us, {} circuits, {} blocked\n", measurement.result.cycles, us,
                 measurement.network.circuits, measurement.network.link_blocked.circuits);
    }
  }
  return report_outcome(measurement, std::nullopt);
}

}  // namespace ecube
