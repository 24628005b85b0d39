// SPDX-License-Identifier: Apache-2.0
// The table of origins, and the errors of predictions.
#include "testbench/reproduction/origins.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "testbench/text/csv.h"

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
      off_[{paper, std::string(result.preset)}].emplace_back(std::abs(*check.distance_percent), check.statement);
    } else if (!origin.empty()) {
      ++others_[std::string(origin)];
    }
  }
}

std::vector<Predictions::Row> Predictions::rows() const {
  std::vector<Row> result;
  for (const auto& [where, off] : off_) {
    Off sorted = off;
    std::ranges::sort(sorted);
    const std::size_t half = sorted.size() / 2;
    const double median =
        sorted.size() % 2 == 1 ? sorted[half].first : (sorted[half - 1].first + sorted[half].first) / 2;
    result.push_back({where.first, where.second, sorted.size(), median, sorted.back().first, sorted.back().second});
  }
  return result;
}

std::vector<std::string> Predictions::lines() const {
  std::vector<std::string> result;
  for (const Row& row : rows()) {
    result.push_back(
        fmt::format("predicted by runs, {} on {}: {} {}, off by {:.0f} % in the median, {:.0f} % at worst ({})",
                    row.paper, row.preset, row.numbers, row.numbers == 1 ? "number" : "numbers", row.median_percent,
                    row.worst_percent, row.worst));
  }
  const auto count = [&](std::string_view origin) {
    const auto found = others_.find(origin);
    return found == others_.end() ? 0 : found->second;
  };
  if (!others_.empty()) {
    result.push_back(fmt::format(
        "no predictions: {} numbers that a preset was set from, {} that follow from it by arithmetic, {} what-ifs",
        count("set"), count("arithmetic"), count("what-if")));
  }
  return result;
}

}  // namespace ecube
