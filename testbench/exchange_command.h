// SPDX-License-Identifier: Apache-2.0
// `run exchange` and `predict exchange`.
#pragma once

#include "testbench/run_arguments.h"

namespace ecube {

/// Adds the subcommand to `run`.
void add_run_exchange(Command& run, Invocation& invocation);
/// Adds the subcommand to `predict`.
void add_predict_exchange(Command& predict, Invocation& invocation);

}  // namespace ecube
