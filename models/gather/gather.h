// SPDX-License-Identifier: Apache-2.0
// Gather: block i of every node i to the root.
#pragma once

#include "models/family/plan.h"

namespace ecube {

/// Up a binomial tree, twice as many blocks at every node.
[[nodiscard]] const Collective& gather();

}  // namespace ecube
