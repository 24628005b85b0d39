// SPDX-License-Identifier: Apache-2.0
// Micro-benchmarks as experiments.
#pragma once

#include <memory>

#include "testbench/run/experiment.h"

namespace ecube {

/// The options of `run pingpong`.
[[nodiscard]] std::unique_ptr<RunRequest> pingpong_run_request();
/// The options of `run barrier`.
[[nodiscard]] std::unique_ptr<RunRequest> barrier_run_request();

}  // namespace ecube
