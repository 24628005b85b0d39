// SPDX-License-Identifier: Apache-2.0
// `ecube init`: a project of the user's own to begin with.
#pragma once

#include "testbench/command_line/command.h"

namespace ecube {

/// Adds `init`.
void add_init(Command& app);

}  // namespace ecube
