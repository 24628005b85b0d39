// SPDX-License-Identifier: Apache-2.0
// Broadcast: the root's vector to every node.
#pragma once

#include "models/family/plan.h"

namespace ecube {

/// By a binomial tree, by scattering and gathering again, or by edge-disjoint spanning binomial trees.
[[nodiscard]] const Collective& broadcast();

}  // namespace ecube
