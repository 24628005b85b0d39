// SPDX-License-Identifier: Apache-2.0
// Generalised shuffles on the machine: every element in its place, whole exchanges, no contention.
#include <gtest/gtest.h>

#include <cmath>

#include "models/presets.h"
#include "testbench/rtl_library.h"
#include "testbench/shuffle_experiment.h"
#include "tests/testbench/link_use.h"

namespace ecube {
namespace {

using Orders = std::vector<std::uint32_t>;

/// One bench per process, elaborated once and reset for every run.
TestBench& bench() {
  static TestBench instance(8);
  return instance;
}

Machine with_ports(std::uint32_t engines) {
  Machine machine = resolve(preset_settings(preset("ideal")));
  machine.node.ports.engines = engines;
  return machine;
}

/// Constituents of these orders on neighbouring dimensions with control bits s0, s1, ..; some complemented.
DimensionPermutation mixed(const Orders& orders, bool complemented) {
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

ShuffleMeasurement run(const ShuffleExperiment& test) {
  return run_shuffle(bench(), test, bench().calibrate(test.setup.machine).shuffle(element_bytes, test.workload.packet));
}

ShuffleExperiment experiment(const DimensionPermutation& permutation, std::uint64_t elements,
                             MixedAlgorithm algorithm) {
  ShuffleExperiment test;
  test.setup.dim = std::max(1U, permutation.real_order());
  test.setup.machine = with_ports(algorithm == MixedAlgorithm::one_port ? 1 : Ports::n);
  test.workload = {.permutation = permutation, .elements = elements, .mixed = algorithm};
  test.workload.ports = test.setup.machine.node.ports;
  return test;
}

ShuffleExperiment experiment(const DimensionPermutation& permutation, std::uint64_t elements, RealAlgorithm algorithm) {
  ShuffleExperiment test = experiment(permutation, elements, MixedAlgorithm::concurrent);
  test.workload.real = algorithm;
  return test;
}

/// Finished, every element in its place, nothing blocked, and as many whole exchanges as the formula says.
::testing::AssertionResult is_exact(const ShuffleMeasurement& m, const ShuffleExperiment& test) {
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

std::vector<Orders> orders_with_sum(std::uint32_t sum) {
  std::vector<Orders> result = {{sum}};
  for (std::uint32_t a = 1; 2 * a <= sum; ++a) {
    result.push_back({a, sum - a});
    if (sum - a > a) result.push_back({sum - a, a});
  }
  if (sum >= 3) result.push_back({1, sum - 2, 1});
  if (sum >= 6) result.push_back({2, sum - 4, 2});
  return result;
}

TEST(GeneralisedShuffle, TakesTheWholeExchangesOfItsFormulaForEveryOrderAndK) {
  for (std::uint32_t sum = 1; sum <= 8; ++sum) {
    for (const Orders& orders : orders_with_sum(sum)) {
      const std::uint64_t unit = std::uint64_t{1} << orders.size();
      for (std::uint64_t k = unit; k <= 64; k += (sum < 7 ? 1 : 3) * unit) {
        for (const MixedAlgorithm algorithm :
             {MixedAlgorithm::one_port, MixedAlgorithm::pipelined, MixedAlgorithm::concurrent}) {
          const ShuffleExperiment test = experiment(mixed(orders, k % 3 == 0), k, algorithm);
          ASSERT_TRUE(is_exact(run(test), test)) << test.workload.permutation.name() << " K " << k;
        }
      }
    }
  }
}

TEST(GeneralisedShuffle, OnTheConnectionMachineTakesExchangesOf185Cycles) {
  const Machine cm2 = resolve(preset_settings(preset("cm2")));
  const ShuffleParameters p = bench().calibrate(cm2).shuffle(element_bytes, 1);
  EXPECT_NEAR((p.tau_us + p.tc_us_per_element) * 7, 185, 1e-6);
  for (const Orders& orders : std::vector<Orders>{{1}, {4}, {8}, {3, 3}, {5, 1, 2}}) {
    for (const std::uint64_t k : {8U, 16U, 40U, 64U}) {
      for (const MixedAlgorithm algorithm : {MixedAlgorithm::pipelined, MixedAlgorithm::concurrent}) {
        ShuffleExperiment test = experiment(mixed(orders, true), k, algorithm);
        test.setup.machine = cm2;
        const ShuffleMeasurement m = run(test);
        ASSERT_TRUE(is_exact(m, test)) << test.workload.permutation.name() << " K " << k;
        EXPECT_EQ(m.run.result.cycles, 185 * m.counted.steps);
      }
    }
  }
}

TEST(GeneralisedShuffle, TakesThemForLargeKToo) {
  for (const std::uint64_t k : {128U, 250U, 1024U}) {
    for (const MixedAlgorithm algorithm : {MixedAlgorithm::pipelined, MixedAlgorithm::concurrent}) {
      const ShuffleExperiment test = experiment(mixed({6}, true), k, algorithm);
      EXPECT_TRUE(is_exact(run(test), test));
    }
  }
}

TEST(GeneralisedShuffle, TakesPacketsByThePacketFormulas) {
  for (const std::uint32_t packet : {2U, 4U, 7U}) {
    for (const std::uint64_t k : {28U, 56U, 62U, 112U}) {
      for (const MixedAlgorithm algorithm :
           {MixedAlgorithm::one_port, MixedAlgorithm::pipelined, MixedAlgorithm::concurrent}) {
        if (algorithm == MixedAlgorithm::concurrent && k % (std::uint64_t{2} * packet) != 0) continue;
        ShuffleExperiment test = experiment(mixed({5}, false), k, algorithm);
        test.workload.packet = packet;
        EXPECT_TRUE(is_exact(run(test), test)) << "K " << k << " B " << packet;
      }
    }
  }
}

TEST(GeneralisedShuffle, OfProcessorDimensionsAloneTakesA1) {
  for (unsigned order = 2; order <= 6; ++order) {
    for (const bool complemented : {false, true}) {
      DimensionPermutation::Cycle cycle;
      for (unsigned bit = order; bit-- > 0;) cycle.push_back({.storage = false, .bit = bit});
      std::vector<AddressDimension> complements;
      if (complemented) complements.push_back(cycle[1]);
      const DimensionPermutation permutation({cycle}, complements);
      for (std::uint64_t k = 2; k <= 40; k += 2) {
        for (const RealAlgorithm algorithm : {RealAlgorithm::a1, RealAlgorithm::a1_pipelined}) {
          for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
            ShuffleExperiment test = experiment(permutation, k, algorithm);
            test.setup.machine = with_ports(engines);
            test.workload.ports = test.setup.machine.node.ports;
            const ShuffleMeasurement m = run(test);
            ASSERT_TRUE(is_exact(m, test)) << permutation.name() << " K " << k;
            const std::uint64_t pairs = k / 2;
            const std::uint64_t steps = engines == 1 ? (order + 1) * pairs
                                        : algorithm == RealAlgorithm::a1
                                            ? (order + 1) * ((pairs + order - 1) / order)
                                            : pairs + std::max<std::uint64_t>(pairs, order);
            EXPECT_EQ(m.counted.steps, steps);
          }
        }
      }
    }
  }
}

TEST(GeneralisedShuffle, OfProcessorDimensionsAloneTakesA2) {
  for (unsigned order = 2; order <= 6; ++order) {
    for (unsigned complements = 0; complements < 1U << order; complements += 1 + complements) {
      DimensionPermutation::Cycle cycle;
      std::vector<AddressDimension> complemented;
      for (unsigned bit = order; bit-- > 0;) {
        cycle.push_back({.storage = false, .bit = bit});
        if ((complements >> bit & 1U) != 0) complemented.push_back(cycle.back());
      }
      const DimensionPermutation permutation({cycle}, complemented);
      for (const std::uint64_t k : {2U, 4U, 6U, 14U, 20U}) {
        for (const std::uint32_t packet : {1U, 2U, 20U}) {
          for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
            ShuffleExperiment test = experiment(permutation, k, RealAlgorithm::a2);
            test.setup.machine = with_ports(engines);
            test.workload.ports = test.setup.machine.node.ports;
            test.workload.packet = packet;
            const ShuffleMeasurement m = run(test);
            ASSERT_TRUE(is_exact(m, test)) << permutation.name() << " K " << k << " B " << packet << " " << engines;
            ASSERT_TRUE(m.unpaced_us.has_value());
            EXPECT_LE(*m.unpaced_us, m.run.result.us);
          }
        }
      }
    }
  }
}

TEST(GeneralisedShuffle, OfTwoProcessorDimensionsTakesA2Squared) {
  const DimensionPermutation permutation({{{.storage = false, .bit = 2}, {.storage = false, .bit = 0}}}, {});
  for (std::uint64_t k = 2; k <= 64; k += 2) {
    for (const std::uint32_t packet : {1U, 3U, 4U}) {
      if (packet > k / 2) continue;
      ShuffleExperiment test = experiment(permutation, k, RealAlgorithm::a2x2);
      test.setup.dim = 3;
      test.workload.packet = packet;
      ASSERT_TRUE(is_exact(run(test), test)) << "K " << k << " B " << packet;
    }
  }
}

TEST(GeneralisedShuffle, WithoutAlignmentMovesTheSameElements) {
  for (const Orders& orders : std::vector<Orders>{{3}, {5}, {2, 4}}) {
    ShuffleExperiment test = experiment(mixed(orders, true), 24, MixedAlgorithm::concurrent);
    test.workload.align = false;
    EXPECT_TRUE(is_exact(run(test), test));
  }
}

TEST(GeneralisedShuffle, ChargesLocalMovesWhereTheMachineDoes) {
  for (const bool align : {true, false}) {
    ShuffleExperiment test = experiment(mixed({4}, false), 8, MixedAlgorithm::pipelined);
    test.setup.machine.core.permute.compiled = {10, 1};
    test.workload.align = align;
    const ShuffleMeasurement m = run(test);
    EXPECT_EQ(m.verified, true);
    // 8 elements of 4 bytes at 10 cycles a byte, before and after.
    EXPECT_NEAR(m.predicted->local_us, align ? 2 * 320 / 40.0 : 0, 1e-6);
    EXPECT_NEAR(m.run.result.us, m.predicted->total(), 1e-6);
  }
}

TEST(GeneralisedShuffle, WithOneMorePortIsNeverSlower) {
  double before = std::numeric_limits<double>::infinity();
  for (std::uint32_t ports = 1; ports <= 6; ++ports) {
    ShuffleExperiment test = experiment(mixed({6}, false), 32, MixedAlgorithm::pipelined);
    test.setup.machine = with_ports(ports);
    test.workload.ports = test.setup.machine.node.ports;
    const ShuffleMeasurement m = run(test);
    EXPECT_EQ(m.verified, true);
    EXPECT_EQ(m.run.network.link_blocked.circuits, 0U);
    EXPECT_LE(m.run.result.us, before);
    before = m.run.result.us;
    if (ports == 1) {
      EXPECT_EQ(m.counted.steps, 6U * 16);
    }
    if (ports == 6) {
      EXPECT_EQ(m.counted.steps, 16U + 5);
    }
  }
}

TEST(GeneralisedShuffle, ConcurrentUsesEveryLinkInEachOfTheMiddleSteps) {
  for (const Orders& orders : std::vector<Orders>{{4}, {6}, {4, 2}, {1, 5}}) {
    const DimensionPermutation permutation = mixed(orders, false);
    const unsigned dim = permutation.real_order();
    const std::uint64_t k = std::uint64_t{4} * (dim + 2);
    const ShuffleExperiment test = experiment(permutation, k, MixedAlgorithm::concurrent);
    LinkUse use;
    bench().observe(&use);
    EXPECT_TRUE(is_exact(run(test), test));
    bench().observe(nullptr);
    for (unsigned step = 3; step <= k / 2; ++step) {
      for (NodeId node = 0; node < NodeId{1} << dim; ++node) {
        for (unsigned link = 0; link < dim; ++link) EXPECT_EQ((use.uses[{step, node, link}]), 1U);
      }
    }
  }
}

TEST(GeneralisedShuffle, CostsTheSameOnTheIdealEngine) {
  ShuffleExperiment test = experiment(mixed({5, 2}, true), 48, MixedAlgorithm::concurrent);
  test.setup.engine = EngineChoice::ideal;
  EXPECT_TRUE(is_exact(run(test), test));
}

TEST(GeneralisedShuffle, TakesTheSameCyclesInRtl) {
  static std::vector<RtlModel*> models = {&rtl_model(with_ports(1), 4, ""), &rtl_model(with_ports(Ports::n), 4, "")};
  TestBench both(4, Hierarchy::flat, models);
  for (const MixedAlgorithm algorithm : {MixedAlgorithm::one_port, MixedAlgorithm::concurrent}) {
    ShuffleExperiment test = experiment(mixed({4}, true), 20, algorithm);
    test.setup.engine = EngineChoice::rtl;
    const auto p = both.calibrate(test.setup.machine).shuffle(element_bytes, 1);
    EXPECT_TRUE(is_exact(run_shuffle(both, test, p), test));
  }
}

TEST(GeneralisedShuffle, MovesThePermutationsKnownByName) {
  for (const char* name : {"shuffle", "shuffle:3", "unshuffle:2", "bit-reversal", "transpose", "vector-reversal",
                           "consecutive-to-cyclic", "cyclic-to-consecutive"}) {
    for (unsigned dim = 1; dim <= 6; ++dim) {
      for (const unsigned bits : {1U, 2U, 4U, 5U}) {
        for (const bool one : {true, false}) {
          if (std::string_view(name) == "transpose" && (dim + bits) % 2 != 0) continue;
          const std::uint64_t k = std::uint64_t{1} << bits;
          ShuffleExperiment test = experiment(DimensionPermutation::named(name, dim, k), k,
                                              one ? MixedAlgorithm::one_port : MixedAlgorithm::concurrent);
          test.setup.dim = dim;
          const ShuffleMeasurement m = run(test);
          if (m.counted.startups == 0) {
            EXPECT_EQ(m.verified, true);  // within the nodes
          } else {
            ASSERT_TRUE(is_exact(m, test)) << name << " d=" << dim << " K " << k;
          }
        }
      }
    }
  }
}

TEST(GeneralisedShuffle, SurvivesJitter) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    ShuffleExperiment test = experiment(mixed(seed % 2 == 0 ? Orders{5} : Orders{2, 3}, true),
                                        std::uint64_t{4} * (1 + seed), MixedAlgorithm::concurrent);
    test.setup.conditions = {.jitter = 500, .seed = seed};
    const ShuffleMeasurement m = run(test);
    EXPECT_EQ(m.run.result.status, RunResult::Status::finished) << "seed " << seed;
    EXPECT_EQ(m.verified, true) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ecube
