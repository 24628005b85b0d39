// SPDX-License-Identifier: Apache-2.0
// Runs a collective on vectors and compares it with its equation.
#include "testbench/family/family_experiment.h"

#include <algorithm>

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

}  // namespace ecube
