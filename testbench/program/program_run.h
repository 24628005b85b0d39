// SPDX-License-Identifier: Apache-2.0
// A program as an experiment.
#pragma once

#include <memory>

#include "testbench/run/experiment.h"

namespace ecube {

/// The options of `run program`.
[[nodiscard]] std::unique_ptr<RunRequest> program_run_request();
/// Adds `explain program`.
void add_explain_program(Command& explain);

}  // namespace ecube
