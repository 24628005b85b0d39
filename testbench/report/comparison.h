// SPDX-License-Identifier: Apache-2.0
// Two runs: the differences in their input, and in their figures.
#pragma once

#include "testbench/report/run_data.h"

namespace ecube {

/// What the terminal, `compare --json` and pages show of two runs, as JSON:
/// - "parameters" of the machine and options of the workload that differ: "key", "first", "second";
/// - "terms", the figures of either: "name", "unit", "member" (its place in the JSON of a run, as "predicted.us"),
///   "first", "second", "change_percent";
/// - "same_links": whether the runs have the same links, so that links can be compared;
/// - "changed_links": how many differ; and "links": those that changed most, by blocked cycles, then by busy cycles.
/// A value that a run does not have is null. InputError when a file of a run cannot be read.
[[nodiscard]] nlohmann::ordered_json compare(const RunFiles& first, const RunFiles& second);

}  // namespace ecube
