// SPDX-License-Identifier: Apache-2.0
// The figures of a result, the rows of figures.tsv: columns of studies, comparisons and pages follow from them.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace ecube {

struct Figure {
  std::string_view column;  ///< of the results of a study; a time ends in its unit
  std::string_view unit;    ///< empty for counts and shares
  std::string_view member;  ///< of the JSON object of a run, "network.circuits"
  std::string_view better;  ///< "less", "more", or empty
  std::string_view help;
};

/// In the order of the columns of a study.
[[nodiscard]] std::span<const Figure> figures();
[[nodiscard]] const Figure* figure_of(std::string_view column);
/// Null where this run has no such figure.
[[nodiscard]] nlohmann::ordered_json value_in(const nlohmann::ordered_json& result, const Figure& figure);
[[nodiscard]] nlohmann::ordered_json figure_json(const Figure& figure);

}  // namespace ecube
