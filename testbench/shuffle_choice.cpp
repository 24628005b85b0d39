// SPDX-License-Identifier: Apache-2.0
// Every algorithm over every number of ports.
#include "testbench/shuffle_choice.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "models/error.h"
#include "models/shuffle_queue.h"
#include "testbench/port_choices.h"
#include "testbench/shuffle_experiment.h"

namespace ecube {

namespace {

/// The algorithm with its packet over its ports; nothing if no packet fits.
std::optional<ShuffleChoice> candidate_of(ShuffleWorkload workload, std::optional<std::uint32_t> packet, unsigned dim,
                                          const PacketParameters& parameters) {
  const ShuffleFormula formula(workload, dim);
  workload.packet = packet ? *packet : best_packet_choice(workload, dim, parameters).packet;
  if (workload.packet > formula.largest_packet() || (formula.exists() && !formula.fits(workload.packet))) {
    return std::nullopt;
  }
  const ShuffleCount count = formula.exists() ? formula.count(workload.packet) : count_of(workload, dim);
  const double us = workload_cost(workload, dim, count, parameters(workload.packet)).total();
  return ShuffleChoice{workload, count, us, formula.exists()};
}

/// Elements of all nodes up to which `route` is measured.
constexpr std::uint64_t most_routed = std::uint64_t{1} << 20;

std::optional<ShuffleChoice> measured_route(const ShuffleWorkload& permutation, std::optional<std::uint32_t> packet,
                                            unsigned dim, const Machine& machine, TestBench& bench) {
  ShuffleExperiment experiment;
  experiment.setup.machine = machine;
  experiment.setup.dim = dim;
  experiment.workload = permutation;
  experiment.workload.method = ShuffleMethod::route;
  std::optional<ShuffleChoice> best;
  for (std::uint64_t size = packet ? *packet : permutation.elements; size > 0; size /= 2) {
    experiment.workload.packet = static_cast<std::uint32_t>(size);
    const ShuffleMeasurement m = run_shuffle(bench, experiment, {});
    if (m.verified != true || (best && m.run.result.us >= best->us)) break;
    best = ShuffleChoice{experiment.workload, m.counted, m.run.result.us, false, true};
    if (packet) break;
  }
  return best;
}

}  // namespace

std::vector<ShuffleChoice> shuffle_choices(const ShuffleWorkload& permutation, std::optional<std::uint32_t> packet,
                                           unsigned dim, const PacketParameters& parameters) {
  std::vector<ShuffleChoice> candidates;
  const std::optional<RealAlgorithm> two_cycle_choices[] = {std::nullopt, RealAlgorithm::a2x2,
                                                            RealAlgorithm::a2x2_sequential};
  std::set<std::pair<std::string, std::uint32_t>> tried;
  const auto consider = [&](const ShuffleWorkload& workload) {
    if (unfit(workload, dim)) return;
    // On fewer ports than dimensions all mixed algorithms pipeline alike.
    if (!ShuffleFormula(workload, dim).exists() && workload.mixed != MixedAlgorithm::pipelined) return;
    const std::string name = algorithm_name(workload);
    if (!tried.emplace(name, workload.ports.engines).second) return;
    const std::optional<ShuffleChoice> candidate = candidate_of(workload, packet, dim, parameters);
    if (!candidate) return;
    const auto known = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const ShuffleChoice& other) { return algorithm_name(other.workload) == name; });
    if (known == candidates.end()) {
      candidates.push_back(*candidate);
    } else if (candidate->us < known->us * (1 - 1e-9)) {
      *known = *candidate;
    }
  };
  for (const Ports ports : port_choices(permutation.ports, dim)) {
    for (const ShuffleMethod method :
         {ShuffleMethod::constituents, ShuffleMethod::two_aapcs, ShuffleMethod::transpositions}) {
      for (const auto& mixed : mixed_algorithms) {
        for (const auto& real : real_algorithms) {
          ShuffleWorkload workload = permutation;
          workload.ports = ports;
          workload.method = method;
          workload.mixed = mixed.value;
          workload.real = real.value;
          if (ports.engines == 1 && dim > 1 &&
              (workload.mixed != MixedAlgorithm::one_port || workload.real == RealAlgorithm::a1_pipelined)) {
            continue;
          }
          for (const std::optional<RealAlgorithm>& two_cycles : two_cycle_choices) {
            workload.two_cycles = two_cycles;
            try {
              consider(workload);
            } catch (const InputError&) {
              // Two communications need storage dimensions that this permutation leaves none of.
              continue;
            }
          }
        }
      }
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const ShuffleChoice& a, const ShuffleChoice& b) { return a.us < b.us; });
  std::set<ShuffleMethod> seen;
  std::erase_if(candidates, [&](const ShuffleChoice& one) {
    const ShuffleMethod method = one.workload.method;
    return method != ShuffleMethod::constituents && !seen.insert(method).second;
  });
  return candidates;
}

bool measures_route(const ShuffleWorkload& permutation, unsigned dim) {
  return permutation.extend == 0 && permutation.elements << dim <= most_routed;
}

void add_measured_route(std::vector<ShuffleChoice>& choices, const ShuffleWorkload& permutation,
                        std::optional<std::uint32_t> packet, unsigned dim, const Machine& machine, TestBench& bench) {
  const auto route = measured_route(permutation, packet, dim, machine, bench);
  if (!route) return;
  const auto place =
      std::find_if(choices.begin(), choices.end(), [&](const ShuffleChoice& one) { return one.us > route->us; });
  choices.insert(place, *route);
}

}  // namespace ecube
