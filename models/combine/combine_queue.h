// SPDX-License-Identifier: Apache-2.0
// The cost of a global combine where the start-ups of a node's messages queue on its processor.
#pragma once

#include "models/combine/combine_cost.h"

namespace ecube {

/// Largest dimension for which every node is followed.
inline constexpr unsigned max_followed_dim = 8;

/// combine_cost(), or tree_cost() for version 1, with the queue of every node followed: nodes with empty, shorter or
/// fewer messages end a step sooner, which changes the order of start-ups and receipts. Queues are followed up to
/// max_followed_dim, if start-ups queue, the parameters give the processor's share and several parts are sent at once.
/// CombineTerms::queued_startup_us of the whole is then timeline_us() of all nodes minus the other terms. The steps
/// stay those of combine_cost(), in which every node takes as long as the longest.
[[nodiscard]] CombineCost followed_cost(const CombineProblem& problem, const CombineParameters& parameters,
                                        const HalvingRule& rule, bool tree);

}  // namespace ecube
