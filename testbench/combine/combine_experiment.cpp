// SPDX-License-Identifier: Apache-2.0
// Runs a global combine and compares it with its equation.
#include "testbench/combine/combine_experiment.h"

#include <algorithm>

#include "models/combine/combine_queue.h"
#include "sw/micro_benchmarks/micro_benchmarks.h"

namespace ecube {

CombineProblem problem_of(const CombineWorkload& workload, const RunSetup& setup) {
  return {.dim = setup.dim,
          .items = workload.items,
          .ports = workload.ports,
          .startups = setup.machine.node.startups,
          .target = workload.target,
          .pad = workload.pad,
          .level = workload.level};
}

CombineCost predicted_cost(const CombineWorkload& workload, const RunSetup& setup,
                           const CombineParameters& parameters) {
  const CombineProblem problem = problem_of(workload, setup);
  CombineParameters of_engine = parameters;
  if (setup.engine == EngineChoice::ideal) of_engine.processor.reset();  // there the whole of alpha is a start-up
  return followed_cost(problem, of_engine, workload.rule, workload.tree);
}

void adapt(CombineWorkload& workload, const RunSetup& setup) {
  workload.ports = setup.machine.node.ports;
  const bool ideal = setup.engine == EngineChoice::ideal;
  const Handshake handshake = ideal ? Handshake{} : handshake_of(setup.machine);
  workload.sync = handshake.sync;
  workload.paired = handshake.paired;
  workload.level = handshake.sync == PairwiseSync::off;
}

IdealCosts ideal_costs(const CombineParameters& parameters, std::uint32_t item_bytes) {
  const auto message = [&](const NeighbourCost& cost) {
    return ExchangeParameters{.lambda_us = cost.alpha_us,
                              .lambda0_us = cost.alpha_zero_us,
                              .tau_us_per_byte = cost.beta_us_per_item / item_bytes,
                              .short_bytes = static_cast<double>(parameters.short_items * item_bytes),
                              .lambda_short_us = cost.alpha_short_us};
  };
  return {.message = message(parameters.one_way),
          .exchange = message(parameters.exchange),
          .gamma_us_per_item = parameters.gamma_us_per_item,
          .overlap_us_per_byte = parameters.overlap_us_per_item / item_bytes};
}

CombineMeasurement run_combine(TestBench& bench, const CombineExperiment& experiment,
                               const CombineParameters& parameters, GlobalCombine& combine) {
  const RunSetup& setup = experiment.setup;
  const CombineWorkload& workload = experiment.workload;
  CombineMeasurement measurement;
  measurement.predicted = predicted_cost(workload, setup, parameters);
  measurement.run = bench.run(setup, combine.program(), ideal_costs(parameters, workload.operation.item_bytes()));
  double begin = 0;
  for (unsigned place = 0; place < 2 * setup.dim; ++place) {
    const bool back = place >= setup.dim;
    CombineStepMeasurement step{.step = back ? 2 * setup.dim - 1 - place : place, .back = back};
    for (const CombineStep& predicted : measurement.predicted.steps) {
      const bool undoes = predicted.move == CombineMove::gather || predicted.move == CombineMove::broadcast;
      if (predicted.step == step.step && undoes == back) step.predicted = predicted;
    }
    const double end = combine.step_ends_us()[place];
    if (!step.predicted && end == 0) continue;
    step.us = std::max(0.0, end - begin);
    begin = std::max(begin, end);
    const auto& blocked = measurement.run.network.link_blocked_by_label;
    if (place < blocked.size()) step.blocked_circuits = blocked[place].circuits;
    measurement.steps.push_back(step);
  }
  if (measurement.run.result.status == RunResult::Status::finished && workload.payload != Payload::none) {
    measurement.wrong = combine.wrong();
    if (!measurement.run.folded || measurement.wrong > 0) {
      measurement.verified = measurement.wrong == 0;
    } else if (workload.payload == Payload::tags) {
      measurement.verified_nodes = 1;
    }
  }
  return measurement;
}

CombineMeasurement run_combine(TestBench& bench, const CombineExperiment& experiment,
                               const CombineParameters& parameters) {
  GlobalCombine combine(experiment.workload, experiment.setup.dim);
  return run_combine(bench, experiment, parameters, combine);
}

}  // namespace ecube
