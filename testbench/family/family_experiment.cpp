// SPDX-License-Identifier: Apache-2.0
// Runs a collective on vectors and compares it with its equation.
#include "testbench/family/family_experiment.h"

#include <algorithm>

#include "testbench/collective/equation_note.h"

namespace ecube {

CollectiveWorkload family_workload(const FamilyQuestion& question, const FamilyChoice& choice, const RunSetup& setup,
                                   Payload payload) {
  CollectiveWorkload workload;
  workload.collective = question.collective;
  workload.algorithm = choice.algorithm;
  workload.problem = choice.problem;
  workload.operation = CombineOperation::of(question.function, question.type);
  workload.initial = random_items(question.type, question.function, setup.conditions.seed);
  // On the ideal engine partners always meet.
  if (setup.engine != EngineChoice::ideal) workload.handshake = handshake_of(setup.machine);
  workload.carried = payload == Payload::bytes;
  workload.tags = payload == Payload::tags;
  return workload;
}

FamilyMeasurement run_family(TestBench& bench, const RunSetup& setup, const FamilyQuestion& question,
                             const FamilyChoice& choice, CollectiveRun& collective) {
  FamilyMeasurement measurement;
  measurement.predicted_us = choice.cost.us;
  measurement.run = bench.run(setup, collective.program(), ideal_costs(question.parameters, bytes_of(question.type)));
  double begin = 0;
  for (const double end : collective.step_ends_us()) {
    measurement.step_us.push_back(std::max(0.0, end - begin));
    begin = std::max(begin, end);
  }
  if (measurement.run.result.status == RunResult::Status::finished) {
    measurement.wrong = collective.wrong();
    measurement.verified = measurement.wrong == 0;
  }
  return measurement;
}

std::vector<std::optional<double>> measured_us(TestBench& bench, RunSetup setup, const FamilyQuestion& question,
                                               const std::vector<FamilyChoice>& choices) {
  std::uint64_t messages = 0;
  for (const FamilyChoice& one : choices) {
    messages += measured_messages(setup.machine, 1, one.cost.messages(), one.problem.items * bytes_of(question.type));
    if (messages > most_measured_messages) return {};
  }
  std::vector<std::optional<double>> us;
  for (const FamilyChoice& one : choices) {
    setup.machine.node.ports = one.problem.ports;
    CollectiveRun collective(family_workload(question, one, setup, Payload::none));
    const RunResult result = run_family(bench, setup, question, one, collective).run.result;
    us.push_back(result.status == RunResult::Status::finished ? std::optional(result.us) : std::nullopt);
  }
  return us;
}

}  // namespace ecube
