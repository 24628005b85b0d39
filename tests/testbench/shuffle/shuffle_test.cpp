// SPDX-License-Identifier: Apache-2.0
// Generalised shuffles on the machine: every element in its place, whole exchanges, no contention.
#include "testbench/collective/planned_steps.h"
#include "testbench/shuffle/shuffle_request.h"
#include "tests/models/shuffle/permutations.h"
#include "tests/planted.h"
#include "tests/test.h"
#include "tests/testbench/run/link_use.h"
#include "tests/testbench/shuffle/shuffle_runs.h"

namespace ecube::shuffle_test {
namespace {

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
  Sample sample(10);
  for (std::uint32_t sum = 1; sum <= 8; ++sum)
    for (const Orders& orders : orders_with_sum(sum)) {
      const std::uint64_t unit = std::uint64_t{1} << orders.size();
      for (std::uint64_t k = unit; k <= 64; k += unit)
        for (const MixedAlgorithm algorithm :
             {MixedAlgorithm::one_port, MixedAlgorithm::pipelined, MixedAlgorithm::concurrent}) {
          for (const bool complemented : {false, true}) {
            if (!sample.takes()) continue;
            const ShuffleExperiment test = experiment(mixed(orders, complemented), k, algorithm);
            ASSERT_TRUE(is_exact(test)) << test.workload.permutation.name() << " K " << k << " " << sample.name();
            if (algorithm == MixedAlgorithm::one_port) continue;
            const ShuffleExperiment other = on_cm2(test);
            const ShuffleMeasurement m = run(other);
            ASSERT_TRUE(is_exact(m, other)) << test.workload.permutation.name() << " K " << k;
            EXPECT_EQ(m.run.result.cycles, 185 * m.counted.steps);
          }
        }
    }
}

/// An exchange of e elements takes 153 + 32 e cycles: 149 of start-up, 12 of two routers and interfaces, and 8 for each
/// byte after the first.
TEST(GeneralisedShuffle, SharesEachPacketOverTheChannelsOfALink) {
  const DimensionPermutation::Cycle both{{.storage = false, .bit = 1}, {.storage = false, .bit = 0}};
  const DimensionPermutation two_cycle({both}, {});
  for (std::uint32_t channels = 1; channels <= 4; ++channels)
    for (const std::uint32_t packet : {1U, 2U, 3U, 4U}) {
      for (const ShuffleExperiment& kind :
           {experiment(mixed({3}, true), 48, MixedAlgorithm::pipelined),
            experiment(mixed({2, 1}, false), 48, MixedAlgorithm::concurrent),
            experiment(two_cycle, 48, RealAlgorithm::a1), experiment(two_cycle, 48, RealAlgorithm::a2),
            experiment(two_cycle, 48, RealAlgorithm::a2x2)}) {
        ShuffleExperiment test = on_cm2(kind);
        test.setup.machine.link.channels = channels;
        test.workload.packet = packet;
        const ShuffleMeasurement m = run(test);
        SCOPED_TRACE(test.workload.permutation.name() + ", " + std::to_string(channels) + " channels, packets of " +
                     std::to_string(packet));
        ASSERT_TRUE(is_exact(m, test));
        const std::uint64_t longest = (packet + channels - 1) / channels;
        EXPECT_EQ(m.run.result.cycles, (153 + 32 * longest) * m.counted.startups);
      }
    }
}

TEST(GeneralisedShuffle, OnTheConnectionMachineTakesExchangesOf185Cycles) {
  const Machine cm2 = preset_machine("cm2");
  const ShuffleParameters p = bench().calibrate(cm2).shuffle(element_bytes, 1);
  EXPECT_NEAR((p.tau_us + p.tc_us_per_element) * 7, 185, 1e-6);
  for (const Orders& orders : std::vector<Orders>{{1}, {4}, {8}, {3, 3}, {5, 1, 2}})
    for (const std::uint64_t k : {8U, 16U, 40U, 64U})
      for (const MixedAlgorithm algorithm : {MixedAlgorithm::pipelined, MixedAlgorithm::concurrent}) {
        ShuffleExperiment test = experiment(mixed(orders, true), k, algorithm);
        test.setup.machine = cm2;
        const ShuffleMeasurement m = run(test);
        ASSERT_TRUE(is_exact(m, test)) << test.workload.permutation.name() << " K " << k;
        EXPECT_EQ(m.run.result.cycles, 185 * m.counted.steps);
      }
}

TEST(GeneralisedShuffle, BasedOnAapcTakesTheWholeExchangesOfItsFormula) {
  Sample sample(4);
  for (std::uint32_t beta = 1; beta <= 3; ++beta)
    for (std::uint32_t order = 1; beta * order <= 8; ++order) {
      const std::uint64_t unit = std::uint64_t{1} << beta;
      for (std::uint64_t k = unit; k <= 64; k += unit)
        for (const MixedAlgorithm algorithm : {MixedAlgorithm::aapc, MixedAlgorithm::aapc_concurrent}) {
          if (!sample.takes()) continue;
          ShuffleExperiment test = experiment(mixed(Orders(beta, order), k % 3 == 0), k, algorithm);
          const ShuffleMeasurement m = run(test);
          ASSERT_TRUE(is_exact(m, test)) << test.workload.permutation.name() << " K " << k;
          ASSERT_TRUE(is_exact(on_cm2(test))) << test.workload.permutation.name() << " K " << k;
          // Johnsson & Ho 1991: K/2 + sigma_r - beta, where beta divides K/2.
          if (algorithm == MixedAlgorithm::aapc && k / 2 % beta == 0) {
            EXPECT_EQ(m.counted.steps, k / 2 + std::uint64_t{beta} * (order - 1));
          }
          // sigma_r + 3 beta or K/2 + 2 beta.
          if (algorithm == MixedAlgorithm::aapc_concurrent && beta <= 2 && order >= 4 && k > std::uint64_t{8} * beta) {
            EXPECT_EQ(m.counted.steps,
                      std::max(k / 2 + claimed<std::uint64_t>("J69", 2, 0) * beta, std::uint64_t{beta} * (order + 3)));
          }
        }
    }
}

TEST(GeneralisedShuffle, BasedOnAapcOfDifferentOrdersTakesItsFormula) {
  Sample sample(2);
  for (const Orders& orders :
       {Orders{1, 2}, Orders{3, 1}, Orders{2, 1, 1}, Orders{1, 3, 2}, Orders{2, 4}, Orders{5, 1, 1}}) {
    const auto beta = static_cast<std::uint32_t>(orders.size());
    const std::uint64_t unit = std::uint64_t{1} << beta;
    for (std::uint64_t k = unit; k <= 64; k += unit) {
      if (!sample.takes()) continue;
      const ShuffleExperiment test = experiment(mixed(orders, k % 3 == 0), k, MixedAlgorithm::aapc);
      const ShuffleMeasurement m = run(test);
      ASSERT_TRUE(is_exact(m, test)) << test.workload.permutation.name() << " K " << k;
      ASSERT_TRUE(is_exact(on_cm2(test))) << test.workload.permutation.name() << " K " << k;
      // One constituent has the most dimensions, but of (1, 3, 2) two go through the second AAPC, which do not
      // divide 3.
      if (orders == Orders{1, 3, 2} || k / 2 % beta != 0) continue;
      const std::uint32_t waiting = std::accumulate(orders.begin(), orders.end(), 0U) - 1;
      EXPECT_EQ(m.counted.steps, k / 2 + claimed("J70", waiting, orders.front())) << k;
    }
  }
}

bool has_cycle_of_one(const DimensionPermutation& permutation) {
  return std::any_of(permutation.cycles().begin(), permutation.cycles().end(),
                     [](const auto& cycle) { return cycle.size() < 2; });
}

TEST(GeneralisedShuffle, MovesMixedRealAndVirtualCyclesByEveryPairOfAlgorithms) {
  const unsigned seed = 11;
  std::mt19937_64 random(seed);
  unsigned both = 0;
  for (unsigned trial = 0; trial < random_cases(250); ++trial) {
    const auto dim = 2 + static_cast<unsigned>(random() % 5);
    const DimensionPermutation permutation = random_permutation(random, dim, 3);
    const Factors factors = factor(permutation);
    for (const RealAlgorithm real : {RealAlgorithm::a1, RealAlgorithm::a1_pipelined, RealAlgorithm::a2}) {
      if (real == RealAlgorithm::a2 && has_cycle_of_one(permutation)) continue;
      ShuffleExperiment test = experiment(permutation, 8 * (1 + random() % 4), real);
      test.setup.dim = dim;
      test = on_machine(test, with_ports(trial % 3 == 0 ? 1 : Ports::n));
      test.workload.mixed = trial % 3 == 0   ? MixedAlgorithm::one_port
                            : trial % 3 == 1 ? MixedAlgorithm::pipelined
                                             : MixedAlgorithm::concurrent;
      const ShuffleMeasurement m = run(test);
      if (m.counted.startups == 0) {
        EXPECT_EQ(m.verified, true);
        continue;
      }
      both += factors.mixed.empty() || factors.real.empty() ? 0 : 1;
      ASSERT_TRUE(is_exact(m, test)) << "seed " << seed << " trial " << trial << " " << permutation.name();
    }
  }
  EXPECT_GT(both, random_cases(50));
}

TEST(GeneralisedShuffle, ByTranspositionsAndByTwoAapcsTakesWhatTheirExchangesTake) {
  const unsigned seed = 12;
  std::mt19937_64 random(seed);
  unsigned aapcs = 0;
  for (unsigned trial = 0; trial < random_cases(200); ++trial) {
    const auto dim = 2 + static_cast<unsigned>(random() % 4);
    const DimensionPermutation permutation = random_permutation(random, dim, 2);
    for (const ShuffleMethod method : {ShuffleMethod::transpositions, ShuffleMethod::two_aapcs}) {
      ShuffleExperiment test = experiment(permutation, std::uint64_t{4} << dim, MixedAlgorithm::pipelined);
      test.setup.dim = dim;
      if (trial % 2 == 0) test = on_machine(test, with_ports(1));
      test.workload.method = method;
      test.setup.conditions.jitter = claimed<Cycles>(method == ShuffleMethod::two_aapcs ? "J38" : "J39", 0, 40);
      if (method == ShuffleMethod::two_aapcs && permutation.real_order() == 0) continue;
      aapcs += method == ShuffleMethod::two_aapcs ? 1 : 0;
      const ShuffleMeasurement m = run(test);
      if (m.counted.startups == 0) {
        EXPECT_EQ(m.verified, true);
        continue;
      }
      ASSERT_TRUE(is_exact(m, test)) << "seed " << seed << " trial " << trial << " " << permutation.name();
    }
  }
  EXPECT_GT(aapcs, random_cases(100));
}

TEST(GeneralisedShuffle, IsInferiorByTwoAapcsAndByTranspositions) {
  // Johnsson & Ho 1991, section 6. A shuffle of order 5 with K = 64 on n ports: concurrent K/2 + 2 steps, AAPC twice
  // K/2 each; three rounds of transpositions, each of K/2 + 1 steps at least.
  const DimensionPermutation shuffle = mixed({5}, false);
  const auto steps = [&](ShuffleMethod method) {
    ShuffleExperiment test = experiment(shuffle, 64, MixedAlgorithm::concurrent);
    test.workload.method = method;
    test.workload.real = RealAlgorithm::a2x2;
    return run(test).counted.steps;
  };
  EXPECT_EQ(steps(ShuffleMethod::constituents), 34U);
  EXPECT_EQ(steps(ShuffleMethod::two_aapcs), 64U);
  EXPECT_GE(steps(ShuffleMethod::transpositions), 96U);
}

TEST(GeneralisedShuffle, RoutedStraightMovesTheSameElements) {
  const unsigned seed = 13;
  std::mt19937_64 random(seed);
  for (unsigned trial = 0; trial < 120; ++trial) {
    const auto dim = 1 + static_cast<unsigned>(random() % 6);
    const DimensionPermutation permutation = random_permutation(random, dim, 3);
    ShuffleExperiment test = experiment(permutation, 8 * (1 + random() % 3), MixedAlgorithm::concurrent);
    test.setup.dim = dim;
    test.setup.machine = trial % 4 == 0   ? preset_machine("ipsc860")
                         : trial % 4 == 1 ? preset_machine("ipsc1")
                         : trial % 4 == 2 ? with_ports(2)
                                          : with_ports(Ports::n);
    test.setup.conditions = {.jitter = Cycles{10} * (trial % 5), .seed = trial + 1};
    test.workload.ports = test.setup.machine.node.ports;
    test.workload.method = ShuffleMethod::route;
    test.workload.packet = 1 + trial % 7;
    const ShuffleMeasurement m = run(test);
    ASSERT_EQ(m.run.result.status, RunResult::Status::finished) << "seed " << seed << " trial " << trial;
    EXPECT_EQ(m.run.network.lost, 0U);
    ASSERT_EQ(m.verified, true) << "seed " << seed << " trial " << trial << " " << permutation.name();
    EXPECT_FALSE(m.predicted.has_value());
  }
}

TEST(GeneralisedShuffle, OnAnExtendedCubeTakesWhatItsPartsTake) {
  for (unsigned extend = 1; extend <= 3; ++extend)
    for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}})
      for (std::uint64_t k = std::uint64_t{2} << extend; k <= 128; k += std::uint64_t{2} << extend)
        for (const bool real : {false, true}) {
          if (real && k > 64) continue;
          const DimensionPermutation permutation =
              real ? DimensionPermutation({{{.storage = false, .bit = 2}, {.storage = false, .bit = 0}}}, {})
                   : mixed({4}, k % 3 == 0);
          ShuffleExperiment test = experiment(permutation, k, RealAlgorithm::a2);
          test.setup.dim = (real ? 3 : 4) + extend;
          test = on_machine(test, with_ports(engines));
          test.workload.mixed = engines == 1 ? MixedAlgorithm::one_port : MixedAlgorithm::concurrent;
          test.workload.extend = claimed("J24", extend, 1);
          test.workload.packet = k % 5 == 0 && !real ? 1 : real ? 3 : 1;
          const ShuffleMeasurement m = run(test);
          ASSERT_TRUE(is_exact(m, test)) << permutation.name() << " K " << k << " x " << extend;
          ASSERT_TRUE(m.unpaced_us.has_value());
          if (real || engines == 1) continue;
          // Corollary 2: 2 (K - K/2^x) / x elements to spread and collect, where x divides K/2^x.
          const std::uint64_t spread = k >> extend;
          if (spread % extend != 0) continue;
          const std::vector<std::uint32_t> orders = {4};
          EXPECT_EQ(m.counted.steps,
                    claimed("J34", 2U, 1U) * (k - spread) / extend + concurrent_steps(orders, spread / 2));
        }
}

