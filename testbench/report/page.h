// SPDX-License-Identifier: Apache-2.0
// A report as one HTML file that needs no other file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ecube {

/// The page that shows `data` (testbench/report/README.md lists its members). InputError when ECharts is not there.
[[nodiscard]] std::string report_page(const std::string& title, const nlohmann::ordered_json& data);

/// The page's place in a run directory. InputError where something else has its name, a link included.
[[nodiscard]] std::string place_of_page(const std::string& directory);

}  // namespace ecube
