// SPDX-License-Identifier: Apache-2.0
// Every algorithm over every number of ports.
#include <algorithm>
#include <set>
#include <utility>

#include "models/fit/equation_gaps.h"
#include "models/machine/error.h"
#include "models/shuffle/shuffle_workload.h"
#include "testbench/collective/recommendation.h"
#include "testbench/shuffle/shuffle_request.h"

namespace ecube {

namespace {

std::optional<ShuffleChoice> candidate_of(ShuffleWorkload workload, std::optional<std::uint32_t> packet, unsigned dim,
                                          const PacketParameters& parameters) {
  const ShuffleFormula formula(workload, dim);
  workload.packet = packet ? *packet : best_packet_choice(workload, dim, parameters).packet;
  if (workload.packet > formula.largest_packet() || (formula.exists() && !formula.fits(workload.packet))) {
    return std::nullopt;
  }
  const ShuffleCount count = formula.exists() ? formula.count(workload.packet) : count_of(workload, dim);
  const double us = workload_cost(workload, dim, count, parameters(workload.packet)).total();
  return ShuffleChoice{.workload = workload, .count = count, .us = us, .has_formula = formula.exists()};
}

constexpr std::uint64_t most_routed = std::uint64_t{1} << 20;
/// Elements of all nodes up to which `route` is measured in every packet over every number of ports.
constexpr std::uint64_t most_routed_often = std::uint64_t{1} << 14;

/// Measures `route` in whole messages, then in half as long ones for as long as that is faster. Small problems are
/// measured over fewer ports too, and in packets of every such size.
std::optional<ShuffleChoice> measured_route(const ShuffleWorkload& permutation, std::optional<std::uint32_t> packet,
                                            unsigned dim, const Machine& machine, TestBench& bench) {
  ShuffleExperiment experiment;
  experiment.setup.machine = machine;
  experiment.setup.dim = dim;
  experiment.workload = permutation;
  experiment.workload.method = ShuffleMethod::route;
  std::vector<Ports> over = port_choices(machine, dim);
  const bool little = permutation.elements << dim <= most_routed_often;
  if (!little) over.resize(1);
  std::optional<ShuffleChoice> best;
  for (const Ports ports : over) {
    experiment.setup.machine.node.ports = experiment.workload.ports = ports;
    std::optional<double> longer_us;
    for (std::uint64_t size = packet ? *packet : permutation.elements; size > 0; size /= 2) {
      experiment.workload.packet = static_cast<std::uint32_t>(size);
      const ShuffleMeasurement m = run_shuffle(bench, experiment, {});
      const double us = m.run.result.us;
      if (m.verified != true || (!little && longer_us && us >= *longer_us)) break;
      longer_us = us;
      if (!best || us < best->us) {
        best = ShuffleChoice{
            .workload = experiment.workload, .count = m.counted, .us = us, .has_formula = false, .measured = true};
      }
      if (packet) break;
    }
  }
  return best;
}

template <class Visit>
void each_algorithm(const ShuffleWorkload& permutation, unsigned dim, const Machine& machine, const Visit& visit) {
  const std::optional<RealAlgorithm> two_cycle_choices[] = {std::nullopt, RealAlgorithm::a2x2,
                                                            RealAlgorithm::a2x2_sequential};
  std::set<std::pair<std::string, std::uint32_t>> tried;
  const auto consider = [&](const ShuffleWorkload& workload) {
    if (unfit(workload, dim)) return;
    // On fewer ports than dimensions all mixed algorithms are pipelined alike.
    if (!ShuffleFormula(workload, dim).exists() && workload.mixed != MixedAlgorithm::pipelined) return;
    if (tried.emplace(algorithm_name(workload), workload.ports.engines).second) visit(workload);
  };
  for (const Ports ports : port_choices(machine, dim)) {
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
              // Two communications need storage dimensions, and this permutation leaves none.
              continue;
            }
          }
        }
      }
    }
  }
}

/// Keeps one of each name: the first, unless another takes less than this share of its time.
void add_if_faster(std::vector<ShuffleChoice>& choices, const ShuffleChoice& one, double share) {
  const std::string name = algorithm_name(one.workload);
  const auto known =
      std::ranges::find_if(choices, [&](const ShuffleChoice& other) { return algorithm_name(other.workload) == name; });
  if (known == choices.end()) {
    choices.push_back(one);
  } else if (one.us < known->us * share) {
    *known = one;
  }
}

void keep_fastest_methods(std::vector<ShuffleChoice>& candidates) {
  std::ranges::stable_sort(candidates, [](const ShuffleChoice& a, const ShuffleChoice& b) { return a.us < b.us; });
  std::set<ShuffleMethod> seen;
  std::erase_if(candidates, [&](const ShuffleChoice& one) {
    const ShuffleMethod method = one.workload.method;
    return method != ShuffleMethod::constituents && !seen.insert(method).second;
  });
}

/// 1, 2, 3, 4, 6, 8, 12, .. up to `most`, and `best`.
std::set<std::uint32_t> tried_packets(std::uint64_t most, std::uint32_t best) {
  std::set<std::uint32_t> packets = {best};
  for (std::uint64_t size = 1; size <= most; size *= 2) {
    packets.insert(static_cast<std::uint32_t>(size));
    if (size > 1 && size + size / 2 <= most) packets.insert(static_cast<std::uint32_t>(size + size / 2));
  }
  return packets;
}

