// SPDX-License-Identifier: Apache-2.0
// One generalised shuffle: configuration in, measurement out.
#pragma once

#include <optional>

#include "models/fit/deviation.h"
#include "sw/shuffle/shuffle.h"
#include "testbench/machine/test_bench.h"

namespace ecube {

struct ShuffleExperiment {
  RunSetup setup;
  ShuffleWorkload workload;
};

struct ShuffleMeasurement {
  RunMeasurement run;
  ShuffleCount counted;  ///< exchanges of the firmware in sequence
  std::optional<bool> verified;
  std::uint64_t wrong = 0;
  ShuffleCount expected;  ///< by formula; where there is none, as counted
  bool has_formula = true;
  std::optional<ShuffleTerms> predicted;  ///< none for `route`, which depends on contention
  /// For shuffles with messages one way: the predicted time if these did not wait for their receivers.
  std::optional<double> unpaced_us;

  [[nodiscard]] double error_percent() const {
    return predicted ? deviation_percent(run.result.us, predicted->total()) : 0;
  }
};

[[nodiscard]] IdealCosts ideal_costs(const ShuffleParameters& parameters);

[[nodiscard]] ShuffleMeasurement run_shuffle(TestBench& bench, const ShuffleExperiment& experiment,
                                             const ShuffleParameters& parameters, GeneralisedShuffle& shuffle);

[[nodiscard]] ShuffleMeasurement run_shuffle(TestBench& bench, const ShuffleExperiment& experiment,
                                             const ShuffleParameters& parameters);

}  // namespace ecube
