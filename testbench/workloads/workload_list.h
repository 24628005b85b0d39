// SPDX-License-Identifier: Apache-2.0
// All that `ecube run` runs: the one list of workloads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/run/experiment.h"

namespace ecube {

/// Adds the command `run` with all its subcommands.
void add_run(Command& app, Invocation& invocation);

/// The request that the words after `ecube run` stand for. InputError as on the command line.
[[nodiscard]] std::unique_ptr<RunRequest> run_request(std::span<const std::string> words);

/// Names of the subcommands whose workload options alone describe.
[[nodiscard]] std::vector<std::string_view> run_names();

/// The command `ecube run NAME`, and its options about workload and machine, not about output.
struct RunOptions {
  /// `name`: of run_names().
  explicit RunOptions(const std::string& name);

  std::unique_ptr<RunRequest> request;
  Command command;
  std::vector<std::string> names;  ///< long ones, without the dashes
};

}  // namespace ecube
