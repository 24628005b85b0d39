// SPDX-License-Identifier: Apache-2.0
// `predict exchange` and `explain exchange`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the subcommand to `predict`.
void add_predict_exchange(Command& predict, Invocation& invocation);
/// Adds the subcommand to `explain`.
void add_explain_exchange(Command& explain, Invocation& invocation);

}  // namespace ecube
