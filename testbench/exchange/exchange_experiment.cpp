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
    PhaseExtents extents(machine.topology(partition.dim()));
    return exchange_cost(partition, extents, static_cast<double>(bytes), parameters, options);
  }
  if (!stages) return exchange_cost(partition, static_cast<double>(bytes), parameters, options);
  stages->exchange = options;
  return staged_cost(partition, part_lengths(bytes, static_cast<unsigned>(partition.size())), parameters, *stages);
}

ExchangeTerms predicted_exchange(const ExchangeExperiment& experiment, const ExchangeParameters& parameters,
                                 HopCount hops) {
  const ExchangeWorkload& workload = experiment.workload;
  const RunSetup& setup = experiment.setup;
  return predicted_exchange(setup.machine, workload.partition, workload.bytes, parameters,
                            equation_options(workload, setup.machine, hops),
                            stage_options(workload, setup.machine, setup.engine, hops));
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

std::optional<ClockMeasurement> clock_of(const RunSetup& setup, Barrier barrier, const PhaseClock& clock) {
  if (barrier != Barrier::clock) return std::nullopt;
  const unsigned copies = setup.folded ? setup.dim : 0;
  return ClockMeasurement{.begun = clock.begun() << copies,
                          .late = clock.late() << copies,
                          .last_after_us = setup.machine.us(static_cast<double>(clock.last_after()))};
}

/// Runs `exchange` and measures its phases or stages, with the times `predicted`; `ends_us` are those of the exchange.
template <class Exchange>
std::vector<SectionMeasurement> run_sections(TestBench& bench, const ExchangeExperiment& experiment, Exchange& exchange,
                                             const std::vector<ExchangeTerms>& predicted,
                                             const std::vector<double>& ends_us, const FollowEnds& follow,
                                             ExchangeMeasurement& measurement) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  exchange.clock().set(start_times(setup.machine, workload.slack_us, predicted));
  if (follow) follow(ends_us);
  measurement.run = bench.run(setup, exchange.program(), costs_of(setup, measurement.parameters));
  measurement.clock = clock_of(setup, workload.barrier, exchange.clock());
  const auto& blocked = measurement.run.network.link_blocked_by_label;
  std::vector<SectionMeasurement> sections;
  double begin = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    sections.push_back({.us = std::max(0.0, ends_us[i] - begin),
                        .blocked_circuits = i < blocked.size() ? blocked[i].circuits : 0,
                        .predicted = predicted[i]});
    begin = ends_us[i];
  }
  if (workload.payload != Payload::none) measurement.verify(exchange, 1);
  return sections;
}

void run_phases(TestBench& bench, const ExchangeExperiment& experiment, const FollowEnds& follow,
                ExchangeMeasurement& measurement) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  const ExchangeParameters& parameters = measurement.parameters;
  const auto bytes = static_cast<double>(workload.bytes);
  const ExchangeOptions options = equation_options(workload, setup.machine, HopCount::real);
  CompleteExchange exchange(workload, setup.topology());
  PhaseExtents extents(setup.topology());
  std::vector<ExchangeTerms> costs;
  for (const Phase& phase : exchange.phases()) {
    costs.push_back(phase_cost(extents.of(phase.first, phase.dims), bytes, parameters, options));
  }
  const auto sections = run_sections(bench, experiment, exchange, costs, exchange.phase_ends_us(), follow, measurement);
  for (const Phase& phase : exchange.phases()) {
    PhaseMeasurement& measured = measurement.phases.emplace_back(PhaseMeasurement{sections[phase.index], phase});
    measured.predicted.retuning_us = retuning_us(workload.partition, phase.index, extents, bytes, parameters, options);
  }
}

void run_stages(TestBench& bench, const ExchangeExperiment& experiment, const FollowEnds& follow,
                ExchangeMeasurement& measurement) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  StagedExchange exchange(workload, setup.dim);
  const ExchangeStages& stages = exchange.stages();
  const StageOptions options = *stage_options(workload, setup.machine, setup.engine, HopCount::real);
  const std::vector<double> lengths = part_lengths(workload.bytes, stages.count());
  std::vector<ExchangeTerms> costs;
  for (unsigned number = 0; number < stages.count(); ++number) {
    costs.push_back(stage_cost(stages, number, lengths, measurement.parameters, options));
  }
  const auto sections = run_sections(bench, experiment, exchange, costs, exchange.stage_ends_us(), follow, measurement);
  for (unsigned number = 0; number < stages.count(); ++number) {
    StageMeasurement& measured = measurement.stages.emplace_back(StageMeasurement{sections[number], {}, 0});
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
  measurement.predicted = predicted_exchange(experiment, parameters, HopCount::real);
  measurement.average_distance_us = predicted_exchange(experiment, parameters, HopCount::average).total();
  const auto run = experiment.workload.staged() ? run_stages : run_phases;
  run(bench, experiment, follow, measurement);
  return measurement;
}

}  // namespace ecube
