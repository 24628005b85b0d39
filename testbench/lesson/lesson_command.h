// SPDX-License-Identifier: Apache-2.0
// `ecube lesson`
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

void add_lesson(Command& app, Invocation& invocation);

}  // namespace ecube
