// SPDX-License-Identifier: Apache-2.0
// `predict shuffle`, `best shuffle` and `explain shuffle`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the subcommand to `predict`.
void add_predict_shuffle(Command& predict, Invocation& invocation);
/// Adds the subcommand to `best`.
void add_best_shuffle(Command& best, Invocation& invocation);
/// Adds the subcommand to `explain`.
void add_explain_shuffle(Command& explain, Invocation& invocation);

}  // namespace ecube
