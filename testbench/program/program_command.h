// SPDX-License-Identifier: Apache-2.0
// `run program NAME`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the subcommand to `run`.
void add_run_program(Command& run, Invocation& invocation);

}  // namespace ecube
