// SPDX-License-Identifier: Apache-2.0
// The collectives on vectors, each with its algorithms and published costs: their one list.
#pragma once

#include <span>

#include "models/family/plan.h"

namespace ecube {

/// Broadcast, scatter, gather, all-gather, reduce-scatter and scan.
[[nodiscard]] std::span<const Collective* const> collectives();

}  // namespace ecube
