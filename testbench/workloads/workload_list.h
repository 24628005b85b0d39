// SPDX-License-Identifier: Apache-2.0
// All that `ecube run` runs: the one list of workloads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "testbench/run/experiment.h"

namespace ecube {

/// Adds the command `run` with all its subcommands.
void add_run(Command& app, Invocation& invocation);

/// The request that the words after `ecube run` stand for: a workload's name and its options. InputError as on the
/// command line.
[[nodiscard]] std::unique_ptr<RunRequest> run_request(std::span<const std::string> words);

/// Names of the subcommands whose workload options alone describe.
[[nodiscard]] const std::vector<std::string>& run_names();
/// The long options of `ecube run NAME` that are about workload and machine, not about output.
[[nodiscard]] std::vector<std::string> run_options(const std::string& name);

}  // namespace ecube
