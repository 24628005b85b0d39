// SPDX-License-Identifier: Apache-2.0
// All published tables and figures that are done again, by paper.
#pragma once

#include <fmt/core.h>

#include <initializer_list>
#include <span>

#include "testbench/figure/figure.h"

namespace ecube {

/// The largest dimension of any result.
inline constexpr unsigned reproduction_dim = 12;

/// In the order of the papers.
[[nodiscard]] std::span<const PublishedResult> published_results();

/// A row for each check that differs, in the order of the items. `reproduce` fails when another check differs, and when
/// one of these no longer does.
[[nodiscard]] std::span<const KnownDifference> known_differences();

/// The chart with the title and axes, and the grid with the title, corner and columns, that panels.tsv has for a result
/// or a part of it. `words` are for what stands in braces there.
[[nodiscard]] Chart chart_in_words(std::string_view name, std::vector<Series> series, fmt::format_args words);
template <class... Words>
[[nodiscard]] Chart chart_of(std::string_view name, std::vector<Series> series = {}, const Words&... words) {
  return chart_in_words(name, std::move(series), fmt::make_format_args(words...));
}
[[nodiscard]] Grid grid_of(std::string_view name);

/// A row of a table or figure as the paper prints it.
struct PrintedRow {
  std::string name;
  std::string text;
  friend bool operator==(const PrintedRow&, const PrintedRow&) = default;
};
/// All of them, as [row]{result, name, text}.
[[nodiscard]] const std::vector<std::vector<std::string>>& printed_rows();
/// Those of a result; row 2 of it is judged under the name "row 2 of RESULT, NAME".
[[nodiscard]] std::vector<PrintedRow> printed(std::string_view result);

/// A parameter in print, and as it is fitted on the machine.
struct FittedNumber {
  std::string_view name;
  double printed;
  double fitted;
  std::string_view unit;
};
/// Adds a check and a row of a grid for each.
void add_fitted(Reproduction& result, const std::string& title, std::initializer_list<FittedNumber> rows);

}  // namespace ecube
