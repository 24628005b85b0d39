// SPDX-License-Identifier: Apache-2.0
// `sweep STUDY.toml | plan | export`, and the worker that a sweep starts.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the command, its subcommands, and the hidden command of the workers.
void add_sweep(Command& app, Invocation& invocation);

}  // namespace ecube
