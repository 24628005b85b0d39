// SPDX-License-Identifier: Apache-2.0
// Shuffles of processor dimensions alone, by A1 and by A2.
#include "testbench/shuffle/shuffle_request.h"
#include "tests/planted.h"
#include "tests/test.h"
#include "tests/testbench/shuffle/shuffle_runs.h"

namespace ecube::real_shuffle_test {
namespace {

TEST(GeneralisedShuffle, OfA1AndA2BreaksEvenWhereTheFormulaSays) {
  // One packet to a message. A1 takes (sigma + 1) K/2 elements, A2 one start-up less: even at one K, up to the packet
  // of 2 elements, or on n ports of 2 sigma, by which K can change.
  for (unsigned order = 3; order <= 5; ++order)
    for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
      const DimensionPermutation::Cycle cycle = cycle_of(0, order);
      const std::uint64_t unit = engines == 1 ? 2 : std::uint64_t{2} * order;
      Machine machine = with_ports(engines);
      machine.library.send_cycles = 1000;
      const auto us = [&](std::uint64_t k, RealAlgorithm algorithm) {
        ShuffleExperiment test = experiment(DimensionPermutation({cycle}, {}), k, algorithm);
        test = on_machine(test, machine);
        test.workload.packet = static_cast<std::uint32_t>(is_a2(algorithm) ? k : k / 2);
        if (engines != 1) test.workload.packet = static_cast<std::uint32_t>(k / order / (is_a2(algorithm) ? 1 : 2));
        const ShuffleMeasurement m = run(test);
        EXPECT_EQ(m.verified, true);
        return m.run.result.us;
      };
      const ShuffleParameters p = bench().calibrate(machine).shuffle(element_bytes, 1);
      // The K of the formula: tau = (sigma - 1) K t_c / 2, or (1 - 1/sigma) K t_c / 2.
      const double k_formula =
          claimed("J87", p.tau_us, 2 * p.tau_us) / a1_a2_break_even_us(order, 1, engines == 1, p.tc_us_per_element);
      std::uint64_t k = unit;
      while (us(k, RealAlgorithm::a2) < us(k, RealAlgorithm::a1)) k += unit;
      EXPECT_GT(k, 4 * unit);
      EXPECT_LE(std::abs(static_cast<double>(k) - k_formula), static_cast<double>(unit)) << order << " " << engines;
    }
}

TEST(GeneralisedShuffle, OnTheIpsc1IsFasterByA1OrA2ThanByTheRouter) {
  // Johnsson & Ho 1991, section 5, measured 5 to 10 times; storing and forwarding alone does not make more than 2.3.
  const Machine ipsc1 = preset_machine("ipsc1");
  const DimensionPermutation::Cycle cycle = cycle_of(0, 5);
  for (const std::uint64_t k : {16U, 64U, 256U}) {
    const auto us = [&](RealAlgorithm real, ShuffleMethod method, std::uint64_t packet) {
      ShuffleExperiment test = experiment(DimensionPermutation({cycle}, {}), k, real);
      test = on_machine(test, ipsc1);
      test.workload.method = method;
      test.workload.packet = static_cast<std::uint32_t>(packet);
      const ShuffleMeasurement m = run(test);
      EXPECT_EQ(m.verified, true);
      return m.run.result.us;
    };
    const double route = us(RealAlgorithm::a1, ShuffleMethod::route, k);
    const double best = std::min(us(RealAlgorithm::a1, ShuffleMethod::constituents, k / 2),
                                 us(RealAlgorithm::a2, ShuffleMethod::constituents, k));
    EXPECT_GT(route / best, 1.0) << k;
    EXPECT_LT(route / best, 2.3) << k;
  }
}

TEST(GeneralisedShuffle, OfProcessorDimensionsAloneTakesA1) {
  Sample sample(4);
  for (unsigned order = 2; order <= 8; ++order)
    for (const bool complemented : {false, true}) {
      const DimensionPermutation::Cycle cycle = cycle_of(0, order);
      std::vector<AddressDimension> complements;
      if (complemented) complements.push_back(cycle[1]);
      const DimensionPermutation permutation({cycle}, complements);
      for (std::uint64_t k = 2; k <= 64; k += 2)
        for (const RealAlgorithm algorithm : {RealAlgorithm::a1, RealAlgorithm::a1_pipelined})
          for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
            if (!sample.takes()) continue;
            ShuffleExperiment test = experiment(permutation, k, algorithm);
            test = on_machine(test, with_ports(engines));
            const ShuffleMeasurement m = run(test);
            ASSERT_TRUE(is_exact(m, test)) << permutation.name() << " K " << k;
            const std::uint64_t pairs = k / 2;
            const std::uint64_t steps = engines == 1 ? (order + 1) * pairs
                                        : algorithm == RealAlgorithm::a1
                                            ? (order + 1) * ((pairs + order - 1) / order)
                                            : pairs + std::max<std::uint64_t>(claimed("J76", pairs, 0), order);
            EXPECT_EQ(m.counted.steps, steps);
            if (engines == 1) continue;
            ASSERT_TRUE(is_exact(on_cm2(test))) << permutation.name() << " K " << k;
          }
    }
}

TEST(GeneralisedShuffle, OfProcessorDimensionsAloneTakesA2) {
  Sample sample(8);
  for (unsigned order = 2; order <= 8; ++order)
    for (unsigned complements = 0; complements < 1U << order; complements += 1 + complements) {
      DimensionPermutation::Cycle cycle;
      std::vector<AddressDimension> complemented;
      for (unsigned bit = order; bit-- > 0;) {
        cycle.push_back({.storage = false, .bit = bit});
        if ((complements >> bit & 1U) != 0) complemented.push_back(cycle.back());
      }
      const DimensionPermutation permutation({cycle}, complemented);
      for (std::uint64_t k = 2; k <= 64; k += 2)
        for (const std::uint32_t packet : {1U, 2U, 20U}) {
          if (k > 20 && (packet > 1 || complements > 1)) continue;
          for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
            if (!sample.takes()) continue;
            ShuffleExperiment test = experiment(permutation, k, RealAlgorithm::a2);
            test = on_machine(test, with_ports(engines));
            test.workload.packet = packet;
            const ShuffleMeasurement m = run(test);
            ASSERT_TRUE(is_exact(m, test)) << permutation.name() << " K " << k << " B " << packet << " " << engines;
            ASSERT_TRUE(m.unpaced_us.has_value());
            EXPECT_LE(*m.unpaced_us, m.run.result.us);
            if (engines == 1) continue;
            ASSERT_TRUE(is_exact(on_cm2(test))) << permutation.name() << " K " << k << " B " << packet;
          }
        }
    }
}

TEST(GeneralisedShuffle, OfTwoProcessorDimensionsTakesA2Squared) {
  const DimensionPermutation permutation({{{.storage = false, .bit = 2}, {.storage = false, .bit = 0}}}, {});
  for (std::uint64_t k = 2; k <= 64; k += 2)
    for (const std::uint32_t packet : {1U, 3U, 4U}) {
      if (packet > k / 2) continue;
      ShuffleExperiment test = experiment(permutation, k, RealAlgorithm::a2x2);
      test.setup.dim = 3;
      test.workload.packet = packet;
      ASSERT_TRUE(is_exact_on_both(test)) << "K " << k << " B " << packet;
    }
}

}  // namespace
}  // namespace ecube::real_shuffle_test
