// SPDX-License-Identifier: Apache-2.0
// The view of a store's results: axes, figures, derived columns.
#pragma once

#include <string>
#include <vector>

#include "testbench/sweep/store/store_database.h"

namespace ecube {

/// Names of the columns without the derived ones.
[[nodiscard]] std::vector<std::string> result_columns(const std::vector<AxisScale>& axes);

/// The query that gives the rows. InputError when a derived column is not one harmless expression of the others.
[[nodiscard]] std::string results_query(const std::vector<AxisScale>& axes, const std::vector<DerivedColumn>& derived);

}  // namespace ecube
