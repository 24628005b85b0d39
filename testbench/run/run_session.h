// SPDX-License-Identifier: Apache-2.0
// One `run` command from its experiment to its exit status: progress, interruption, files, output.
#pragma once

#include <string>
#include <vector>

#include "testbench/run/experiment.h"

namespace ecube {

/// Runs the experiment with progress, in the run directory that is wanted, if any (InputError when it cannot be made).
/// A run that finishes leaves its files and prints its tables or JSON object; a run that does not finish leaves the
/// files of an earlier run as they are. Prints errors on standard error and returns the exit status. `command` is the
/// command line, for the record.
[[nodiscard]] int run_as_command(const RunArguments& arguments, Experiment& experiment,
                                 const std::vector<std::string>& command);
/// The same without any output; a run that does not finish leaves no files. std::runtime_error when its files cannot be
/// written, Interrupted when the user has stopped it.
void record_run(const RunArguments& arguments, Experiment& experiment, const std::vector<std::string>& command);

}  // namespace ecube
