// SPDX-License-Identifier: Apache-2.0
// The global combine as an experiment.
#pragma once

#include <memory>

#include "testbench/run/experiment.h"

namespace ecube {

/// The options of `run combine`.
[[nodiscard]] std::unique_ptr<RunRequest> combine_run_request();

}  // namespace ecube
