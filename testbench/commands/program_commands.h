// SPDX-License-Identifier: Apache-2.0
// The commands of the program.
#pragma once

#include "testbench/command_line/command.h"
#include "testbench/run/run_arguments.h"

namespace ecube {

inline constexpr const char* program_description =
    "ecube: a cycle-level model of circuit-switched hypercube multicomputers";

/// Adds every command, and the help text of the program itself.
void add_commands(Command& app, Invocation& invocation);

}  // namespace ecube
