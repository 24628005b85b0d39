// SPDX-License-Identifier: Apache-2.0
// What waits for what in a machine in which nothing can move.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/machine/topology.h"
#include "testbench/machine/test_bench.h"

namespace ecube {

/// "type 5", or what a message of a barrier is for.
[[nodiscard]] std::string type_text(std::uint32_t type);

/// Lines about the circuits and nodes of a stalled run, which nodes have finished, and the ring in which circuits wait,
/// if there is one.
[[nodiscard]] std::string stall_text(const RunMeasurement& measurement, const Topology& topology);

/// The same in figures: "cycle", "nodes" that have not finished, "circuits_in_ring" and the "ring" itself, in which
/// each circuit waits for the next: source, destination, and the link that it waits for.
[[nodiscard]] nlohmann::ordered_json stall_json(const RunMeasurement& measurement);

}  // namespace ecube
