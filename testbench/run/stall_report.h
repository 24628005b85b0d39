// SPDX-License-Identifier: Apache-2.0
// Failed links and nodes, and what waits for what in a machine in which nothing can move.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/machine/topology.h"
#include "testbench/machine/test_bench.h"

namespace ecube {

/// "tag 5", or what a message of a barrier is for.
[[nodiscard]] std::string tag_text(std::uint32_t tag);

/// Lines about a stalled run: its circuits and nodes, which have finished, and the ring in which circuits wait, if any.
[[nodiscard]] std::string stall_text(const RunMeasurement& measurement, const Topology& topology);

/// The same in figures: "cycle", "nodes" that have not finished, "circuits_in_ring" and the "ring" itself, in which
/// each circuit waits for the next: source, destination, and the link that it waits for.
[[nodiscard]] nlohmann::ordered_json stall_json(const RunMeasurement& measurement);

/// The failures that `--fail` names: NODE:DIMENSION@TIME for a link, NODE@TIME for a node, without @TIME from the first
/// edge on; "none" names none. InputError for what the cube does not have, a wrong time, and a thing named twice.
[[nodiscard]] std::vector<Failure> parse_failures(const std::vector<std::string>& typed, const Machine& machine,
                                                  const Topology& topology);

/// "link 5:2 from cycle 400 on" of the first eight failures, with commas between them, and how many more there are.
[[nodiscard]] std::string failures_text(const std::vector<Failure>& failures);

/// "3 circuits were cut".
[[nodiscard]] std::string cut_count_text(std::uint64_t cut);

/// Lines about the circuits that failures have cut and about how far their effect has spread; empty without failures.
[[nodiscard]] std::string cut_text(const RunSetup& setup, const RunMeasurement& measurement);

[[nodiscard]] nlohmann::ordered_json failures_json(const RunSetup& setup);

}  // namespace ecube
