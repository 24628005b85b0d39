// SPDX-License-Identifier: Apache-2.0
// Measured times of partitions, for the questions that otherwise the equation answers.
#pragma once

#include "testbench/exchange/exchange_request.h"

namespace ecube {

class MeasuredExchange {
 public:
  /// `bench` and `question` must outlive this object.
  MeasuredExchange(TestBench& bench, const ExchangeArguments& arguments, const ExchangeQuestion& question);

  /// Throws std::runtime_error when the run does not finish.
  [[nodiscard]] double us(const Partition& partition, Bytes bytes);

 private:
  TestBench& bench_;
  const ExchangeQuestion& question_;
  ExchangeExperiment experiment_;
};

}  // namespace ecube
