// SPDX-License-Identifier: Apache-2.0
// `run shuffle`, `predict shuffle` and `explain shuffle`.
#pragma once

#include "testbench/run_arguments.h"

namespace ecube {

/// Adds the subcommand to `run`.
void add_run_shuffle(CLI::App& run, Invocation& invocation);
/// Adds the subcommand to `predict`.
void add_predict_shuffle(CLI::App& predict, Invocation& invocation);
/// Adds the subcommand to `explain`.
void add_explain_shuffle(CLI::App& explain, Invocation& invocation);

}  // namespace ecube
