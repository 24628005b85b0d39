// SPDX-License-Identifier: Apache-2.0
// Runs a generalised shuffle and compares it with its equation.
#include "testbench/shuffle/shuffle_experiment.h"

#include <algorithm>

#include "models/shuffle/shuffle_queue.h"

namespace ecube {

namespace {

bool has_one_way_steps(const ShuffleWorkload& workload, unsigned dim) {
  if (workload.extend > 0) return true;
  const std::vector<DimensionPermutation> stages = stages_of(workload);
  return std::any_of(stages.begin(), stages.end(), [&](const auto& stage) {
    const RealParts parts = real_parts(factor(stage), workload, dim);
    return !parts.by_a2.empty() || !parts.rounds.empty();
  });
}

}  // namespace

IdealCosts ideal_costs(const ShuffleParameters& parameters) {
  const ExchangeParameters message{
      .lambda_us = parameters.tau_us,
      .tau_us_per_byte = parameters.tc_us_per_element / static_cast<double>(element_bytes)};
  return {.message = message,
          .exchange = message,
          .rho_us_per_byte = parameters.rho_us_per_element / static_cast<double>(element_bytes)};
}

ShuffleMeasurement run_shuffle(TestBench& bench, const ShuffleExperiment& experiment,
                               const ShuffleParameters& parameters, GeneralisedShuffle& shuffle) {
  ShuffleMeasurement measurement;
  const ShuffleWorkload& workload = experiment.workload;
  const auto formula = formula_of(workload, experiment.setup.dim);
  measurement.has_formula = formula.has_value();
  if (workload.method != ShuffleMethod::route) {
    measurement.expected = formula ? *formula : count_of(workload, experiment.setup.dim);
    ShuffleParameters of_engine = parameters;
    // On the ideal engine the whole of tau is a start-up.
    if (experiment.setup.engine == EngineChoice::ideal && of_engine.processor) {
      of_engine.processor = ProcessorTimes{.startup_us = parameters.tau_us};
    }
    measurement.predicted = workload_cost(workload, experiment.setup.dim, measurement.expected, of_engine);
  }
  // The unpaced run comes first, so that the bench's last run is the run itself.
  if (has_one_way_steps(workload, experiment.setup.dim)) {
    ShuffleWorkload unpaced = workload;
    unpaced.paced = false;
    GeneralisedShuffle aside(unpaced, experiment.setup.dim);
    const RunResult result = bench.run_aside(experiment.setup, aside.program(), ideal_costs(parameters)).result;
    if (result.status == RunResult::Status::finished && aside.wrong() == 0) measurement.unpaced_us = result.us;
  }
  measurement.run = bench.run(experiment.setup, shuffle.program(), ideal_costs(parameters));
  measurement.counted = shuffle.counted();
  if (measurement.run.result.status == RunResult::Status::finished && !measurement.run.folded) {
    measurement.wrong = shuffle.wrong();
    measurement.verified = measurement.wrong == 0;
  }
  return measurement;
}

ShuffleMeasurement run_shuffle(TestBench& bench, const ShuffleExperiment& experiment,
                               const ShuffleParameters& parameters) {
  GeneralisedShuffle shuffle(experiment.workload, experiment.setup.dim);
  return run_shuffle(bench, experiment, parameters, shuffle);
}

}  // namespace ecube
