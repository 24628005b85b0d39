// SPDX-License-Identifier: Apache-2.0
// The one list of collectives on vectors: a new collective is a room of its own, or a row of building_blocks, and a row
// here.
#pragma once

#include <span>

#include "models/family/plan.h"

namespace ecube {

[[nodiscard]] std::span<const Collective* const> collectives();

}  // namespace ecube