TEST(GeneralisedShuffle, StaysAboveItsLowerBound) {
  const unsigned seed = 14;
  std::mt19937_64 random(seed);
  for (unsigned trial = 0; trial < 100; ++trial) {
    const auto dim = 2 + static_cast<unsigned>(random() % 4);
    const DimensionPermutation permutation = random_permutation(random, dim, 2);
    if (permutation.real_order() == 0) continue;
    ShuffleExperiment test = experiment(permutation, 4 * (1 + random() % 8), MixedAlgorithm::concurrent);
    test.setup.dim = dim;
    const ShuffleParameters p = bench().calibrate(test.setup.machine).shuffle(element_bytes, 1);
    EXPECT_GE(run(test).run.result.us, lower_bound_us(test.workload, p) - 1e-9) << permutation.name();
  }
}

TEST(GeneralisedShuffle, HasNoConflictsByTheStaticCheckEither) {
  for (std::uint32_t sum = 1; sum <= 6; ++sum)
    for (const Orders& orders : orders_with_sum(sum)) {
      const std::uint64_t k = std::uint64_t{4} << orders.size();
      for (const MixedAlgorithm algorithm :
           {MixedAlgorithm::one_port, MixedAlgorithm::pipelined, MixedAlgorithm::concurrent, MixedAlgorithm::aapc}) {
        const ShuffleExperiment test = experiment(mixed(orders, false), k, algorithm);
        if (!orders.empty() && algorithm == MixedAlgorithm::aapc && orders.front() != orders.back()) continue;
        if (orders.size() == 3 && algorithm == MixedAlgorithm::aapc && orders[0] != orders[1]) continue;
        shuffle_steps(test.workload, sum, [&](std::span<const PlannedCircuit> step) {
          EXPECT_TRUE(conflicts_of(step, Topology::cube(sum)).empty());
        });
        EXPECT_EQ(run(test).run.network.link_blocked.circuits, 0U);
      }
    }
}

