// SPDX-License-Identifier: Apache-2.0
// `view RUN`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the command.
void add_view(Command& app, Invocation& invocation);

}  // namespace ecube
