// SPDX-License-Identifier: Apache-2.0
// What results gather run by run: the points of a grid for which a statement is right, how far times are off, and
// curves.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "testbench/figure/figure.h"

namespace ecube {

struct Tally {
  std::size_t points = 0;
  std::size_t right = 0;
  std::string first_wrong{};

  void add(bool equal, const std::string& where) {
    ++points;
    right += equal ? 1 : 0;
    if (!equal && first_wrong.empty()) first_wrong = where;
  }
  /// Agrees if all points are right, and if there are any.
  [[nodiscard]] Check check(ComparedWith with, const std::string& what) const {
    std::string reached = fmt::format("{} of {} points", right, points);
    if (!first_wrong.empty()) reached += ", not at " + first_wrong;
    return statement_check(with, what, points > 0 && right == points, std::move(reached));
  }
};

/// How far results are from what is expected, at most.
struct Furthest {
  double percent = 0;

  void add(double reached, double expected) { percent = std::max(percent, 100 * std::abs(reached / expected - 1)); }
  [[nodiscard]] Check check(ComparedWith with, std::string statement, double limit) const {
    return statement_check(with, std::move(statement), percent < limit,
                           percent < 1e-9 ? "equal" : fmt::format("furthest off {:.2g} %", percent));
  }
};

/// A prediction and a measurement of each of several things, each pair in a colour of its own.
struct Curves {
  std::vector<Series> series{};

  Curves(std::span<const std::string_view> names, std::string_view predicted, std::string_view measured = " measured") {
    for (const std::string_view name : names) {
      const auto colour = static_cast<unsigned>(series.size() / 2);
      series.push_back({.name = fmt::format("{}{}", name, predicted), .colour = colour});
      series.push_back({.name = fmt::format("{}{}", name, measured), .kind = SeriesKind::measured, .colour = colour});
    }
  }
  [[nodiscard]] std::vector<std::pair<double, double>>& predicted(std::size_t which) {
    return series[2 * which].points;
  }
  [[nodiscard]] std::vector<std::pair<double, double>>& measured(std::size_t which) {
    return series[2 * which + 1].points;
  }
  void add(std::size_t which, double x, double by_prediction, double by_measurement) {
    predicted(which).emplace_back(x, by_prediction);
    measured(which).emplace_back(x, by_measurement);
  }
};

}  // namespace ecube
