// SPDX-License-Identifier: Apache-2.0
// `calibrate`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the subcommand to the program.
void add_calibrate(Command& app, Invocation& invocation);

}  // namespace ecube
