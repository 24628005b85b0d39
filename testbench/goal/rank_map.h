// SPDX-License-Identifier: Apache-2.0
// Which node runs which rank of a schedule.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/machine/topology.h"
#include "testbench/goal/goal_file.h"

namespace ecube {

/// [rank]: its node, by `map`: "number" (rank r on node r), "gray" (rank r on node r XOR r/2, so that ranks in a row
/// are neighbours in a cube), or a file with the node of rank 0, 1, .. in its lines. There is a node for each rank.
/// ContentError with file and line for a node that is not there or has a rank already, InputError for a file of fewer
/// or more ranks, for a word that is none, and for the gray code on other topologies than cubes.
[[nodiscard]] std::vector<NodeId> nodes_of_ranks(const std::string& map, std::size_t ranks, const Topology& topology);

/// Links that a message of the schedule passes, on average.
[[nodiscard]] double mean_hops(const GoalSchedule& schedule, const Topology& topology,
                               const std::vector<NodeId>& node_of);

}  // namespace ecube
