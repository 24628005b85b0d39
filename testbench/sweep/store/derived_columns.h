// SPDX-License-Identifier: Apache-2.0
// Derived columns, what their expressions may contain, and the view of results that has them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sweep/store/store_database.h"
#include "testbench/sweep/study.h"

namespace ecube {

[[nodiscard]] std::span<const std::string_view> derived_functions();

inline constexpr std::size_t max_derived = 100;
inline constexpr std::size_t max_expression_bytes = 2000;

/// InputError, with the place, unless every derived column has a name of its own and is one expression of `columns`,
/// numbers, texts, operators and derived_functions(). Such an expression reads its own row and nothing else, cannot end
/// the surrounding SQL, and takes a bounded number of steps. Studies and stores may come from strangers: SQLite
/// compiles every expression under an authorizer first, in a database of one table with no rows.
void check_derived(const std::vector<DerivedColumn>& derived, const std::vector<std::string>& columns);

[[nodiscard]] std::vector<std::string> result_columns(const std::vector<AxisScale>& axes);

/// The query that gives the rows. InputError when a derived column is not one harmless expression of the others.
[[nodiscard]] std::string results_query(const std::vector<AxisScale>& axes, const std::vector<DerivedColumn>& derived);

}  // namespace ecube
