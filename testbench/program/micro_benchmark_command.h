// SPDX-License-Identifier: Apache-2.0
// `run pingpong` and `run barrier`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Each adds its subcommand to `run`.
void add_run_pingpong(Command& run, Invocation& invocation);
void add_run_barrier(Command& run, Invocation& invocation);

}  // namespace ecube
