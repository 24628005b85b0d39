// SPDX-License-Identifier: Apache-2.0
// A report as one HTML file that needs no other file.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ecube {

enum class PageCharts : std::uint8_t { drawn, none };

/// A page of a kind, which shows `members` (testbench/report/README.md). InputError when charts are to be drawn, and
/// ECharts is not there.
[[nodiscard]] std::string report_page(const std::string& title, const std::string& kind,
                                      const nlohmann::ordered_json& members, PageCharts wanted = PageCharts::drawn);

/// The page of results, done again by `command`: `lines` about all of them, and whether all are as they should be; then
/// `entries`, each with id, what, panels, checks, command and files (page/results.js).
[[nodiscard]] std::string results_page(const std::string& title, const std::string& command,
                                       const std::vector<std::string>& lines, bool good,
                                       const nlohmann::ordered_json& entries, PageCharts wanted);

/// InputError unless there is what draws charts.
void require_charts();

/// The page's place in a run directory. InputError where something else has its name, a link included.
[[nodiscard]] std::string place_of_page(const std::string& directory);

}  // namespace ecube
