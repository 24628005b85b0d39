// SPDX-License-Identifier: Apache-2.0
// One collective on vectors beside its equation.
#pragma once

#include <optional>

#include "models/fit/deviation.h"
#include "testbench/family/family_request.h"

namespace ecube {

struct FamilyMeasurement {
  RunMeasurement run;
  std::vector<double> step_us;   ///< from the end of the step before on the last node, to the end of this one
  std::optional<bool> verified;  ///< nothing when no payload was carried, or the run did not finish
  std::uint64_t wrong = 0;
  double predicted_us = 0;

  [[nodiscard]] double error_percent() const { return deviation_percent(run.result.us, predicted_us); }
};

/// The workload of a choice on the machine of `setup`, with random items drawn with its seed.
[[nodiscard]] CollectiveWorkload family_workload(const FamilyQuestion& question, const FamilyChoice& choice,
                                                 const RunSetup& setup, Payload payload);

/// Runs `collective`, made for this setup. `parameters` are also the costs of operations on the ideal engine.
[[nodiscard]] FamilyMeasurement run_family(TestBench& bench, const RunSetup& setup, const FamilyQuestion& question,
                                           const FamilyChoice& choice, CollectiveRun& collective);

/// [choice]: its simulated time in us, without data; none where the run did not finish. Empty where all of them
/// together send more messages than `best` runs.
[[nodiscard]] std::vector<std::optional<double>> measured_us(TestBench& bench, RunSetup setup,
                                                             const FamilyQuestion& question,
                                                             const std::vector<FamilyChoice>& choices);

}  // namespace ecube
