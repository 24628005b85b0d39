// SPDX-License-Identifier: Apache-2.0
// Which node of the cube runs which rank of a schedule.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/machine/cube.h"
#include "testbench/goal/goal_file.h"

namespace ecube {

/// [rank]: its node, by `map`: "number" (rank r on node r), "gray" (rank r on node r XOR r/2, so that ranks in a row
/// are neighbours), or a file with the node of rank 0, 1, .. in its lines. The cube has a node for each rank.
/// ContentError with file and line for a node that is not in the cube or has a rank already, InputError for a file of
/// fewer or more ranks, and for a word that is none.
[[nodiscard]] std::vector<NodeId> nodes_of_ranks(const std::string& map, std::size_t ranks, unsigned dim);

/// Links that a message of the schedule passes, on average.
[[nodiscard]] double mean_hops(const GoalSchedule& schedule, const std::vector<NodeId>& node_of);

}  // namespace ecube
