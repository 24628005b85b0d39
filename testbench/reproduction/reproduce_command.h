// SPDX-License-Identifier: Apache-2.0
// `reproduce`: published results, measured again.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the subcommand to the program.
void add_reproduce(Command& app, Invocation& invocation);

}  // namespace ecube
