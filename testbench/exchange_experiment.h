// SPDX-License-Identifier: Apache-2.0
// One complete exchange: configuration in, measurement out.
#pragma once

#include <optional>
#include <vector>

#include "sw/exchange.h"
#include "testbench/calibration.h"
#include "testbench/run_arguments.h"

namespace ecube {

struct ExchangeExperiment {
  Machine machine;
  unsigned dim = 1;
  ExchangeWorkload workload;
  RunConditions conditions;
};

struct PhaseMeasurement {
  Phase phase;
  Cycles cycles = 0;
  std::uint64_t blocked_circuits = 0;
  ExchangeTerms predicted;
};

struct ExchangeMeasurement {
  RunMeasurement run;
  std::vector<PhaseMeasurement> phases;
  double utilisation_mean = 0;  ///< of the links, busy cycles / cycles
  double utilisation_max = 0;
  std::optional<bool> verified;  ///< nothing when no payload was carried
  std::uint64_t wrong = 0;
  ExchangeParameters parameters;
  ExchangeTerms predicted;
  double average_distance_us = 0;

  [[nodiscard]] double error_percent(const Machine& machine) const {
    return 100.0 * (machine.us(static_cast<double>(run.result.cycles)) - predicted.total()) / predicted.total();
  }
};

/// Options of the equation that go with a workload.
[[nodiscard]] ExchangeOptions equation_options(const ExchangeWorkload& workload, HopCount hops);

/// Calibrates, runs and compares. The cube is left at the end of the run, for its statistics.
[[nodiscard]] ExchangeMeasurement run_exchange(Cube& cube, const ExchangeExperiment& experiment);

}  // namespace ecube
