// SPDX-License-Identifier: Apache-2.0
// The generalised shuffle as an experiment.
#pragma once

#include <memory>

#include "testbench/run/experiment.h"

namespace ecube {

/// The options of `run shuffle`.
[[nodiscard]] std::unique_ptr<RunRequest> shuffle_run_request();

}  // namespace ecube
