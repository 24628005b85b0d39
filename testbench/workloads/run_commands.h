// SPDX-License-Identifier: Apache-2.0
// All that `ecube run` runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the command `run` with all its subcommands, or with the one called `only`.
void add_run(Command& app, Invocation& invocation, std::string_view only = {});

/// Names of the subcommands whose workload options alone describe.
[[nodiscard]] const std::vector<std::string>& run_names();
/// The long options of `ecube run NAME` that are about workload and machine, not about output.
[[nodiscard]] std::vector<std::string> run_options(const std::string& name);

}  // namespace ecube
