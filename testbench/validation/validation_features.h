// SPDX-License-Identifier: Apache-2.0
// Families of one feature each.
#pragma once

#include <vector>

#include "testbench/validation/validation.h"

namespace ecube {

[[nodiscard]] std::vector<FamilyPlan> feature_families();

}  // namespace ecube
