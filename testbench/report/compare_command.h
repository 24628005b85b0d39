// SPDX-License-Identifier: Apache-2.0
// The command `compare`: two runs beside each other.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

void add_compare(Command& app, Invocation& invocation);

}  // namespace ecube
