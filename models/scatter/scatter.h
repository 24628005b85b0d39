// SPDX-License-Identifier: Apache-2.0
// Scatter: block i of the root's vector to node i.
#pragma once

#include "models/family/plan.h"

namespace ecube {

/// Down a binomial tree, half of the blocks at every node.
[[nodiscard]] const Collective& scatter();

}  // namespace ecube
