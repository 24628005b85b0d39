// SPDX-License-Identifier: Apache-2.0
// The commands `sweep merge` and `sweep export`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

void add_sweep_merge(Command& sweep_command, Invocation& invocation);
void add_sweep_export(Command& sweep_command, Invocation& invocation);

}  // namespace ecube
