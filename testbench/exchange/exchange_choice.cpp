// SPDX-License-Identifier: Apache-2.0
// Every partition over every number of ports.
#include <algorithm>

#include "models/fit/equation_gaps.h"
#include "sw/exchange/staged_exchange.h"
#include "testbench/collective/recommendation.h"
#include "testbench/exchange/exchange_request.h"

namespace ecube {

namespace {

/// Up to this dimension partitions are searched for every number of ports, above it for all ports and for one.
constexpr unsigned max_searched_ports_dim = 8;

constexpr const char* shared_gap =
    "circuits of a step share links and wait for one another, holding others: (largest load - 1) times the hold of one "
    "is a bound";

std::vector<Ports> exchange_ports(const Machine& machine, unsigned dim) {
  return machine.on_cube() ? port_choices(machine, dim) : std::vector{machine.node.ports};
}

/// The equation of a question over so many ports.
struct EquationOver {
  EquationOver(const ExchangeQuestion& question, Ports ports, HopCount hops) : options(question.options) {
    options.hops = hops;
    if (ports == Ports{} || !question.stages) return;
    stages = question.stages;
    stages->exchange = options;
    stages->service.ports = ports;
  }

  ExchangeOptions options;
  std::optional<StageOptions> stages;
};

/// Whether the partitions, on every number of ports, are few and short enough to run them all.
bool measures_exchanges(const ExchangeArguments& arguments, const RunSetup& setup) {
  if (setup.dim > max_tried_dim) return false;
  std::uint64_t messages = 0;
  const Topology topology = setup.topology();
  for (const Ports ports : exchange_ports(setup.machine, setup.dim)) {
    for (const Partition& partition : partitions_of(topology)) {
      ExchangeWorkload workload;
      workload.bytes = arguments.bytes.value();
      workload.partition = partition;
      if (topology.is_cube()) workload.ports = ports;
      workload.pairing = arguments.pairing.value();
      const bool synchronises = sends_synchronisation(setup.machine, PairwiseSync::on);
      messages += measured_messages(setup.machine, setup.dim,
                                    workload.staged() ? StagedExchange::messages(workload, setup.dim, synchronises)
                                                      : CompleteExchange::messages(workload, topology, synchronises),
                                    longest_message(workload.bytes, partition));
      if (messages > most_measured_messages) return false;
    }
  }
  return true;
}

/// Runs all candidates as typed on the xor schedule; the least measured time comes first.
std::vector<ExchangeCandidate> measured_exchanges(TestBench& bench, const ExchangeArguments& arguments,
                                                  const RunSetup& setup) {
  ExchangeTrials trials(bench, arguments, setup);
  std::vector<ExchangeCandidate> candidates;
  Machine machine = setup.machine;
  for (const Ports ports : exchange_ports(setup.machine, setup.dim)) {
    machine.node.ports = ports;
    for (const Partition& partition : partitions_of(setup.topology())) {
      candidates.push_back(trials.measure(partition, trials.typed_way(), machine));
    }
  }
  sort_by_time(candidates, &ExchangeCandidate::measured_us);
  return candidates;
}

}  // namespace

Bytes longest_message(Bytes block, const Partition& partition) {
  constexpr Bytes most = Bytes{1} << 40;
  const auto parts = partition.parts();
  const unsigned least = *std::min_element(parts.begin(), parts.end());
  return std::min(block, most) << std::min(partition.dim() - least, max_simulated_dim);
}

ExchangeTerms equation_terms(const ExchangeQuestion& question, Bytes bytes, const Partition& partition, Ports ports,
                             HopCount hops) {
  const EquationOver over(question, ports, hops);
  return predicted_exchange(question.machine, partition, bytes, question.parameters, over.options, over.stages);
}

Partition best_by_equation(const ExchangeQuestion& question, Bytes bytes, Ports ports, HopCount hops, bool quiet) {
  const EquationOver over(question, ports, hops);
  return over.stages
             ? searched_partition(question.dim, bytes, question.parameters, *over.stages, quiet)
             : best_partition(question.topology(), static_cast<double>(bytes), question.parameters, over.options);
}

ExchangeCandidate candidate_by_equation(const ExchangeQuestion& question, Bytes bytes, const Partition& partition,
                                        Ports ports) {
  return {.partition = partition,
          .ports = ports,
          .predicted_us = equation_terms(question, bytes, partition, ports, HopCount::real).total(),
          .average_distance_us = equation_terms(question, bytes, partition, ports, HopCount::average).total()};
}

std::vector<ExchangeCandidate> exchange_choices(const ExchangeQuestion& question, Bytes bytes, bool quiet) {
  std::vector<ExchangeCandidate> choices;
  for (const Ports ports : exchange_ports(question.machine, question.dim)) {
    const bool fewer = question.stages && ports != Ports{} && ports != question.machine.node.ports;
    if (fewer && question.dim > max_searched_ports_dim) continue;
    choices.push_back(
        candidate_by_equation(question, bytes, best_by_equation(question, bytes, ports, HopCount::real, quiet), ports));
  }
  // Equal times may differ in their last bits.
  const auto less = [](const auto& a, const auto& b) { return a.predicted_us < b.predicted_us * (1 - 1e-9); };
  std::iter_swap(choices.begin(), std::min_element(choices.begin(), choices.end(), less));
  return choices;
}

std::vector<std::string> exchange_gaps(const Machine& machine, unsigned dim, Bytes block, const Partition& partition,
                                       BlockOrder order, Retuning retuning) {
  if (machine.on_cube()) return exchange_gaps(machine, dim, longest_message(block, partition));
  Bytes longest = 0;
  bool shared = false;
  const Topology network = machine.topology(dim);
  PhaseExtents extents(network);
  for (const Phase& phase : phases(partition, order, network)) {
    longest = std::max(longest, block * phase.effective());
    shared = shared || extents.of(phase.first, phase.dims).waits > 0;
  }
  std::vector<std::string> gaps = exchange_gaps(machine, dim, longest);
  if (shared) gaps.emplace_back(shared_gap);
  if (network.planes() > 0 && retuning == Retuning::each) {
    gaps.emplace_back(
        "a plane is tuned as soon as it is free, beside the steps of others: the delay is an upper bound");
  }
  return gaps;
}

TriedExchanges tried_exchanges(const ExchangeArguments& arguments,
                               const std::function<TestBench&(unsigned dim)>& bench) {
  TriedExchanges tried;
  if (arguments.params.given()) return tried;
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim = dim_of(arguments.run, machine, max_predicted_dim, Networks::any);
  const auto dims = machine.on_cube() ? dim : static_cast<unsigned>(machine.topology(dim).dimensions().size());
  tried.leaves_out = exchange_gaps(machine, dim, arguments.bytes.value(), Partition::standard(dims));
  if (tried.leaves_out.empty() || dim > max_tried_dim) return tried;
  const RunSetup setup = setup_of(arguments.run, settings_of(arguments.run), Networks::any);
  if (measures_exchanges(arguments, setup)) tried.candidates = measured_exchanges(bench(dim), arguments, setup);
  return tried;
}

}  // namespace ecube
