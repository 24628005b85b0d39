// SPDX-License-Identifier: Apache-2.0
// `hull exchange` and `best exchange`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the subcommand to `hull`.
void add_hull_exchange(Command& hull, Invocation& invocation);
/// Adds the subcommand to `best`.
void add_best_exchange(Command& best, Invocation& invocation);

}  // namespace ecube
