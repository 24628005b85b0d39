// SPDX-License-Identifier: Apache-2.0
// A prediction and a measurement of each of several things, each pair in a colour of its own.
#pragma once

#include <fmt/core.h>

#include <span>

#include "testbench/figure/figure.h"

namespace ecube {

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
