// SPDX-License-Identifier: Apache-2.0
// The data of a reproduced result, as a file and for a page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "testbench/figure/figure.h"

namespace ecube {

[[nodiscard]] std::string csv_of(const Reproduction& reproduction);

/// All panels as the report's pages draw them (testbench/report/page/results.js).
[[nodiscard]] nlohmann::ordered_json panels_json(const Reproduction& reproduction);

}  // namespace ecube