TEST(GeneralisedShuffle, TakesThemForLargeKToo) {
  for (const std::uint64_t k : {128U, 248U, 1024U})
    for (const MixedAlgorithm algorithm : {MixedAlgorithm::pipelined, MixedAlgorithm::concurrent})
      for (const Orders& orders : std::vector<Orders>{{6}, {5, 2}, {2, 2, 2}}) {
        const ShuffleExperiment test = experiment(mixed(orders, true), k, algorithm);
        EXPECT_TRUE(is_exact_on_both(test)) << test.workload.permutation.name() << " K " << k;
      }
}

TEST(GeneralisedShuffle, TakesPacketsByThePacketFormulas) {
  for (const std::uint32_t packet : {2U, 4U, 7U})
    for (const std::uint64_t k : {28U, 56U, 62U, 112U})
      for (const MixedAlgorithm algorithm :
           {MixedAlgorithm::one_port, MixedAlgorithm::pipelined, MixedAlgorithm::concurrent}) {
        if (algorithm == MixedAlgorithm::concurrent && k % (std::uint64_t{2} * packet) != 0) continue;
        ShuffleExperiment test = experiment(mixed({5}, false), k, algorithm);
        test.workload.packet = packet;
        EXPECT_TRUE(is_exact(test)) << "K " << k << " B " << packet;
      }
}

