// SPDX-License-Identifier: Apache-2.0
// Which partition of the complete exchange is best for which block: the answer as a value.
#pragma once

#include <memory>

#include "testbench/exchange/exchange_request.h"

namespace ecube {

class ExchangeHull {
 public:
  ExchangeHull() = default;
  virtual ~ExchangeHull() = default;
  ExchangeHull(const ExchangeHull&) = delete;
  ExchangeHull& operator=(const ExchangeHull&) = delete;

  /// The object of `hull exchange --json`.
  [[nodiscard]] virtual nlohmann::ordered_json json() const = 0;
  /// The table, on standard output.
  virtual void print() const = 0;
};

/// Crossovers are measured too where there is a bench. The first two arguments must outlive the hull.
[[nodiscard]] std::unique_ptr<ExchangeHull> exchange_hull(const ExchangeArguments& arguments,
                                                          const ExchangeQuestion& question, TestBench* bench);

}  // namespace ecube
