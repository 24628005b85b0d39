// SPDX-License-Identifier: Apache-2.0
// Runs a complete exchange and holds it against its equation.
#include "testbench/exchange_experiment.h"

#include <algorithm>

namespace ecube {

ExchangeOptions equation_options(const ExchangeWorkload& workload, HopCount hop_count) {
  ExchangeOptions options;
  options.hops = hop_count;
  options.order = workload.order;
  options.identity_shuffle = workload.identity_shuffle;
  options.barrier = workload.barrier;
  return options;
}

ExchangeMeasurement run_exchange(TestBench& bench, const ExchangeExperiment& experiment,
                                 const ExchangeParameters& parameters, CompleteExchange& exchange) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  const auto bytes = static_cast<double>(workload.bytes);
  const ExchangeOptions options = equation_options(workload, HopCount::real);
  ExchangeMeasurement measurement;
  measurement.parameters = parameters;
  measurement.predicted = exchange_cost(workload.partition, bytes, parameters, options);
  measurement.average_distance_us =
      exchange_cost(workload.partition, bytes, parameters, equation_options(workload, HopCount::average)).total();

  measurement.run = bench.run(setup, exchange.program(), ideal_costs(parameters, setup.machine, setup.dim));
  double begin = 0;
  for (const Phase& phase : exchange.phases()) {
    const double end = exchange.phase_ends_us()[phase.index];
    PhaseMeasurement measured{.phase = phase,
                              .us = std::max(0.0, end - begin),
                              .predicted = phase_cost(phase.subcube.dim, setup.dim, bytes, parameters, options)};
    const auto& blocked = measurement.run.network.link_blocked_by_label;
    if (phase.index < blocked.size()) measured.blocked_circuits = blocked[phase.index].circuits;
    measurement.phases.push_back(measured);
    begin = end;
  }
  if (measurement.run.result.status == RunResult::Status::finished && workload.payload != Payload::none) {
    measurement.wrong = exchange.wrong();
    measurement.verified = measurement.wrong == 0;
  }
  return measurement;
}

ExchangeMeasurement run_exchange(TestBench& bench, const ExchangeExperiment& experiment,
                                 const ExchangeParameters& parameters) {
  CompleteExchange exchange(experiment.workload, experiment.setup.dim);
  return run_exchange(bench, experiment, parameters, exchange);
}

}  // namespace ecube
