// SPDX-License-Identifier: Apache-2.0
// Runs a complete exchange and compares it with its equation.
#include "testbench/exchange/exchange_experiment.h"

#include <algorithm>
#include <cmath>

namespace ecube {

ExchangeOptions equation_options(const ExchangeWorkload& workload, const Machine& machine, HopCount hop_count) {
  ExchangeOptions options;
  options.hops = hop_count;
  options.order = workload.order;
  options.identity_shuffle = workload.identity_shuffle;
  options.barrier = workload.barrier;
  options.slack_us = workload.slack_us;
  options.retune_us = machine.us(static_cast<double>(machine.plane.retune_cycles + 1));
  options.retuning = workload.retuning;
  return options;
}

std::optional<StageOptions> stage_options(const ExchangeWorkload& workload, const Machine& machine, EngineChoice engine,
                                          HopCount hops) {
  if (!workload.staged()) return std::nullopt;
  StageOptions options;
  options.exchange = equation_options(workload, machine, hops);
  options.pairing = workload.pairing;
  options.service = engine == EngineChoice::ideal ? undescribed_service(machine) : node_service(machine);
  return options;
}

ExchangeTerms predicted_exchange(const Machine& machine, const Partition& partition, Bytes bytes,
                                 const ExchangeParameters& parameters, const ExchangeOptions& options,
                                 std::optional<StageOptions> stages) {
  if (!machine.on_cube()) {
    return exchange_cost(partition, machine.topology(partition.dim()), static_cast<double>(bytes), parameters, options);
  }
  if (!stages) return exchange_cost(partition, static_cast<double>(bytes), parameters, options);
  stages->exchange = options;
  return staged_cost(partition, part_lengths(bytes, static_cast<unsigned>(partition.size())), parameters, *stages);
}

namespace {

ExchangeMeasurement prediction_of(const ExchangeExperiment& experiment, const ExchangeParameters& parameters) {
  const ExchangeWorkload& workload = experiment.workload;
  ExchangeMeasurement measurement;
  measurement.parameters = parameters;
  const auto predicted = [&](HopCount hops) {
    return predicted_exchange(experiment.setup.machine, workload.partition, workload.bytes, parameters,
                              equation_options(workload, experiment.setup.machine, hops),
                              stage_options(workload, experiment.setup.machine, experiment.setup.engine, hops));
  };
  measurement.predicted = predicted(HopCount::real);
  measurement.average_distance_us = predicted(HopCount::average).total();
  return measurement;
}

std::uint64_t blocked_circuits(const ExchangeMeasurement& measurement, unsigned label) {
  const auto& blocked = measurement.run.network.link_blocked_by_label;
  return label < blocked.size() ? blocked[label].circuits : 0;
}

/// With Barrier::clock: a phase begins at the time at which the phase before it ends by the equation, plus the slack.
class StartTimes {
 public:
  StartTimes(const Machine& machine, double slack_us) : machine_(machine), slack_us_(slack_us) {}

  void add(const ExchangeTerms& phase) {
    starts_.push_back(static_cast<Cycles>(std::ceil((end_us_ + slack_us_) * machine_.clock_hz * 1e-6 - 1e-6)));
    end_us_ += phase.total();
  }
  [[nodiscard]] const std::vector<Cycles>& cycles() const { return starts_; }