TEST(GeneralisedShuffle, WithoutAlignmentMovesTheSameElements) {
  for (const Orders& orders : std::vector<Orders>{{3}, {5}, {2, 4}}) {
    ShuffleExperiment test = experiment(mixed(orders, true), 24, MixedAlgorithm::concurrent);
    test.workload.align = false;
    EXPECT_TRUE(is_exact(test));
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

TEST(GeneralisedShuffle, ChargesWhatIsMovedInTheEndWithoutAlignment) {
  unsigned charged = 0;
  for (const Orders& orders : std::vector<Orders>{{1}, {3}, {4}, {5}, {2, 3}})
    for (const bool complemented : {true, false}) {
      ShuffleExperiment test = experiment(mixed(orders, complemented), 32, MixedAlgorithm::concurrent);
      test.setup.machine.core.permute.compiled = {10, 1};
      test.workload.align = false;
      const ShuffleMeasurement m = run(test);
      EXPECT_EQ(m.verified, true);
      EXPECT_NEAR(m.run.result.us, m.predicted->total(), 1e-6) << orders.size() << complemented;
      // 32 elements of 4 bytes at 10 cycles a byte, all or none.
      const double moves = m.predicted->local_us / (1280 / 40.0);
      EXPECT_TRUE(moves == 0 || moves == 1) << moves;
      charged += moves == 1 ? 1 : 0;
    }
  EXPECT_GT(charged, 0U);
  EXPECT_LT(charged, 10U);
}

TEST(GeneralisedShuffle, WithOneMorePortIsNeverSlower) {
  double before = std::numeric_limits<double>::infinity();
  for (std::uint32_t ports = 1; ports <= 6; ++ports) {
    ShuffleExperiment test = experiment(mixed({6}, false), 32, MixedAlgorithm::pipelined);
    test = on_machine(test, with_ports(claimed("J21", claimed("J98", ports, 7 - ports), 1)));
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
    EXPECT_TRUE(is_exact(test));
    bench().observe(nullptr);
    for (unsigned step = 3; step <= k / 2; ++step)
      for (NodeId node = 0; node < NodeId{1} << dim; ++node)
        for (unsigned link = 0; link < dim; ++link) EXPECT_EQ((use.uses[{step, node, link}]), 1U);
  }
}

TEST(GeneralisedShuffle, CostsTheSameOnTheIdealEngine) {
  ShuffleExperiment test = experiment(mixed({5, 2}, true), 48, MixedAlgorithm::concurrent);
  test.setup.engine = EngineChoice::ideal;
  EXPECT_TRUE(is_exact(test));
}

TEST(GeneralisedShuffle, TakesTheSameCyclesInRtl) {
  TestBench both(4);
  for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
    both.elaborate({.machine = with_ports(engines), .dim = 4, .conditions = {}, .engine = EngineChoice::rtl});
  }
  for (const MixedAlgorithm algorithm : {MixedAlgorithm::one_port, MixedAlgorithm::concurrent}) {
    ShuffleExperiment test = experiment(mixed({4}, true), 20, algorithm);
    test.setup.engine = EngineChoice::rtl;
    const auto p = both.calibrate(test.setup.machine).shuffle(element_bytes, 1);
    EXPECT_TRUE(is_exact(run_shuffle(both, test, p), test));
  }
  ShuffleExperiment test =
      experiment(DimensionPermutation({{{.storage = false, .bit = 3}, {.storage = false, .bit = 0}},
                                       {{.storage = false, .bit = 1}, {.storage = false, .bit = 2}}},
                                      {}),
                 14, RealAlgorithm::a2x2);
  test.setup.engine = EngineChoice::rtl;
  const auto p = both.calibrate(test.setup.machine).shuffle(element_bytes, 1);
  const ShuffleMeasurement m = run_shuffle(both, test, p);
  EXPECT_TRUE(is_exact(m, test));
  EXPECT_EQ(m.counted.steps, 9U);
}

TEST(GeneralisedShuffle, MovesThePermutationsKnownByName) {
  for (const char* name : {"shuffle", "shuffle:3", "unshuffle:2", "bit-reversal", "transpose", "vector-reversal",
                           "consecutive-to-cyclic", "cyclic-to-consecutive"}) {
    for (unsigned dim = 1; dim <= 6; ++dim)
      for (const unsigned bits : {1U, 2U, 4U, 5U})
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
}  // namespace ecube::shuffle_test
