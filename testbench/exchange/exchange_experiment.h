// SPDX-License-Identifier: Apache-2.0
// One complete exchange: configuration in, measurement out.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "models/exchange/staged_exchange_cost.h"
#include "models/fit/equation_gaps.h"
#include "sw/exchange/exchange.h"
#include "testbench/machine/test_bench.h"

namespace ecube {

using ExchangeExperiment = WorkloadOn<ExchangeWorkload>;

/// A phase or a stage, beside its equation.
struct SectionMeasurement {
  double us = 0;
  std::uint64_t blocked_circuits = 0;
  ExchangeTerms predicted{};
  std::uint64_t steps = 0;         ///< of a stage those of the part with most steps
  Phase phase{};                   ///< if it is one
  std::vector<StagePart> parts{};  ///< of a stage those that have bytes to send
};

struct ClockMeasurement {
  std::uint64_t begun = 0;  ///< phases, or stages, of all nodes
  std::uint64_t late = 0;
  double last_after_us = 0;  ///< the latest of all nodes after the start of its phase; negative if all were early
};

struct ExchangeMeasurement : DataMeasurement {
  std::vector<SectionMeasurement> sections;  ///< phases on one port, stages on several
  std::optional<ClockMeasurement> clock;
  ExchangeTerms predicted;
  double average_distance_us = 0;

  [[nodiscard]] double error_percent() const { return deviation_percent(run.result.us, predicted.total()); }
};

/// The equation of exchanges on a machine.
struct ExchangeEquation {
  Machine machine;
  unsigned dim = 0;
  ExchangeParameters parameters{};
  ExchangeOptions options{};
  std::optional<StageOptions> stages{};  ///< in stages, on several ports, and not phase by phase; with these options

  [[nodiscard]] ExchangeEquation with(HopCount hops) const;
  [[nodiscard]] ExchangeEquation over(Ports ports) const;
  [[nodiscard]] ExchangeTerms terms(const Partition& partition, Bytes bytes) const;
  /// The partition of least time. May take many seconds in stages, with progress unless `quiet`.
  [[nodiscard]] Partition fastest(Bytes bytes, bool quiet) const;
};
/// On the ideal engine the start-up is the whole of lambda.
[[nodiscard]] ExchangeEquation equation_of(const ExchangeExperiment& experiment, const ExchangeParameters& parameters);

/// What operations cost on the ideal engine. Others do not ask, and a detailed node would run long loops for them.
[[nodiscard]] IdealCosts costs_of(const RunSetup& setup, const ExchangeParameters& parameters);

/// Gets the ends of phases or stages, 0 where one has not ended, when the run begins; they live as long as the run.
using FollowEnds = std::function<void(const std::vector<double>& ends_us)>;

/// Runs the exchange beside its equation. `parameters` are the costs on the ideal engine, too.
[[nodiscard]] ExchangeMeasurement run_exchange(TestBench& bench, const ExchangeExperiment& experiment,
                                               const ExchangeParameters& parameters, const FollowEnds& follow = {});

}  // namespace ecube
