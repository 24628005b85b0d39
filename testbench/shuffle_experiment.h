// SPDX-License-Identifier: Apache-2.0
// One generalised shuffle: configuration in, measurement out.
#pragma once

#include <optional>

#include "models/shuffle_cost.h"
#include "sw/shuffle.h"
#include "testbench/test_bench.h"

namespace ecube {

struct ShuffleExperiment {
  RunSetup setup;
  ShuffleWorkload workload;
};

struct ShuffleMeasurement {
  RunMeasurement run;
  ShuffleCount counted;  ///< what the firmware exchanged in sequence
  std::optional<bool> verified;
  std::uint64_t wrong = 0;
  ShuffleCount expected;  ///< by formula; where there is none, as counted
  bool has_formula = true;
  ShuffleTerms predicted;
  /// A2: the same when messages one way do not wait for their receivers.
  std::optional<double> unpaced_us;

  [[nodiscard]] double error_percent() const { return 100.0 * (run.result.us - predicted.total()) / predicted.total(); }
};

/// Steps and start-ups by formula; none where fewer ports than dimensions pipeline, for which there is no formula.
[[nodiscard]] std::optional<ShuffleCount> formula_of(const ShuffleWorkload& workload, unsigned dim);

/// The same counted in the plans, with the elements that alignment and realignment move.
[[nodiscard]] ShuffleCount count_of(const ShuffleWorkload& workload, std::span<const ShufflePlan> plans);

/// What operations cost on the ideal engine.
[[nodiscard]] IdealCosts ideal_costs(const ShuffleParameters& parameters);

/// Runs `shuffle`, made for this experiment, and holds it against its equation.
[[nodiscard]] ShuffleMeasurement run_shuffle(TestBench& bench, const ShuffleExperiment& experiment,
                                             const ShuffleParameters& parameters, GeneralisedShuffle& shuffle);

/// The same, with the shuffle made for it.
[[nodiscard]] ShuffleMeasurement run_shuffle(TestBench& bench, const ShuffleExperiment& experiment,
                                             const ShuffleParameters& parameters);

}  // namespace ecube
