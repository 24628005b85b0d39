// SPDX-License-Identifier: Apache-2.0
// The command `verify-router`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

void add_verify_router(Command& app, Invocation& invocation);

}  // namespace ecube
