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
                      .keeps_steps = workload.schedule == Schedule::xor_pairs && setup.engine != EngineChoice::ideal,
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
std::vector<Cycles> start_times(const Machine& machine, double slack_us,
                                const std::vector<SectionMeasurement>& phases) {
  std::vector<Cycles> starts;
  double end_us = 0;
  for (const SectionMeasurement& phase : phases) {
    starts.push_back(static_cast<Cycles>(std::ceil((end_us + slack_us) * machine.clock_hz * 1e-6 - 1e-6)));
    end_us += phase.predicted.total();
  }
  return starts;
}

/// Runs `exchange` and measures its phases or stages, which are predicted; `ends_us` are those of the exchange.
template <class Exchange>
void run_sections(TestBench& bench, const ExchangeExperiment& experiment, Exchange& exchange,
                  const ExchangeParameters& parameters, const std::vector<double>& ends_us, const FollowEnds& follow,
                  ExchangeMeasurement& measurement) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  Pace& clock = exchange.clock();
  clock.set(start_times(setup.machine, workload.slack_us, measurement.sections));
  if (follow) follow(ends_us);
  measurement.run = bench.run(setup, exchange.program(), costs_of(setup, parameters));
  if (workload.barrier == Barrier::clock) {
    const unsigned copies = setup.folded ? setup.dim : 0;
    measurement.clock = ClockMeasurement{.begun = clock.begun() << copies,
                                         .late = clock.late() << copies,
                                         .last_after_us = setup.machine.us(static_cast<double>(clock.last_after()))};
  }
  const auto& blocked = measurement.run.network.link_blocked_by_label;
  double begin = 0;
  for (std::size_t i = 0; i < measurement.sections.size(); ++i) {
    measurement.sections[i].us = std::max(0.0, ends_us[i] - begin);
    if (i < blocked.size()) measurement.sections[i].blocked_circuits = blocked[i].circuits;
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
  for (const Phase& phase : exchange.phases()) {
    measurement.sections.push_back(
        {.predicted = phase_cost(extents.of(phase.first, phase.dims), bytes, equation.parameters, equation.options),
         .steps = phase.size() - 1,
         .phase = phase});
  }
  run_sections(bench, experiment, exchange, equation.parameters, exchange.phase_ends_us(), follow, measurement);
  for (SectionMeasurement& section : measurement.sections) {
    section.predicted.retuning_us =
        retuning_us(workload.partition, section.phase.index, extents, bytes, equation.parameters, equation.options);
  }
}

void run_stages(TestBench& bench, const ExchangeExperiment& experiment, const ExchangeEquation& equation,
                const FollowEnds& follow, ExchangeMeasurement& measurement) {
  const ExchangeWorkload& workload = experiment.workload;
  StagedExchange exchange(workload, experiment.setup.dim);
  const ExchangeStages& stages = exchange.stages();
  const std::vector<double> lengths = part_lengths(workload.bytes, stages.count());
  for (unsigned number = 0; number < stages.count(); ++number) {
    SectionMeasurement& section = measurement.sections.emplace_back();
    section.predicted = stage_cost(stages, number, lengths, equation.parameters, *equation.stages);
    for (unsigned part = 0; part < lengths.size(); ++part) {
      const StagePart& what = section.parts.emplace_back(stages.at(number, part));
      section.steps = std::max(section.steps, steps_of_phase(stages.phase_dims(what.phase), workload.pairing));
    }
  }
  run_sections(bench, experiment, exchange, equation.parameters, exchange.stage_ends_us(), follow, measurement);
}

}  // namespace

IdealCosts costs_of(const RunSetup& setup, const ExchangeParameters& parameters) {
  return setup.engine == EngineChoice::ideal ? ideal_costs(parameters, setup.machine, setup.dim) : IdealCosts{};
}

ExchangeMeasurement run_exchange(TestBench& bench, const ExchangeExperiment& experiment,
                                 const ExchangeParameters& parameters, const FollowEnds& follow) {
  ExchangeMeasurement measurement;
  const ExchangeWorkload& workload = experiment.workload;
  const ExchangeEquation equation = equation_of(experiment, parameters);
  measurement.predicted = equation.terms(workload.partition, workload.bytes);
  measurement.average_distance_us = equation.with(HopCount::average).terms(workload.partition, workload.bytes).total();
  const auto run = workload.staged() ? run_stages : run_phases;
  run(bench, experiment, equation, follow, measurement);
  return measurement;
}

}  // namespace ecube
