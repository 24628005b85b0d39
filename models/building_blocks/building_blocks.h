// SPDX-License-Identifier: Apache-2.0
// Collectives that are one move of blocks each: scatter, gather, all-gather and reduce-scatter.
#pragma once

#include "models/family/plan.h"

namespace ecube {

/// Over binomial trees, or by exchanges with the neighbours in all directions; in each step half as many blocks, or
/// twice as many, as in the one before.
[[nodiscard]] std::span<const Collective> building_blocks();

}  // namespace ecube
