// SPDX-License-Identifier: Apache-2.0
// One complete exchange: configuration in, measurement out.
#pragma once

#include <optional>
#include <vector>

#include "sw/exchange.h"
#include "testbench/test_bench.h"

namespace ecube {

struct ExchangeExperiment {
  RunSetup setup;
  ExchangeWorkload workload;
};

struct PhaseMeasurement {
  Phase phase;
  double us = 0;
  std::uint64_t blocked_circuits = 0;
  ExchangeTerms predicted;
};

struct ExchangeMeasurement {
  RunMeasurement run;
  std::vector<PhaseMeasurement> phases;
  std::optional<bool> verified;  ///< nothing when no payload was carried, or the run did not finish
  std::uint64_t wrong = 0;
  ExchangeParameters parameters;
  ExchangeTerms predicted;
  double average_distance_us = 0;

  [[nodiscard]] double error_percent() const { return 100.0 * (run.result.us - predicted.total()) / predicted.total(); }
};

/// Options of the equation that go with a workload.
[[nodiscard]] ExchangeOptions equation_options(const ExchangeWorkload& workload, HopCount hops);

/// Runs `exchange`, made for this experiment, and holds it against its equation with `parameters`, which on the ideal
/// engine are also what operations cost.
[[nodiscard]] ExchangeMeasurement run_exchange(TestBench& bench, const ExchangeExperiment& experiment,
                                               const ExchangeParameters& parameters, CompleteExchange& exchange);

/// The same, with the exchange made for it.
[[nodiscard]] ExchangeMeasurement run_exchange(TestBench& bench, const ExchangeExperiment& experiment,
                                               const ExchangeParameters& parameters);

}  // namespace ecube
