// SPDX-License-Identifier: Apache-2.0
// Which partition of the complete exchange is best for which block: the answer as a value.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "testbench/exchange/exchange_request.h"

namespace ecube {

struct ExchangeHull {
  nlohmann::ordered_json json;  ///< the object of `hull exchange --json`
  std::function<void()> print;  ///< the table, on standard output
};

/// By the equation; crossovers are measured too where there is a bench. The first two arguments must outlive the hull.
[[nodiscard]] ExchangeHull exchange_hull(const ExchangeArguments& arguments, const ExchangeQuestion& question,
                                         TestBench* bench);

/// The best partitions on planes, by the equation, at delays of re-tuning: `told_of_decade`, and where the list
/// of partitions changes, to 1e-6 of the delay: [{"from_us", "faces": as in ExchangeHull}].
[[nodiscard]] nlohmann::ordered_json hulls_over_delays(ExchangeQuestion question, double from_us, double to_us,
                                                       int told_of_decade);

}  // namespace ecube
