// SPDX-License-Identifier: Apache-2.0
// Families that sample every preset as shipped, over all options of its workloads.
#pragma once

#include <vector>

#include "testbench/validation/validation.h"

namespace ecube {

/// Exchange, combine and shuffle on every preset with one port, with 2 ports, and with one for each dimension, on cubes
/// up to sampled_validation_dim. The drawn runs depend on the seed and on the family's name alone.
[[nodiscard]] std::vector<FamilyPlan> sampled_families();

}  // namespace ecube
