// SPDX-License-Identifier: Apache-2.0
// The figures of a result: one row for each, from which its JSON, its column in studies, comparisons and pages follow.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace ecube {

struct RunSetup;
struct RunMeasurement;

enum class Better : std::uint8_t { neither, less, more };
inline constexpr std::string_view better_words[] = {"", "less", "more"};

struct Figure {
  std::string_view column;  ///< of the results of a study; a time ends in its unit
  std::string_view unit;    ///< empty for counts and shares
  std::string_view member;  ///< of the JSON object of a run, "network.circuits"
  Better better = Better::neither;
  std::string_view help;
  /// Null where this run has no such figure. Without a function the workload's report has the member.
  nlohmann::ordered_json (*read)(const RunSetup& setup, const RunMeasurement& run) = nullptr;
};

/// In the order of the columns of a study.
[[nodiscard]] std::span<const Figure> figures();
[[nodiscard]] const Figure* figure_of(std::string_view column);
[[nodiscard]] nlohmann::ordered_json value_in(const nlohmann::ordered_json& result, const Figure& figure);
[[nodiscard]] nlohmann::ordered_json figure_json(const Figure& figure);
void add_figures(nlohmann::ordered_json& result, const RunSetup& setup, const RunMeasurement& run);

}  // namespace ecube
