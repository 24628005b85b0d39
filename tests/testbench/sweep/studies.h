// SPDX-License-Identifier: Apache-2.0
// Studies and stores of a few points, for tests.
#pragma once

#include <nlohmann/json.hpp>

#include "testbench/sweep/store/store.h"
#include "testbench/sweep/study.h"
#include "tests/test.h"

namespace ecube {

inline Study study(const std::string& text) { return parse_study("run = \"exchange\"\n" + text, "my.toml"); }

inline std::vector<StudyPoint> points(const Study& study) {
  std::vector<StudyPoint> all;
  for_each_point(study, [&all](const StudyPoint& point) {
    all.push_back(point);
    return true;
  });
  return all;
}

inline std::vector<std::string> values(const Study& study, std::size_t key = 0) {
  std::vector<std::string> all;
  for (const StudyPoint& point : points(study)) all.push_back(point.axis[key].value);
  return all;
}

/// The result of a point that took `us` on a machine of 40 MHz.
inline PointResult done(double us) {
  return {.done = true,
          .wall_s = 0.5,
          .outcome = nlohmann::ordered_json({{"measured", {{"cycles", us * 40}, {"us", us}}}}).dump()};
}

/// A column of a store, by the number of its point.
inline std::map<std::uint64_t, double> results(const std::string& directory, const std::string& column) {
  std::map<std::uint64_t, double> found;
  std::size_t place = 0;
  StoreReader(directory).results(
      [&](const std::vector<std::string>& names) {
        place = static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin());
        ASSERT_LT(place, names.size()) << column;
      },
      [&](const std::vector<nlohmann::ordered_json>& row) { found[row[0]] = row[place]; });
  return found;
}

}  // namespace ecube
