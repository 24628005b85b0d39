// SPDX-License-Identifier: Apache-2.0
// `check FILE | exchange | shuffle | traffic`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the command and its subcommands.
void add_check(Command& app, Invocation& invocation);

}  // namespace ecube
