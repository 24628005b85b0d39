// SPDX-License-Identifier: Apache-2.0
// Running firmware by name.
#pragma once

#include <string>

#include "testbench/run_arguments.h"

namespace ecube {

/// `run program NAME`. Returns the exit status; throws InputError.
int run_program_command(const std::string& name, const RunArguments& arguments);

}  // namespace ecube
