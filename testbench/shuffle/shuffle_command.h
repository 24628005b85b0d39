// SPDX-License-Identifier: Apache-2.0
// `run shuffle`, `predict shuffle`, `best shuffle` and `explain shuffle`.
#pragma once

#include <nlohmann/json.hpp>

#include "testbench/shuffle/shuffle_request.h"

namespace ecube {

/// "workload" of the JSON output, on a cube of `dim` dimensions.
[[nodiscard]] nlohmann::ordered_json shuffle_json(const ShuffleWorkload& workload, unsigned dim);

/// Adds the subcommand to `run`.
void add_run_shuffle(Command& run, Invocation& invocation);
/// Adds the subcommand to `predict`.
void add_predict_shuffle(Command& predict, Invocation& invocation);
/// Adds the subcommand to `best`.
void add_best_shuffle(Command& best, Invocation& invocation);
/// Adds the subcommand to `explain`.
void add_explain_shuffle(Command& explain, Invocation& invocation);

}  // namespace ecube
