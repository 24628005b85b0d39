// SPDX-License-Identifier: Apache-2.0
// Two runs: the differences in their input, and in their figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/report/run_data.h"

namespace ecube {

/// A machine parameter, or an option of the workload; absent where a run has no such option.
struct DifferentParameter {
  std::string key;
  std::optional<std::string> first;
  std::optional<std::string> second;
};

/// A figure of both runs; absent where a run has no such figure.
struct ComparedTerm {
  std::string name;
  std::string_view unit;  ///< as Figure::unit
  std::string member;     ///< of the JSON object of a run, "predicted.us"
  std::optional<double> first;
  std::optional<double> second;

  /// In percent of the first; none when that is 0 or one is absent.
  [[nodiscard]] std::optional<double> change_percent() const;
};

struct LinkFigures {
  std::uint64_t blocked_cycles = 0;
  std::uint64_t busy_cycles = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const LinkFigures&, const LinkFigures&) = default;
};

struct ComparedLink {
  std::string link;  ///< "7:1"
  LinkFigures first;
  LinkFigures second;
};

struct Comparison {
  std::vector<DifferentParameter> parameters;
  std::vector<ComparedTerm> terms;
  bool same_links = false;  ///< both runs have the same links, so links can be compared
  std::uint64_t changed_links = 0;
  std::vector<ComparedLink> links;  ///< the links that changed most, by blocked cycles, then by busy cycles
};

inline constexpr std::size_t most_compared_links = 20;

/// InputError when a file of a run cannot be read.
[[nodiscard]] Comparison compare(const RunFiles& first, const RunFiles& second);
/// The comparison as JSON, for `compare --json` and for pages.
[[nodiscard]] nlohmann::ordered_json comparison_json(const Comparison& comparison, const RunFiles& first,
                                                     const RunFiles& second);

}  // namespace ecube
