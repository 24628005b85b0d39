// SPDX-License-Identifier: Apache-2.0
// What waits for what in a machine in which nothing can move.
#pragma once

#include <string>

#include "testbench/machine/test_bench.h"

namespace ecube {

/// Lines about the circuits and nodes of a stalled run, and about the ring in which circuits wait, if there is one.
[[nodiscard]] std::string stall_text(const RunMeasurement& measurement, unsigned dim);

}  // namespace ecube
