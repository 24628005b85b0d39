// SPDX-License-Identifier: Apache-2.0
// What published numbers are to a preset: it was set from them, they follow from it, or a run predicts them.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/reproduction/results.h"

namespace ecube {

/// Only of numbers in print, with a unit or read off a plot; counts have none. predicted: by a run that nothing was set
/// to fit. arithmetic: by equations from what the preset was set from. what-if: of another machine than the preset.
/// Empty: no number, or one that origins.tsv leaves out.
[[nodiscard]] std::string_view origin_of(std::string_view result, const Check& check);

/// How far predictions of runs are off, by paper and preset.
class Predictions {
 public:
  void add(const PublishedResult& result, const std::vector<Check>& checks);
  /// "predicted by runs, Nicol & Bokhari 1994 on ipsc860: 8 numbers, off by 7 % in the median, 16 % at worst (..)", and
  /// how many numbers are no predictions.
  [[nodiscard]] std::vector<std::string> lines() const;
  /// Paper, machine, how many numbers, and how far they are off in the median and at worst.
  [[nodiscard]] nlohmann::ordered_json rows() const;

 private:
  using Off = std::multiset<std::pair<double, std::string>>;  ///< per cent, and which
  std::map<std::pair<std::string, std::string>, Off> off_;    ///< by paper and preset
  std::multiset<std::string, std::less<>> others_;            ///< origins of other numbers
};

}  // namespace ecube
