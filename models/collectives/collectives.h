// SPDX-License-Identifier: Apache-2.0
// The collectives on vectors and their one list: a new collective is a file of its own, or a row of building_blocks,
// and a row here.
#pragma once

#include <span>

#include "models/family/plan.h"

namespace ecube {

/// Broadcast, the root's vector to every node: by a binomial tree, by scattering and gathering again, or by
/// edge-disjoint spanning binomial trees.
[[nodiscard]] const Collective& broadcast();
/// Collectives that are one move of blocks each, scatter, gather, all-gather and reduce-scatter: over binomial trees,
/// or by exchanges with the neighbours in all directions; in each step half as many blocks, or twice as many, as in the
/// one before.
[[nodiscard]] std::span<const Collective> building_blocks();
/// Prefix (scan), node i gets the vectors of nodes 0 .. i combined: by exchanges of running totals with the neighbours
/// in directions 0, 1, .., whole or in packets.
[[nodiscard]] const Collective& scan();

[[nodiscard]] std::span<const Collective* const> collectives();

}  // namespace ecube
