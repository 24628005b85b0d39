// SPDX-License-Identifier: Apache-2.0
// Shuffles on a bench of their own, and a check of a run against its formula.
#pragma once

#include "testbench/shuffle/shuffle_request.h"
#include "tests/machines.h"
#include "tests/models/shuffle/permutations.h"
#include "tests/test.h"
#include "tests/testbench/shared_bench.h"

namespace ecube {

using Orders = std::vector<std::uint32_t>;

inline constexpr auto bench = shared_bench<8>;

inline Machine with_ports(std::uint32_t count) { return preset_machine("ideal", count); }

/// Constituents of these orders on neighbouring dimensions with control bits s0, s1, ..; some complemented.
inline DimensionPermutation mixed(const Orders& orders, bool complemented) {
  std::vector<DimensionPermutation::Cycle> cycles;
  std::vector<AddressDimension> complements;
  unsigned next = 0;
  for (unsigned j = 0; j < orders.size(); ++j) {
    DimensionPermutation::Cycle cycle;
    for (unsigned i = 0; i < orders[j]; ++i) cycle.insert(cycle.begin(), {.storage = false, .bit = next++});
    cycle.push_back({.storage = true, .bit = j});
    if (complemented) complements.insert(complements.end(), {cycle.front(), cycle.back()});
    cycles.push_back(std::move(cycle));
  }
  return {std::move(cycles), std::move(complements)};
}

inline ShuffleMeasurement run(const ShuffleExperiment& test) {
  return run_shuffle(bench(), test, bench().calibrate(test.setup.machine).shuffle(element_bytes, test.workload.packet));
}

/// Over all ports of a machine.
inline ShuffleExperiment on_machine(ShuffleExperiment test, const Machine& machine) {
  test.setup.machine = machine;
  test.workload.ports = machine.node.ports;
  return test;
}

inline ShuffleExperiment experiment(const DimensionPermutation& permutation, std::uint64_t elements,
                                    MixedAlgorithm algorithm) {
  ShuffleExperiment test;
  test.setup.dim = std::max(1U, permutation.real_order());
  test.workload = {.permutation = permutation, .elements = elements, .mixed = algorithm};
  return on_machine(std::move(test), with_ports(algorithm == MixedAlgorithm::one_port ? 1 : Ports::n));
}

inline ShuffleExperiment experiment(const DimensionPermutation& permutation, std::uint64_t elements,
                                    RealAlgorithm algorithm) {
  ShuffleExperiment test = experiment(permutation, elements, MixedAlgorithm::concurrent);
  test.workload.real = algorithm;
  return test;
}

/// The Connection Machine in place of the ideal machine, for shuffles on all ports.
inline ShuffleExperiment on_cm2(ShuffleExperiment test) { return on_machine(std::move(test), preset_machine("cm2")); }

/// Finished, every element in its place, nothing blocked, and as many whole exchanges as the formula says.
inline ::testing::AssertionResult is_exact(const ShuffleMeasurement& m, const ShuffleExperiment& test) {
  if (m.run.result.status != RunResult::Status::finished) return ::testing::AssertionFailure() << m.run.result.fault;
  if (m.verified != true) return ::testing::AssertionFailure() << m.wrong << " elements are wrong";
  if (m.run.network.link_blocked.circuits + m.run.network.port_blocked.circuits != 0)
    return ::testing::AssertionFailure() << "blocked circuits";
  if (m.counted.steps != m.expected.steps || m.counted.startups != m.expected.startups)
    return ::testing::AssertionFailure() << m.counted.steps << " steps and " << m.counted.startups
                                         << " start-ups, by formula " << m.expected.steps << " and "
                                         << m.expected.startups;
  const double cycles = m.predicted->total() * test.setup.machine.clock_hz / 1e6;
  if (std::abs(static_cast<double>(m.run.result.cycles) - cycles) > 1e-3)
    return ::testing::AssertionFailure() << m.run.result.cycles << " cycles, predicted " << cycles;
  return ::testing::AssertionSuccess();
}
inline ::testing::AssertionResult is_exact(const ShuffleExperiment& test) { return is_exact(run(test), test); }

/// On its own machine, and on the Connection Machine.
inline ::testing::AssertionResult is_exact_on_both(const ShuffleExperiment& test) {
  if (const auto own = is_exact(test); !own) return own;
  return is_exact(on_cm2(test)) << " on the Connection Machine";
}

}  // namespace ecube
