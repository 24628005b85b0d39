// SPDX-License-Identifier: Apache-2.0
// Shuffles on a bench of their own, and a check of a run against its formula.
#pragma once

#include "models/presets/presets.h"
#include "testbench/shuffle/shuffle_request.h"
#include "tests/test.h"

namespace ecube {

using Orders = std::vector<std::uint32_t>;

/// One bench per process, elaborated once and reset for every run.
inline TestBench& bench() {
  static TestBench instance(8);
  return instance;
}

inline Machine with_ports(std::uint32_t count) {
  Machine machine = resolve(preset_settings(preset("ideal")));
  machine.node.ports.engines = count;
  return machine;
}

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

inline ShuffleExperiment experiment(const DimensionPermutation& permutation, std::uint64_t elements,
                                    MixedAlgorithm algorithm) {
  ShuffleExperiment test;
  test.setup.dim = std::max(1U, permutation.real_order());
  test.setup.machine = with_ports(algorithm == MixedAlgorithm::one_port ? 1 : Ports::n);
  test.workload = {.permutation = permutation, .elements = elements, .mixed = algorithm};
  test.workload.ports = test.setup.machine.node.ports;
  return test;
}

inline ShuffleExperiment experiment(const DimensionPermutation& permutation, std::uint64_t elements,
                                    RealAlgorithm algorithm) {
  ShuffleExperiment test = experiment(permutation, elements, MixedAlgorithm::concurrent);
  test.workload.real = algorithm;
  return test;
}

/// The Connection Machine in place of the ideal machine, for shuffles on all ports.
inline ShuffleExperiment on_cm2(ShuffleExperiment test) {
  test.setup.machine = resolve(preset_settings(preset("cm2")));
  test.workload.ports = test.setup.machine.node.ports;
  return test;
}

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

}  // namespace ecube
