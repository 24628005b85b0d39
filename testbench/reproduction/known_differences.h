// SPDX-License-Identifier: Apache-2.0
// The differences from print that are understood; `reproduce` compares its verdicts with them.
#pragma once

#include <span>

#include "testbench/figure/verdict.h"

namespace ecube {

/// A row for each check that differs, in the order of the items. `reproduce` fails when another check differs, and when
/// one of these no longer does.
[[nodiscard]] std::span<const KnownDifference> known_differences();

}  // namespace ecube
