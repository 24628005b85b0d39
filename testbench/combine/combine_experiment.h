// SPDX-License-Identifier: Apache-2.0
// One global combine: configuration in, measurement out.
#pragma once

#include <optional>
#include <vector>

#include "models/fit/equation_gaps.h"
#include "sw/combine/global_combine.h"
#include "testbench/machine/test_bench.h"

namespace ecube {

struct CombineExperiment {
  RunSetup setup;
  CombineWorkload workload;
};

/// Steps of one place in time: combining forward, then gathering or broadcasting back.
struct CombineStepMeasurement {
  unsigned step = 0;
  bool back = false;
  std::optional<CombineStep> predicted{};  ///< none if the longest path has no such step
  double us = 0;                           ///< from the end of the step before on the last node, to the end of this one
  std::uint64_t blocked_circuits = 0;
};

struct CombineMeasurement : DataMeasurement {
  std::vector<CombineStepMeasurement> steps;
  CombineCost predicted;

  [[nodiscard]] double error_percent() const { return deviation_percent(run.result.us, predicted.terms.total()); }
};

[[nodiscard]] CombineCost predicted_cost(const CombineWorkload& workload, const RunSetup& setup,
                                         const CombineParameters& parameters);

/// Dimension, ports, start-ups and handshake of `setup`: on the ideal engine partners always meet; messages are level
/// where they do not.
void adapt(CombineWorkload& workload, const RunSetup& setup);

[[nodiscard]] IdealCosts ideal_costs(const CombineParameters& parameters, std::uint32_t item_bytes);

/// Runs `combine`, made for this, beside its equation. `parameters` are the costs on the ideal engine, too.
[[nodiscard]] CombineMeasurement run_combine(TestBench& bench, const CombineExperiment& experiment,
                                             const CombineParameters& parameters, GlobalCombine& combine);

[[nodiscard]] CombineMeasurement run_combine(TestBench& bench, const CombineExperiment& experiment,
                                             const CombineParameters& parameters);

}  // namespace ecube
