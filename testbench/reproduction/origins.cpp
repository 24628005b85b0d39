// SPDX-License-Identifier: Apache-2.0
// The table of origins, and the errors of predictions.
#include "testbench/reproduction/origins.h"

#include <fmt/core.h>

#include <cmath>
#include <cstddef>
#include <iterator>

#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"

namespace ecube {

extern const char* const origins_table;

std::string_view origin_of(std::string_view result, const Check& check) {
  const bool counted = check.tolerance && check.tolerance->reason == exactly.reason;
  if (check.compared_with != ComparedWith::print || !check.distance_percent || counted) return "";
  static const std::vector<std::vector<std::string>> rows = table_rows(origins_table, 3);
  for (const std::vector<std::string>& row : rows) {
    if (result.starts_with(row[0]) && check.statement.find(row[1]) != std::string::npos) return row[2];
  }
  return "";
}

void Predictions::add(const PublishedResult& result, const std::vector<Check>& checks) {
  const std::string_view what = result.what;
  const std::string paper(what.substr(0, what.find(',')));
  for (const Check& check : checks) {
    const std::string_view origin = origin_of(result.id, check);
    if (origin == "predicted") {
      off_[{paper, std::string(result.preset)}].emplace(std::abs(*check.distance_percent), check.statement);
    } else if (!origin.empty()) {
      others_.emplace(origin);
    }
  }
}

Json Predictions::rows() const {
  Json result = Json::array();
  for (const auto& [where, off] : off_) {
    const auto upper = std::next(off.begin(), static_cast<std::ptrdiff_t>(off.size() / 2));
    const double median = off.size() % 2 == 1 ? upper->first : (std::prev(upper)->first + upper->first) / 2;
    const auto& [worst_percent, worst] = *off.rbegin();
    result.push_back({{"paper", where.first},
                      {"machine", where.second},
                      {"numbers", off.size()},
                      {"median_percent", median},
                      {"worst_percent", worst_percent},
                      {"worst", worst}});
  }
  return result;
}

std::vector<std::string> Predictions::lines() const {
  std::vector<std::string> result;
  for (const Json& row : rows()) {
    const auto text = [&](const char* member) { return row[member].get<std::string>(); };
    const auto numbers = row["numbers"].get<std::size_t>();
    result.push_back(
        fmt::format("predicted by runs, {} on {}: {} {}, off by {:.0f} % in the median, {:.0f} % at worst ({})",
                    text("paper"), text("machine"), numbers, numbers == 1 ? "number" : "numbers",
                    row["median_percent"].get<double>(), row["worst_percent"].get<double>(), text("worst")));
  }
  if (!others_.empty()) {
    result.push_back(fmt::format(
        "no predictions: {} numbers that a preset was set from, {} that follow from it by arithmetic, {} what-ifs",
        others_.count("set"), others_.count("arithmetic"), others_.count("what-if")));
  }
  return result;
}

}  // namespace ecube