 private:
  const Machine& machine_;
  double slack_us_;
  double end_us_ = 0;
  std::vector<Cycles> starts_;
};

std::optional<ClockMeasurement> clock_of(const RunSetup& setup, Barrier barrier, const PhaseClock& clock) {
  if (barrier != Barrier::clock) return std::nullopt;
  const unsigned copies = setup.folded ? setup.dim : 0;
  return ClockMeasurement{.begun = clock.begun() << copies,
                          .late = clock.late() << copies,
                          .last_after_us = setup.machine.us(static_cast<double>(clock.last_after()))};
}

}  // namespace

IdealCosts costs_of(const RunSetup& setup, const ExchangeParameters& parameters) {
  return setup.engine == EngineChoice::ideal ? ideal_costs(parameters, setup.machine, setup.dim) : IdealCosts{};
}

ExchangeMeasurement run_exchange(TestBench& bench, const ExchangeExperiment& experiment,
                                 const ExchangeParameters& parameters, CompleteExchange& exchange) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  const auto bytes = static_cast<double>(workload.bytes);
  const ExchangeOptions options = equation_options(workload, setup.machine, HopCount::real);
  ExchangeMeasurement measurement = prediction_of(experiment, parameters);
  StartTimes starts(setup.machine, workload.slack_us);
  PhaseExtents extents(setup.topology());
  const auto cost = [&](const Phase& phase) {
    return phase_cost(extents.of(phase.first, phase.dims), bytes, parameters, options);
  };
  for (const Phase& phase : exchange.phases()) starts.add(cost(phase));
  exchange.clock().set(starts.cycles());
  measurement.run = bench.run(setup, exchange.program(), costs_of(setup, parameters));
  measurement.clock = clock_of(setup, workload.barrier, exchange.clock());
  double begin = 0;
  for (const Phase& phase : exchange.phases()) {
    const double end = exchange.phase_ends_us()[phase.index];
    PhaseMeasurement measured{.phase = phase, .us = std::max(0.0, end - begin), .predicted = cost(phase)};
    measured.predicted.retuning_us = retuning_us(workload.partition, phase.index, extents, bytes, parameters, options);
    measured.blocked_circuits = blocked_circuits(measurement, phase.index);
    measurement.phases.push_back(measured);
    begin = end;
  }
  if (workload.payload != Payload::none) measurement.verify(exchange, 1);
  return measurement;
}

ExchangeMeasurement run_exchange(TestBench& bench, const ExchangeExperiment& experiment,
                                 const ExchangeParameters& parameters, StagedExchange& exchange) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  const ExchangeStages& stages = exchange.stages();
  const StageOptions options = *stage_options(workload, setup.machine, setup.engine, HopCount::real);
  const std::vector<double> lengths = part_lengths(workload.bytes, stages.count());
  ExchangeMeasurement measurement = prediction_of(experiment, parameters);
  StartTimes starts(setup.machine, workload.slack_us);
  for (unsigned number = 0; number < stages.count(); ++number) {
    starts.add(stage_cost(stages, number, lengths, parameters, options));
  }
  exchange.clock().set(starts.cycles());
  measurement.run = bench.run(setup, exchange.program(), costs_of(setup, parameters));
  measurement.clock = clock_of(setup, workload.barrier, exchange.clock());
  double begin = 0;
  for (unsigned number = 0; number < stages.count(); ++number) {
    const double end = exchange.stage_ends_us()[number];
    StageMeasurement measured;
    for (unsigned part = 0; part < lengths.size(); ++part) {
      const StagePart& what = measured.parts.emplace_back(stages.at(number, part));
      measured.steps = std::max(measured.steps, steps_of_phase(stages.phase_dims(what.phase), workload.pairing));
    }
    measured.us = std::max(0.0, end - begin);
    measured.blocked_circuits = blocked_circuits(measurement, number);
    measured.predicted = stage_cost(stages, number, lengths, parameters, options);
    measurement.stages.push_back(std::move(measured));
    begin = end;
  }
  if (workload.payload != Payload::none) measurement.verify(exchange, 1);
  return measurement;
}

ExchangeMeasurement run_exchange(TestBench& bench, const ExchangeExperiment& experiment,
                                 const ExchangeParameters& parameters) {
  if (experiment.workload.staged()) {
    StagedExchange exchange(experiment.workload, experiment.setup.dim);
    return run_exchange(bench, experiment, parameters, exchange);
  }
  CompleteExchange exchange(experiment.workload, experiment.setup.topology());
  return run_exchange(bench, experiment, parameters, exchange);
}

}  // namespace ecube
