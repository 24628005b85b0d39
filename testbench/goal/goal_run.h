// SPDX-License-Identifier: Apache-2.0
// `run goal`: a schedule as an experiment.
#pragma once

#include <memory>

#include "testbench/run/experiment.h"

namespace ecube {

/// The options of `run goal`.
[[nodiscard]] std::unique_ptr<RunRequest> goal_run_request();

}  // namespace ecube
