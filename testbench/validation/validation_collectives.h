// SPDX-License-Identifier: Apache-2.0
// Families of the collectives on vectors, from their one list.
#pragma once

#include "testbench/validation/validation.h"

namespace ecube {

/// Every collective by every algorithm on the machines that its equation describes.
[[nodiscard]] std::vector<FamilyPlan> collective_families();

}  // namespace ecube