std::vector<ShuffleChoice> shuffle_trials(const ShuffleWorkload& permutation, std::optional<std::uint32_t> packet,
                                          unsigned dim, const PacketParameters& parameters, const Machine& machine) {
  std::vector<ShuffleChoice> trials;
  each_algorithm(permutation, dim, machine, [&](const ShuffleWorkload& workload) {
    const std::optional<ShuffleChoice> best = candidate_of(workload, packet, dim, parameters);
    if (packet && best) trials.push_back(*best);
    if (packet || !best) return;
    for (const std::uint32_t size :
         tried_packets(ShuffleFormula(workload, dim).largest_packet(), best->workload.packet)) {
      if (const auto one = candidate_of(workload, size, dim, parameters)) trials.push_back(*one);
    }
  });
  if (!measures_route(permutation, dim)) return trials;
  for (const Ports ports : port_choices(machine, dim)) {
    ShuffleWorkload route = permutation;
    route.ports = ports;
    route.method = ShuffleMethod::route;
    const auto whole = static_cast<std::uint32_t>(permutation.elements);
    for (const std::uint32_t size : packet ? std::set{*packet} : tried_packets(whole, whole)) {
      route.packet = size;
      trials.push_back({.workload = route, .count = {}, .has_formula = false});
    }
  }
  return trials;
}

/// The same algorithms over every number of ports, in the packets of least predicted time and in those of 1, 2, 3, 4,
/// 6, 8, 12, .. elements, or in the packet asked for; and `route` likewise. Runs all of them on `bench` and returns the
/// fastest form of each, the fastest first. Nothing where there are too many messages or elements to run them all.
std::vector<ShuffleChoice> measured_shuffles(const ShuffleWorkload& permutation, std::optional<std::uint32_t> packet,
                                             unsigned dim, const PacketParameters& parameters, const Machine& machine,
                                             TestBench& bench) {
  std::vector<ShuffleChoice> trials = shuffle_trials(permutation, packet, dim, parameters, machine);
  std::uint64_t messages = 0;
  for (const ShuffleChoice& one : trials) {
    // On the host a message takes about as long as moving and checking this many elements.
    constexpr std::uint64_t elements_like_a_message = 64;
    messages +=
        measured_messages(machine, one.workload.method == ShuffleMethod::route ? dim : 1,
                          GeneralisedShuffle::messages(one.workload, dim), one.workload.packet * element_bytes) +
        (permutation.spread_elements() << dim) / elements_like_a_message;
    if (messages > most_measured_messages) return {};
  }
  std::vector<ShuffleChoice> fastest;
  ShuffleExperiment experiment;
  experiment.setup = {.machine = machine, .dim = dim, .conditions = {}};
  for (ShuffleChoice& one : trials) {
    experiment.workload = one.workload;
    experiment.setup.machine.node.ports = one.workload.ports;
    const ShuffleMeasurement m = run_shuffle(bench, experiment, {});
    if (m.verified != true) continue;
    if (one.workload.method == ShuffleMethod::route) {
      one.count = m.counted;
    } else {
      one.predicted_us = one.us;
    }
    one.us = m.run.result.us;
    one.measured = true;
    add_if_faster(fastest, one, 1);
  }
  keep_fastest_methods(fastest);
  return fastest;
}

}  // namespace

std::vector<ShuffleChoice> shuffle_choices(const ShuffleWorkload& permutation, std::optional<std::uint32_t> packet,
                                           unsigned dim, const PacketParameters& parameters, const Machine& machine) {
  std::vector<ShuffleChoice> candidates;
  each_algorithm(permutation, dim, machine, [&](const ShuffleWorkload& workload) {
    const std::optional<ShuffleChoice> candidate = candidate_of(workload, packet, dim, parameters);
    // Equal times may differ in their last bits.
    if (candidate) add_if_faster(candidates, *candidate, 1 - 1e-9);
  });
  keep_fastest_methods(candidates);
  return candidates;
}

bool measures_route(const ShuffleWorkload& permutation, unsigned dim) {
  return permutation.extend == 0 && permutation.elements << dim <= most_routed;
}

void add_measured_route(std::vector<ShuffleChoice>& choices, const ShuffleWorkload& permutation,
                        std::optional<std::uint32_t> packet, unsigned dim, const Machine& machine, TestBench& bench) {
  const auto route = measured_route(permutation, packet, dim, machine, bench);
  if (!route) return;
  const auto place = std::ranges::find_if(choices, [&](const ShuffleChoice& one) { return one.us > route->us; });
  choices.insert(place, *route);
}

bool measures_shuffles(const ShuffleWorkload& permutation, unsigned dim, const Machine& machine) {
  return measures_route(permutation, dim) || (dim <= max_tried_dim && !shuffle_gaps(machine, dim).empty());
}

BestShuffles best_shuffles(const ShuffleWorkload& permutation, std::optional<std::uint32_t> packet, unsigned dim,
                           const PacketParameters& parameters, const Machine& machine, TestBench& bench) {
  BestShuffles best;
  best.leaves_out = shuffle_gaps(machine, dim);
  if (!best.leaves_out.empty() && measures_shuffles(permutation, dim, machine)) {
    best.candidates = measured_shuffles(permutation, packet, dim, parameters, machine, bench);
    best.all_measured = !best.candidates.empty();
  }
  if (best.all_measured) return best;
  best.candidates = shuffle_choices(permutation, packet, dim, parameters, machine);
  if (measures_route(permutation, dim)) {
    add_measured_route(best.candidates, permutation, packet, dim, machine, bench);
  }
  return best;
}

}  // namespace ecube
