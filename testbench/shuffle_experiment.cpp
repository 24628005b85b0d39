// SPDX-License-Identifier: Apache-2.0
// Runs a generalised shuffle and holds it against its equation.
#include "testbench/shuffle_experiment.h"

#include <numeric>

namespace ecube {

std::optional<ShuffleCount> formula_of(const ShuffleWorkload& workload, unsigned dim) {
  const Factors factors = factor(workload.permutation);
  const std::uint32_t engines = workload.ports.engines;
  const std::uint32_t ports = engines == Ports::n || engines > dim ? dim : engines;
  const ShuffleAlgorithm algorithm = workload.algorithm;
  ShuffleCount count;
  if (!factors.mixed.empty()) {
    std::vector<std::uint32_t> orders;
    for (const Constituent& constituent : factors.mixed) orders.push_back(constituent.order());
    const std::uint32_t dims = std::accumulate(orders.begin(), orders.end(), 0U);
    const bool pipelines = algorithm == ShuffleAlgorithm::pipelined || algorithm == ShuffleAlgorithm::concurrent ||
                           algorithm == ShuffleAlgorithm::a1_pipelined;
    if (pipelines && ports < dims && ports > 1) return std::nullopt;
    count += !pipelines || ports < dims                  ? one_port_count(orders, workload.elements, workload.packet)
             : algorithm == ShuffleAlgorithm::concurrent ? concurrent_count(orders, workload.elements, workload.packet)
                                                         : pipelined_count(orders, workload.elements, workload.packet);
  }
  for (const RealConstituent& real : factors.real) {
    if (is_a2(algorithm)) {
      count += algorithm == ShuffleAlgorithm::a2x2 && real.order() == 2
                   ? a2x2_count(workload.elements, workload.packet)
                   : a2_count(real.order(), workload.elements, workload.packet, ports < real.order() || engines == 1);
      continue;
    }
    const bool all_ports = ports >= real.order() && engines != 1;
    count += all_ports && algorithm == ShuffleAlgorithm::a1_pipelined
                 ? a1_pipelined_count(real.order(), workload.elements, workload.packet)
                 : a1_count(real.order(), workload.elements, workload.packet, !all_ports);
  }
  return count;
}

ShuffleCount count_of(const ShuffleWorkload& workload, std::span<const ShufflePlan> plans) {
  ShuffleCount count;
  for (const ShufflePlan& plan : plans) {
    count.startups += plan.steps().size();
    count.steps += plan.elements_in_sequence();
    if (workload.align) count.moved += 2 * workload.elements;
  }
  return count;
}

IdealCosts ideal_costs(const ShuffleParameters& parameters) {
  const MessageCosts message{.lambda_us = parameters.tau_us,
                             .tau_us_per_byte = parameters.tc_us_per_element / static_cast<double>(element_bytes)};
  return {.message = message,
          .exchange = message,
          .rho_us_per_byte = parameters.rho_us_per_element / static_cast<double>(element_bytes)};
}

ShuffleMeasurement run_shuffle(TestBench& bench, const ShuffleExperiment& experiment,
                               const ShuffleParameters& parameters, GeneralisedShuffle& shuffle) {
  ShuffleMeasurement measurement;
  const ShuffleCount planned = count_of(experiment.workload, shuffle.plans());
  const auto formula = formula_of(experiment.workload, experiment.setup.dim);
  measurement.has_formula = formula.has_value();
  measurement.expected = formula.value_or(planned);
  measurement.expected.moved = planned.moved;
  measurement.predicted = shuffle_cost(measurement.expected, parameters);
  // First, so that what the bench remembers of its last run is the run itself.
  if (is_a2(experiment.workload.algorithm)) {
    ShuffleWorkload unpaced = experiment.workload;
    unpaced.paced = false;
    GeneralisedShuffle aside(unpaced, experiment.setup.dim);
    const RunResult result = bench.run_aside(experiment.setup, aside.program(), ideal_costs(parameters)).result;
    if (result.status == RunResult::Status::finished && aside.wrong() == 0) measurement.unpaced_us = result.us;
  }
  measurement.run = bench.run(experiment.setup, shuffle.program(), ideal_costs(parameters));
  measurement.counted = shuffle.counted();
  if (measurement.run.result.status == RunResult::Status::finished) {
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
