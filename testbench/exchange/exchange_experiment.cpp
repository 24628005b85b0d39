// SPDX-License-Identifier: Apache-2.0
// Runs a complete exchange and compares it with its equation.
#include "testbench/exchange/exchange_experiment.h"

#include <algorithm>
#include <cmath>

#include "models/exchange/hull.h"
#include "testbench/run/progress_line.h"

namespace ecube {

ExchangeEquation ExchangeEquation::with(HopCount hops) const {
  ExchangeEquation equation = *this;
  equation.options.hops = hops;
  if (equation.stages) equation.stages->exchange = equation.options;
  return equation;
}

ExchangeEquation ExchangeEquation::over(Ports ports) const {
  ExchangeEquation equation = *this;
  equation.machine.node.ports = ports;
  if (ports == Ports{}) equation.stages.reset();
  if (equation.stages) equation.stages->service.ports = ports;
  return equation;
}

ExchangeTerms ExchangeEquation::terms(const Partition& partition, Bytes bytes) const {
  const auto block = static_cast<double>(bytes);
  if (!machine.on_cube()) {
    PhaseExtents extents(machine.topology(dim));
    return exchange_cost(partition, extents, block, parameters, options);
  }
  if (!stages) return exchange_cost(partition, block, parameters, options);
  return staged_cost(partition, part_lengths(bytes, static_cast<unsigned>(partition.size())), parameters, *stages);
}

Partition ExchangeEquation::fastest(Bytes bytes, bool quiet) const {
  if (stages) {
    std::optional<CountProgress> progress;
    return best_staged_partition(dim, bytes, parameters, *stages, [&](std::size_t partitions) {
      if (!progress) progress.emplace(partitions, "partitions tried", quiet);
      progress->next();
    });
  }
  // Real hops are not constant, as the hull takes them to be: small cubes have few enough partitions to try them all.
  if (dim > max_simulated_dim) {
    const Hull hull(dim, hull_parameters(parameters, dim, options));
    return hull.partition(hull.at_block(static_cast<Wide>(bytes)));
  }
  return best_partition(machine.topology(dim), static_cast<double>(bytes), parameters, options);
}

ExchangeEquation equation_of(const ExchangeExperiment& experiment, const ExchangeParameters& parameters) {
  const auto& [setup, workload] = experiment;
  ExchangeEquation equation{.machine = setup.machine, .dim = setup.dim, .parameters = parameters};
  equation.options = {.order = workload.order,
                      .identity_shuffle = workload.identity_shuffle,
                      .barrier = workload.barrier,
                      .slack_us = workload.slack_us,
                      .retune_us = setup.machine.us(static_cast<double>(setup.machine.plane.retune_cycles + 1)),
                      .retuning = workload.retuning};
  if (workload.staged()) {
    const bool ideal = setup.engine == EngineChoice::ideal;
    equation.stages = StageOptions{.exchange = equation.options,
                                   .pairing = workload.pairing,
                                   .service = ideal ? undescribed_service(setup.machine) : node_service(setup.machine)};
  }
  return equation;
}

namespace {

/// With Barrier::clock: a phase begins at the time at which the phase before it ends by the equation, plus the slack.
std::vector<Cycles> start_times(const Machine& machine, double slack_us, const std::vector<ExchangeTerms>& phases) {
  std::vector<Cycles> starts;
  double end_us = 0;
  for (const ExchangeTerms& phase : phases) {
    starts.push_back(static_cast<Cycles>(std::ceil((end_us + slack_us) * machine.clock_hz * 1e-6 - 1e-6)));
    end_us += phase.total();
  }
  return starts;
}

/// Runs `exchange` and measures its phases or stages, with the times `predicted`; `ends_us` are those of the exchange.
template <class Exchange>
void run_sections(TestBench& bench, const ExchangeExperiment& experiment, Exchange& exchange,
                  const std::vector<ExchangeTerms>& predicted, const std::vector<double>& ends_us,
                  const FollowEnds& follow, ExchangeMeasurement& measurement) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  PhaseClock& clock = exchange.clock();
  clock.set(start_times(setup.machine, workload.slack_us, predicted));
  if (follow) follow(ends_us);
  measurement.run = bench.run(setup, exchange.program(), costs_of(setup, measurement.parameters));
  if (workload.barrier == Barrier::clock) {
    const unsigned copies = setup.folded ? setup.dim : 0;
    measurement.clock = ClockMeasurement{.begun = clock.begun() << copies,
                                         .late = clock.late() << copies,
                                         .last_after_us = setup.machine.us(static_cast<double>(clock.last_after()))};
  }
  const auto& blocked = measurement.run.network.link_blocked_by_label;
  double begin = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    measurement.sections.push_back({.us = std::max(0.0, ends_us[i] - begin),
                                    .blocked_circuits = i < blocked.size() ? blocked[i].circuits : 0,
                                    .predicted = predicted[i]});
    begin = ends_us[i];
  }
  if (workload.payload != Payload::none) measurement.verify(exchange, 1);
}

