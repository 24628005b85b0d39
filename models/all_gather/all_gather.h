// SPDX-License-Identifier: Apache-2.0
// All-gather: block i of every node i to all nodes.
#pragma once

#include "models/family/plan.h"

namespace ecube {

/// By exchanges with the neighbours in all directions, twice as many blocks in every one.
[[nodiscard]] const Collective& all_gather();

}  // namespace ecube
