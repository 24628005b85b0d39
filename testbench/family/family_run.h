// SPDX-License-Identifier: Apache-2.0
// A collective on vectors as an experiment.
#pragma once

#include <memory>

#include "models/family/plan.h"
#include "testbench/run/experiment.h"

namespace ecube {

/// The options of `run NAME`, for any collective.
[[nodiscard]] std::unique_ptr<RunRequest> family_run_request(const Collective& collective);

}  // namespace ecube
