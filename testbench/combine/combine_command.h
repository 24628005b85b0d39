// SPDX-License-Identifier: Apache-2.0
// `predict combine`, `best combine`, `hull combine` and `explain combine`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the subcommand to `predict`.
void add_predict_combine(Command& predict, Invocation& invocation);
/// Adds the subcommand to `best`.
void add_best_combine(Command& best, Invocation& invocation);
/// Adds the subcommand to `hull`.
void add_hull_combine(Command& hull, Invocation& invocation);
/// Adds the subcommand to `explain`.
void add_explain_combine(Command& explain, Invocation& invocation);

}  // namespace ecube
