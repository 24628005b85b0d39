// SPDX-License-Identifier: Apache-2.0
// Runs exchanges beside their predictions.
#include "testbench/exchange/exchange_trials.h"

#include <algorithm>

namespace ecube {

namespace {

/// Up to this dimension all partitions are tried.
constexpr unsigned max_complete_dim = 6;
constexpr std::size_t most_partitions = 12;
/// Seeds of a candidate's runs where the machine jitters.
constexpr std::uint64_t jittered_runs = 5;
/// Runs that take less than this share of their prediction are explained.
constexpr double notable_share = 0.995;

ExchangeArguments without_payload(ExchangeArguments arguments) {
  arguments.payload = Payload::none;
  return arguments;
}

}  // namespace

bool ExchangeCandidate::ahead() const { return measured_us && *measured_us < notable_share * predicted_us; }

void sort_by_measured(std::vector<ExchangeCandidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(), [](const ExchangeCandidate& a, const ExchangeCandidate& b) {
    return a.measured_us && (!b.measured_us || *a.measured_us < *b.measured_us);
  });
}

ExchangeTrials::ExchangeTrials(TestBench& bench, const ExchangeArguments& arguments, const RunSetup& setup)
    : bench_(bench),
      arguments_(arguments),
      setup_(setup),
      typed_(exchange_workload_of(without_payload(arguments), setup)) {}

std::uint64_t ExchangeTrials::runs() const { return setup_.conditions.jitter > 0 ? jittered_runs : 1; }

std::vector<Partition> ExchangeTrials::partitions() {
  std::vector<Partition> all = partitions_of(setup_.topology());
  if (setup_.dim <= max_complete_dim || all.size() <= most_partitions) return all;
  std::vector<std::pair<double, Partition>> costed;
  for (const Partition& partition : all) {
    costed.emplace_back(predicted_us(partition, typed_way(), setup_.machine), partition);
  }
  std::stable_sort(costed.begin(), costed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  all.clear();
  for (std::size_t i = 0; i < most_partitions; ++i) all.push_back(costed[i].second);
  return all;
}

ExchangeCandidate ExchangeTrials::measure(const Partition& partition, ExchangeWay way, const Machine& machine) {
  ExchangeCandidate candidate{.partition = partition, .way = way, .ports = machine.node.ports};
  ExchangeExperiment experiment{.setup = setup_, .workload = workload(partition, way, machine)};
  experiment.setup.machine = machine;
  const ExchangeParameters parameters = parameters_for(arguments_.run, bench_, machine, setup_.dim, way.sync);
  std::vector<double> times;
  for (std::uint64_t run = 0; run < runs(); ++run) {
    experiment.setup.conditions.seed = experiment.workload.seed = setup_.conditions.seed + run;
    const ExchangeMeasurement m = run_exchange(bench_, experiment, parameters);
    candidate.predicted_us = m.predicted.total();
    candidate.average_distance_us = m.average_distance_us;
    if (run == 0) {
      candidate.blocked_circuits = m.run.network.link_blocked.circuits;
      candidate.serialised_circuits = m.run.network.serialised.circuits;
    }
    if (m.run.result.status == RunResult::Status::finished) {
      times.push_back(m.run.result.us);
    } else {
      ++candidate.unfinished;
    }
  }
  std::sort(times.begin(), times.end());
  if (candidate.unfinished == 0) candidate.measured_us = times[times.size() / 2];
  return candidate;
}

double ExchangeTrials::predicted_us(const Partition& partition, ExchangeWay way, const Machine& machine) {
  const ExchangeWorkload what = workload(partition, way, machine);
  return predicted_exchange(machine, partition, what.bytes,
                            parameters_for(arguments_.run, bench_, machine, setup_.dim, way.sync),
                            equation_options(what, machine, HopCount::real),
                            stage_options(what, machine, EngineChoice::event, HopCount::real))
      .total();
}

ExchangeWorkload ExchangeTrials::workload(const Partition& partition, ExchangeWay way, const Machine& machine) const {
  ExchangeWorkload workload = typed_;
  workload.partition = partition;
  workload.schedule = way.schedule;
  workload.sync = way.sync;
  if (typed_.ports != Ports{}) workload.ports = machine.node.ports;
  return workload;
}

}  // namespace ecube
