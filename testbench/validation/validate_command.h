// SPDX-License-Identifier: Apache-2.0
// `ecube validate`.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

void add_validate(Command& app, Invocation& invocation);

}  // namespace ecube
