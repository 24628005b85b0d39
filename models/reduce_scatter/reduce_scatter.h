// SPDX-License-Identifier: Apache-2.0
// Reduce-scatter: vectors combined item by item, block i of the result on node i.
#pragma once

#include "models/family/plan.h"

namespace ecube {

/// By exchanges with the neighbours in all directions, half as many blocks in every one.
[[nodiscard]] const Collective& reduce_scatter();

}  // namespace ecube
