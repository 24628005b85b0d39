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

/// The request that the words after `ecube run` stand for. InputError as on the command line.
[[nodiscard]] std::unique_ptr<RunRequest> run_request(std::span<const std::string> words);

/// Names of the subcommands whose workload options alone describe.
[[nodiscard]] const std::vector<std::string>& run_names();

/// The options of `ecube run NAME` that are about workload and machine, not about output.
class RunOptions {
 public:
  explicit RunOptions(const std::string& name);

  /// Long names, without the dashes.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// A value in its one spelling: "1024" for 1KB. As it is where the option does not take it.
  [[nodiscard]] std::string spelling(const std::string& option, const std::string& value);

 private:
  std::unique_ptr<RunRequest> request_;
  Command command_;
  std::vector<std::string> names_;
};

}  // namespace ecube
