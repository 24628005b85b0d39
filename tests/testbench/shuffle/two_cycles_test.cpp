// SPDX-License-Identifier: Apache-2.0
// Several real 2-cycles at once on the machine: K/2 + 1 exchanges, every element in its place, no contention.
#include "testbench/collective/planned_steps.h"
#include "tests/test.h"
#include "tests/testbench/run/link_use.h"
#include "tests/testbench/shuffle/shuffle_runs.h"

namespace ecube::two_cycles_test {
namespace {

/// 2-cycles of random dimensions of a cube of `dim`, and `rest` in one longer cycle.
DimensionPermutation two_cycles(std::mt19937_64& random, unsigned beta, unsigned dim, unsigned rest = 0) {
  std::vector<unsigned> dims(dim);
  std::iota(dims.begin(), dims.end(), 0U);
  std::shuffle(dims.begin(), dims.end(), random);
  std::vector<DimensionPermutation::Cycle> cycles(beta);
  auto next = dims.begin();
  for (DimensionPermutation::Cycle& cycle : cycles)
    for (unsigned i = 0; i < 2; ++i) cycle.push_back({.storage = false, .bit = *next++});
  if (rest > 0) cycles.emplace_back();
  for (unsigned i = 0; i < rest; ++i) cycles.back().push_back({.storage = false, .bit = *next++});
  return {std::move(cycles), {}};
}

ShuffleExperiment by_a2x2(const DimensionPermutation& permutation, unsigned dim, std::uint64_t elements,
                          std::uint32_t packet) {
  ShuffleExperiment test = experiment(permutation, elements, RealAlgorithm::a2x2);
  test.setup.dim = dim;
  test.workload.packet = packet;
  return test;
}

TEST(SeveralTwoCycles, TakeHalfOfTheElementsAndOneExchange) {
  std::mt19937_64 random(41);
  Sample sample;
  for (unsigned beta = 1; beta <= 4; ++beta) {
    const unsigned dim = std::min(2 * beta + 1, 8U);
    for (std::uint64_t k = 2; k <= std::uint64_t{10} * beta; k += 2) {
      if (!sample.takes()) continue;
      const ShuffleExperiment test = by_a2x2(two_cycles(random, beta, dim), dim, k, 1);
      const ShuffleMeasurement m = run(test);
      ASSERT_TRUE(is_exact(m, test)) << test.workload.permutation.name() << " K " << k << " seed 41";
      const std::uint64_t pairs = std::uint64_t{2} * beta;
      const std::uint64_t slots = (k + pairs - 1) / pairs;
      EXPECT_EQ(m.counted.steps, slots == 1 ? pairs : beta * slots + 1) << "beta " << beta << " K " << k;
      const ShuffleExperiment other = on_cm2(test);
      const ShuffleMeasurement on = run(other);
      ASSERT_TRUE(is_exact(on, other)) << test.workload.permutation.name() << " K " << k;
      EXPECT_EQ(on.run.result.cycles, 185 * m.counted.steps);
      const ShuffleParameters p = bench().calibrate(test.setup.machine).shuffle(element_bytes, 1);
      EXPECT_GE(m.run.result.us, lower_bound_us(test.workload, p) - 1e-9);
    }
  }
}

TEST(SeveralTwoCycles, TakePacketsByTheirFormula) {
  std::mt19937_64 random(42);
  for (unsigned beta = 1; beta <= 3; ++beta)
    for (const std::uint64_t k : {12U, 24U, 30U, 50U, 96U})
      for (const std::uint32_t packet : {2U, 3U, 4U, 8U, 16U}) {
        ShuffleExperiment test = by_a2x2(two_cycles(random, beta, 2 * beta), 2 * beta, k, packet);
        if (packet > ShuffleFormula(test.workload, 2 * beta).largest_packet()) continue;
        ASSERT_TRUE(is_exact_on_both(test)) << test.workload.permutation.name() << " K " << k << " B " << packet;
        test.setup.engine = EngineChoice::ideal;
        const ShuffleMeasurement ideal = run(test);
        ASSERT_TRUE(is_exact(ideal, test)) << test.workload.permutation.name() << " K " << k << " B " << packet;
      }
}

TEST(SeveralTwoCycles, UseEveryLinkOfTheirDimensionsInEachOfTheMiddleSteps) {
  std::mt19937_64 random(43);
  const ShuffleExperiment test = by_a2x2(two_cycles(random, 3, 6), 6, 24, 1);
  LinkUse use;
  bench().observe(&use);
  const ShuffleMeasurement m = run(test);
  bench().observe(nullptr);
  ASSERT_TRUE(is_exact(m, test));
  EXPECT_EQ(m.counted.steps, 13U);
  std::uint64_t messages = 0;
  for (unsigned step = 1; step <= 13; ++step)
    for (NodeId node = 0; node < 64; ++node)
      for (unsigned link = 0; link < 6; ++link) {
        const unsigned uses = use.uses[{step, node, link}];
        messages += uses;
        EXPECT_LE(uses, 1U) << step;
        if (step > 1 && step < 13) {
          EXPECT_EQ(uses, 1U) << step;
        }
      }
  // Every element of a node whose two bits of a cycle differ makes two hops: half of 64 x 24, for three cycles.
  EXPECT_EQ(messages, std::uint64_t{64} * 24 / 2 * 2 * 3);
  EXPECT_EQ(messages, m.run.network.circuits);
}

TEST(SeveralTwoCycles, HaveNoConflictsByTheStaticCheckEither) {
  std::mt19937_64 random(44);
  for (unsigned beta = 1; beta <= 3; ++beta)
    for (const std::uint64_t k : {2U, 12U, 26U})
      for (const std::uint32_t packet : {1U, 2U, 3U}) {
        const ShuffleExperiment test = by_a2x2(two_cycles(random, beta, 6), 6, k, packet);
        std::uint64_t steps = 0;
        std::uint64_t circuits = 0;
        shuffle_steps(test.workload, 6, [&](std::span<const PlannedCircuit> step) {
          EXPECT_TRUE(conflicts_of(step, Topology::cube(6)).empty());
          ++steps;
          circuits += step.size();
        });
        const ShuffleMeasurement m = run(test);
        EXPECT_EQ(steps, m.counted.startups) << "beta " << beta << " K " << k << " B " << packet;
        EXPECT_EQ(circuits, m.run.network.circuits);
      }
}

TEST(SeveralTwoCycles, OnFewPortsOrOneAfterTheOtherTakeRounds) {
  std::mt19937_64 random(45);
  for (const std::uint64_t k : {12U, 24U, 40U})
    for (std::uint32_t ports = 2; ports <= 7; ++ports)
      for (const RealAlgorithm algorithm : {RealAlgorithm::a2x2, RealAlgorithm::a2x2_sequential}) {
        ShuffleExperiment test = by_a2x2(two_cycles(random, 3, 7), 7, k, 1);
        test.workload.real = algorithm;
        test = on_machine(test, with_ports(ports));
        const ShuffleMeasurement m = run(test);
        ASSERT_TRUE(is_exact(m, test)) << test.workload.permutation.name() << " K " << k << " ports " << ports;
        const auto together = [&](std::uint64_t beta) { return beta * ((k + 2 * beta - 1) / (2 * beta)) + 1; };
        const std::uint64_t steps = algorithm == RealAlgorithm::a2x2_sequential || ports < 4 ? 3 * together(1)
                                    : ports < 6                                              ? together(1) + together(2)
                                                                                             : together(3);
        EXPECT_EQ(m.counted.steps, steps) << "K " << k << " ports " << ports;
      }
}

TEST(SeveralTwoCycles, BesideOtherCyclesAreDoneTogether) {
  std::mt19937_64 random(46);
  for (const RealAlgorithm rest : {RealAlgorithm::a1, RealAlgorithm::a1_pipelined, RealAlgorithm::a2})
    for (const std::uint64_t k : {8U, 24U}) {
      DimensionPermutation permutation = two_cycles(random, 2, 7, 3);
      for (const bool with_mixed : {false, true}) {
        if (with_mixed) {
          auto cycles = permutation.cycles();
          cycles.push_back({{.storage = false, .bit = 7}, {.storage = true, .bit = 1}});
          cycles.push_back({{.storage = true, .bit = 0}, {.storage = true, .bit = 2}});
          permutation = DimensionPermutation(cycles, {cycles[2][0]});
        }
        ShuffleExperiment test = experiment(permutation, k, rest);
        test.setup.dim = 8;
        test.workload.two_cycles = RealAlgorithm::a2x2;
        const ShuffleMeasurement m = run(test);
        ASSERT_TRUE(is_exact(m, test)) << permutation.name() << " K " << k << " seed 46";
        const std::uint64_t of_rest = rest == RealAlgorithm::a1             ? 4 * ((k / 2 + 2) / 3)
                                      : rest == RealAlgorithm::a1_pipelined ? k / 2 + std::max<std::uint64_t>(k / 2, 3)
                                                                            : 3 * ((k + 2) / 3);
        EXPECT_EQ(m.counted.steps, k / 2 + 1 + of_rest + (with_mixed ? k / 2 : 0)) << permutation.name();
      }
    }
}

TEST(SeveralTwoCycles, OnAnExtendedCubeAndUnderJitterMoveTheSameElements) {
  std::mt19937_64 random(47);
  ShuffleExperiment test = by_a2x2(two_cycles(random, 2, 4), 6, 32, 2);
  test.workload.extend = 2;
  EXPECT_TRUE(is_exact(test));
  for (unsigned seed = 1; seed <= 20; ++seed) {
    ShuffleExperiment jittered = by_a2x2(two_cycles(random, 3, 6), 6, 24 + 2 * seed, 1 + seed % 3);
    jittered.setup.conditions = {.jitter = 500, .seed = seed};
    const ShuffleMeasurement m = run(jittered);
    EXPECT_EQ(m.run.result.status, RunResult::Status::finished) << "seed " << seed;
    EXPECT_EQ(m.verified, true) << "seed " << seed;
  }
}

TEST(StepCounter, CountsMessagesThatArrivedAndNoPlan) {
  StepCounter counter(2);
  counter.begin(0);
  counter.arrived(0, 3);
  counter.begin(1);
  counter.arrived(1, 5);
  counter.begin(0);  // a step in which nothing comes
  counter.begin(0);
  counter.arrived(0, 1);
  counter.arrived(0, 0);
  EXPECT_EQ(counter.messages_in_sequence(), 2U);
  EXPECT_EQ(counter.elements_in_sequence(), 6U);
}

}  // namespace
}  // namespace ecube::two_cycles_test
