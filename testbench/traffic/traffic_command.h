// SPDX-License-Identifier: Apache-2.0
// `run traffic`: messages by a pattern or from a file, to load the network with.
#pragma once

#include "testbench/run/run_arguments.h"

namespace ecube {

void add_run_traffic(Command& run, Invocation& invocation);

}  // namespace ecube
