// SPDX-License-Identifier: Apache-2.0
// Links and nodes that fail in a run: as typed, and what a run with them came to (hw/README.md section 12).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testbench/machine/test_bench.h"

namespace ecube {

/// The failures that `--fail` names: NODE:DIMENSION@TIME for a link, NODE@TIME for a node, several with commas between
/// them; without @TIME from the first edge on. "none" names none. InputError for what the cube does not have, for a
/// wrong time, and for a link or node named twice.
[[nodiscard]] std::vector<Failure> parse_failures(const std::vector<std::string>& typed, const Machine& machine,
                                                  const Topology& topology);

/// "link 5:2 from cycle 400 on" of the first eight failures, with commas between them, and how many more there are.
[[nodiscard]] std::string failures_text(const std::vector<Failure>& failures);

/// "3 circuits were cut".
[[nodiscard]] std::string cut_count_text(std::uint64_t cut);

/// Lines about the circuits that failures have cut and about how far their effect has spread; empty without failures.
[[nodiscard]] std::string cut_text(const RunSetup& setup, const RunMeasurement& measurement);

/// "failures" of the JSON object of a run.
[[nodiscard]] nlohmann::ordered_json failures_json(const RunSetup& setup);

}  // namespace ecube
