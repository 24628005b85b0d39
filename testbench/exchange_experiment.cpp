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

ExchangeMeasurement run_exchange(Cube& cube, const ExchangeExperiment& experiment) {
  const ExchangeWorkload& workload = experiment.workload;
  ExchangeMeasurement measurement;
  measurement.parameters = calibrate(cube, experiment.machine).exchange(experiment.dim);
  const auto bytes = static_cast<double>(workload.bytes);
  const ExchangeOptions options = equation_options(workload, HopCount::real);
  measurement.predicted = exchange_cost(workload.partition, bytes, measurement.parameters, options);
  measurement.average_distance_us =
      exchange_cost(workload.partition, bytes, measurement.parameters, equation_options(workload, HopCount::average))
          .total();

  CompleteExchange exchange(workload, experiment.dim);
  cube.reset(experiment.machine, experiment.dim, experiment.conditions);
  measurement.run = run_program(cube, exchange.program());
  Cycles begin = 0;
  for (const Phase& phase : exchange.phases()) {
    const Cycles end = exchange.phase_ends()[phase.index];
    PhaseMeasurement measured{
        .phase = phase,
        .cycles = end > begin ? end - begin : 0,
        .predicted = phase_cost(phase.subcube.dim, experiment.dim, bytes, measurement.parameters, options)};
    const auto& blocked = measurement.run.network.link_blocked_by_label;
    if (phase.index < blocked.size()) measured.blocked_circuits = blocked[phase.index].circuits;
    measurement.phases.push_back(measured);
    begin = end;
  }
  if (measurement.run.result.status == RunResult::Status::finished && workload.payload != Payload::none) {
    measurement.wrong = exchange.wrong();
    measurement.verified = measurement.wrong == 0;
  }
  if (measurement.run.result.cycles > 0) {
    const auto run = static_cast<double>(measurement.run.result.cycles);
    const NodeId nodes = NodeId{1} << experiment.dim;
    for (unsigned dimension = 0; dimension < experiment.dim; ++dimension) {
      for (NodeId node = 0; node < nodes; ++node) {
        const double use = static_cast<double>(cube.engine().fabric().statistics({node, dimension}).busy) / run;
        measurement.utilisation_mean += use / (static_cast<double>(nodes) * experiment.dim);
        measurement.utilisation_max = std::max(measurement.utilisation_max, use);
      }
    }
  }
  return measurement;
}

}  // namespace ecube
