// SPDX-License-Identifier: Apache-2.0
// The command `report`: one offline HTML page.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

void add_report(Command& app, Invocation& invocation);

}  // namespace ecube
