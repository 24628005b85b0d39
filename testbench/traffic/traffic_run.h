// SPDX-License-Identifier: Apache-2.0
// Messages by a pattern or from a file, to load the network with, as an experiment.
#pragma once

#include <memory>

#include "testbench/run/experiment.h"

namespace ecube {

/// The options of `run traffic`.
[[nodiscard]] std::unique_ptr<RunRequest> traffic_run_request();

}  // namespace ecube
