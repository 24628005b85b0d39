// SPDX-License-Identifier: Apache-2.0
// Prefix (scan): node i gets the vectors of nodes 0 .. i combined.
#pragma once

#include "models/family/plan.h"

namespace ecube {

/// By exchanges of running totals with the neighbours in directions 0, 1, .., whole or in packets.
[[nodiscard]] const Collective& scan();

}  // namespace ecube