void run_phases(TestBench& bench, const ExchangeExperiment& experiment, const ExchangeEquation& equation,
                const FollowEnds& follow, ExchangeMeasurement& measurement) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  const auto bytes = static_cast<double>(workload.bytes);
  CompleteExchange exchange(workload, setup.topology());
  PhaseExtents extents(setup.topology());
  std::vector<ExchangeTerms> costs;
  for (const Phase& phase : exchange.phases()) {
    costs.push_back(phase_cost(extents.of(phase.first, phase.dims), bytes, equation.parameters, equation.options));
  }
  run_sections(bench, experiment, exchange, costs, exchange.phase_ends_us(), follow, measurement);
  for (const Phase& phase : exchange.phases()) {
    SectionMeasurement& measured = measurement.sections[phase.index];
    measured.phase = phase;
    measured.steps = phase.size() - 1;
    measured.predicted.retuning_us =
        retuning_us(workload.partition, phase.index, extents, bytes, equation.parameters, equation.options);
  }
}

void run_stages(TestBench& bench, const ExchangeExperiment& experiment, const ExchangeEquation& equation,
                const FollowEnds& follow, ExchangeMeasurement& measurement) {
  const ExchangeWorkload& workload = experiment.workload;
  StagedExchange exchange(workload, experiment.setup.dim);
  const ExchangeStages& stages = exchange.stages();
  const std::vector<double> lengths = part_lengths(workload.bytes, stages.count());
  std::vector<ExchangeTerms> costs;
  for (unsigned number = 0; number < stages.count(); ++number) {
    costs.push_back(stage_cost(stages, number, lengths, equation.parameters, *equation.stages));
  }
  run_sections(bench, experiment, exchange, costs, exchange.stage_ends_us(), follow, measurement);
  for (unsigned number = 0; number < stages.count(); ++number) {
    SectionMeasurement& measured = measurement.sections[number];
    for (unsigned part = 0; part < lengths.size(); ++part) {
      const StagePart& what = measured.parts.emplace_back(stages.at(number, part));
      measured.steps = std::max(measured.steps, steps_of_phase(stages.phase_dims(what.phase), workload.pairing));
    }
  }
}

}  // namespace

IdealCosts costs_of(const RunSetup& setup, const ExchangeParameters& parameters) {
  return setup.engine == EngineChoice::ideal ? ideal_costs(parameters, setup.machine, setup.dim) : IdealCosts{};
}

ExchangeMeasurement run_exchange(TestBench& bench, const ExchangeExperiment& experiment,
                                 const ExchangeParameters& parameters, const FollowEnds& follow) {
  ExchangeMeasurement measurement;
  measurement.parameters = parameters;
  const ExchangeWorkload& workload = experiment.workload;
  const ExchangeEquation equation = equation_of(experiment, parameters);
  measurement.predicted = equation.terms(workload.partition, workload.bytes);
  measurement.average_distance_us = equation.with(HopCount::average).terms(workload.partition, workload.bytes).total();
  const auto run = workload.staged() ? run_stages : run_phases;
  run(bench, experiment, equation, follow, measurement);
  return measurement;
}

}  // namespace ecube
