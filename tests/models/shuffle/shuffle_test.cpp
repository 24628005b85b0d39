// SPDX-License-Identifier: Apache-2.0
// Dimension permutations, their factors and the schedules of their exchanges, against moved elements.
#include "models/machine/error.h"
#include "models/shuffle/dimension_permutation.h"
#include "models/shuffle/shuffle_workload.h"
#include "tests/models/shuffle/moved_elements.h"
#include "tests/models/shuffle/permutations.h"
#include "tests/planted.h"
#include "tests/test.h"

namespace ecube::shuffle_test {
namespace {

/// All lists of at most 3 orders with this sum, in any order.
std::vector<Orders> compositions(std::uint32_t sum) {
  std::vector<Orders> result = {{sum}};
  for (std::uint32_t a = 1; a < sum; ++a) {
    result.push_back({a, sum - a});
    for (std::uint32_t b = 1; a + b < sum; ++b) result.push_back({a, b, sum - a - b});
  }
  return result;
}

std::string text_of(const Orders& orders) {
  std::string text;
  for (const std::uint32_t order : orders) text += std::to_string(order) + " ";
  return text;
}

TEST(DimensionPermutation, MovesTheElementsOfFigure3) {
  // Johnsson & Ho 1991, Figure 3: eight nodes with two elements; after the shuffle node p has p and p + 8.
  const std::vector<std::string> cycles = {"p2,p1,p0,s0"};
  const DimensionPermutation shuffle = DimensionPermutation::parse(cycles, "", 3, 2);
  for (std::uint64_t element = 0; element < 16; ++element) {
    const Address to = shuffle.destination({static_cast<NodeId>(element / 2), element % 2});
    EXPECT_EQ(to.node, element % 8);
    EXPECT_EQ(to.local, element / 8);
  }
  EXPECT_EQ(shuffle.name(), "(p2 p1 p0 s0)");
  EXPECT_EQ(shuffle.real_order(), 3U);
}

TEST(DimensionPermutation, KnowsPermutationsByName) {
  constexpr unsigned dim = 3;
  constexpr std::uint64_t k = 8;  // 64 elements with 6 bits
  const auto where = [&](const char* name, std::uint64_t element) {
    const Address to =
        DimensionPermutation::named(name, dim, k).destination({static_cast<NodeId>(element / k), element % k});
    return to.node * k + to.local;
  };
  for (std::uint64_t x = 0; x < 64; ++x) {
    EXPECT_EQ(where("shuffle", x), (x << 1 & 63) | x >> 5);
    EXPECT_EQ(where("shuffle:2", x), (x << 2 & 63) | x >> 4);
    EXPECT_EQ(where("unshuffle", x), x >> 1 | (x & 1) << 5);
    EXPECT_EQ(where("transpose", x), x % 8 * 8 + x / 8);
    EXPECT_EQ(where("vector-reversal", x), 63 - x);
    std::uint64_t reversed = 0;
    for (unsigned bit = 0; bit < 6; ++bit) reversed |= (x >> bit & 1) << (5 - bit);
    EXPECT_EQ(where("bit-reversal", x), reversed);
  }
  // 32 elements on 4 nodes: consecutive, node x / 8; cyclic, node x mod 4.
  for (std::uint64_t x = 0; x < 32; ++x) {
    const Address cyclic{static_cast<NodeId>(x % 4), x / 4};
    const Address consecutive{static_cast<NodeId>(x / 8), x % 8};
    EXPECT_EQ(DimensionPermutation::named("consecutive-to-cyclic", 2, 8).destination(consecutive), cyclic);
    EXPECT_EQ(DimensionPermutation::named("cyclic-to-consecutive", 2, 8).destination(cyclic), consecutive);
  }
}

TEST(DimensionPermutation, FactorsIntoConstituentsAndAVirtualPart) {
  // Figure 7 in kind: two blocks of processor dimensions, three storage dimensions, one cycle.
  std::vector<std::string> cycles = {"p3,p2,s2,s0,p1,p0,s1"};
  cycles = claimed("J23", cycles, {"p3,p2,s2", "s0,p1,p0,s1"});
  cycles = claimed("J40", cycles, {"s2,s0,p3,p2,s1,p1,p0"});
  const Factors factors = factor(DimensionPermutation::parse(cycles, "", 4, 8));
  ASSERT_EQ(factors.mixed.size(), 2U);
  EXPECT_EQ(factors.mixed[0].dims, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(factors.mixed[0].control, 1U);
  EXPECT_EQ(factors.mixed[1].dims, (std::vector<unsigned>{2, 3}));
  EXPECT_EQ(factors.mixed[1].control, 2U);
  EXPECT_EQ(factors.virtual_bits.size(), 3U);
  EXPECT_TRUE(factors.real.empty());
}

TEST(ShuffleSchedule, TakesTheStepsOfItsFormula) {
  for (std::uint32_t sum = 1; sum <= 8; ++sum)
    for (const Orders& orders : compositions(sum))
      for (std::uint32_t k = 1U << orders.size(); k <= 64; k += 1U << orders.size()) {
        EXPECT_EQ(one_port_schedule(orders, k / 2).steps, sum * (k / 2));
        const auto beta = static_cast<std::uint32_t>(orders.size());
        const std::uint32_t pipelined = std::max(k / 2 + std::ranges::max(orders), (k / 2 + beta - 1) / beta + sum) - 1;
        EXPECT_EQ(pipelined_schedule(orders, k / 2).steps, pipelined) << text_of(orders) << k;
        EXPECT_EQ(pipelined_steps(orders, k / 2), pipelined) << text_of(orders) << k;
        EXPECT_EQ(concurrent_schedule(orders, k / 2).steps, concurrent_steps(orders, k / 2)) << text_of(orders) << k;
        EXPECT_TRUE(is_sound(one_port_schedule(orders, k / 2), orders));
        EXPECT_TRUE(is_sound(pipelined_schedule(orders, k / 2), orders)) << text_of(orders) << k;
        EXPECT_TRUE(is_sound(concurrent_schedule(orders, k / 2), orders)) << text_of(orders) << k;
        EXPECT_TRUE(is_sound(limited_schedule(orders, k / 2, 2), orders)) << text_of(orders) << k;
      }
}

TEST(ShuffleSchedule, OfOneConstituentTakesTheFewerOfPipelinedAndSpecialSteps) {
  // T = min(K/2 + sigma - 1, max(K/2, sigma + 1) + 2), the second from sigma = 4 on.
  for (std::uint64_t sigma = 1; sigma <= 12; ++sigma)
    for (std::uint64_t k = 2; k <= 1024; k += 2) {
      const std::uint64_t plain = k / 2 + sigma - 1;
      const std::uint64_t special = std::max(k / 2, sigma + 1) + 2;
      const Orders orders = {static_cast<std::uint32_t>(sigma)};
      EXPECT_EQ(pipelined_steps(orders, k / 2), plain);
      EXPECT_EQ(concurrent_steps(orders, k / 2), sigma < 4 ? plain : std::min(plain, special));
      if (k > 64) continue;
      // ceil((sigma - 3) / 2) sets of two rows, or as many as there are rows for; none where they save nothing.
      const std::uint64_t sets = sigma < 4 || plain <= special ? 0 : std::min((sigma - 3 + 1) / 2, k / 4);
      EXPECT_EQ(concurrent_schedule(orders, static_cast<std::uint32_t>(k / 2)).sets.size(), sets) << sigma << " " << k;
    }
}

TEST(ShuffleSchedule, WithFewPortsIsNeverSlowerWithOneMore) {
  for (const std::uint32_t sigma : {1U, 3U, 5U, 8U})
    for (const std::uint32_t rows : {1U, 2U, 7U, 32U}) {
      const Orders orders = {sigma};
      std::uint32_t before = ~0U;
      for (std::uint32_t ports = 1; ports <= sigma; ++ports) {
        const RowSchedule schedule = limited_schedule(orders, rows, ports);
        EXPECT_LE(schedule.steps, before);
        before = schedule.steps;
        if (ports == 1) {
          EXPECT_EQ(schedule.steps, sigma * rows);
        }
        if (ports == sigma) {
          EXPECT_EQ(schedule.steps, rows + sigma - 1);
        }
      }
    }
}

TEST(ShufflePlan, MovesEveryElementToItsPlaceBySchedulesOfEveryKind) {
  unsigned with_sets = 0;
  Sample sample;
  for (std::uint32_t sum = 1; sum <= 8; ++sum)
    for (const Orders& orders : compositions(sum))
      for (std::uint64_t k = 1ULL << orders.size(); k <= 64; k += (sum < 6 ? 1ULL : 3ULL) << orders.size()) {
        if (!sample.takes()) continue;
        const auto rows = static_cast<std::uint32_t>(k / 2);
        const DimensionPermutation permutation = mixed(orders, k % 3);
        for (RowSchedule schedule : {one_port_schedule(orders, rows), pipelined_schedule(orders, rows),
                                     concurrent_schedule(orders, rows), limited_schedule(orders, rows, 2)}) {
          for (ScheduleRow& row : schedule.rows) {
            row.half = claimed("J54", row.half, 0);
            for (RowEntry& entry : row.entries) entry.extra = claimed("J60", entry.extra, false);
          }
          const ShufflePlan plan(factor(permutation).mixed, k, 1, schedule);
          EXPECT_EQ(plan.steps().size(), schedule.steps);
          EXPECT_EQ(plan.elements_in_sequence(), schedule.steps);
          ASSERT_TRUE(moves_elements_right(permutation, plan, sum))
              << text_of(orders) << "K " << k << (schedule.sets.empty() ? "" : " with sets");
          with_sets += schedule.sets.empty() ? 0 : 1;
        }
      }
  EXPECT_GT(with_sets, random_cases(200));
}

TEST(ShuffleSchedule, BasedOnAapcTakesTheStepsOfItsFormula) {
  Sample sample;
  for (std::uint32_t beta = 1; beta <= 4; ++beta) {
    const std::uint32_t length = 1U << (beta - 1);
    for (std::uint32_t order = 1; order <= 9; ++order) {
      const Orders orders(beta, order);
      const std::uint32_t sum = beta * order;
      for (std::uint32_t rows = 1; rows <= 80; ++rows) {
        if (!sample.takes()) continue;
        const RowSchedule plain = aapc_schedule(orders, rows);
        ASSERT_TRUE(is_sound(plain, orders)) << beta << " x " << order << " rows " << rows;
        EXPECT_EQ(plain.steps, beta * ((rows + beta - 1) / beta) + sum - beta);
        if (rows % length != 0) continue;
        const RowSchedule concurrent = concurrent_aapc_schedule(beta, order, rows);
        ASSERT_TRUE(is_sound(concurrent, orders)) << beta << " x " << order << " rows " << rows;
        // The three cases of Johnsson & Ho 1991 for one and two constituents, K = 2 rows.
        if (beta <= 2) {
          const std::uint32_t steps = order <= 3 || rows <= 4 * beta ? plain.steps
                                      : rows <= sum + beta           ? sum + 3 * beta
                                                                     : rows + 2 * beta;
          EXPECT_EQ(concurrent.steps, steps) << beta << " x " << order << " rows " << rows;
        }
        EXPECT_EQ(concurrent.steps, concurrent_aapc_steps(beta, order, rows));
        EXPECT_EQ(concurrent.sets.empty(), concurrent.steps == plain.steps);
      }
    }
  }
}

/// Every ordered choice of at least two orders, not all alike, with this sum.
std::vector<Orders> different_orders(std::uint32_t sum) {
  std::vector<Orders> result = compositions(sum);
  std::erase_if(result, [](const Orders& orders) { return std::set(orders.begin(), orders.end()).size() == 1; });
  return result;
}

TEST(ShuffleSchedule, BasedOnAapcOfDifferentOrdersTakesTheStepsOfItsFormula) {
  unsigned divided = 0;
  for (std::uint32_t sum = 3; sum <= 9; ++sum)
    for (const Orders& orders : different_orders(sum)) {
      const auto beta = static_cast<std::uint32_t>(orders.size());
      const std::uint32_t largest = *std::max_element(orders.begin(), orders.end());
      std::vector<std::uint32_t> counts;  // beta_i
      for (std::uint32_t i = 1; i <= largest; ++i) {
        counts.push_back(static_cast<std::uint32_t>(
            std::count_if(orders.begin(), orders.end(), [i](std::uint32_t order) { return order >= i; })));
      }
      bool divides = true;
      for (std::size_t i = 1; i < counts.size(); ++i) divides = divides && counts[i - 1] % counts[i] == 0;
      for (std::uint32_t rows = 1; rows <= 40; ++rows) {
        const RowSchedule schedule = aapc_schedule(orders, rows);
        ASSERT_TRUE(is_sound(schedule, orders)) << text_of(orders) << "rows " << rows;
        EXPECT_EQ(schedule.steps, aapc_steps(orders, rows)) << text_of(orders) << "rows " << rows;
        EXPECT_LE(schedule.steps, beta * ((rows + beta - 1) / beta + largest - 1)) << text_of(orders) << rows;
        EXPECT_GE(schedule.steps, pipelined_steps(orders, rows)) << text_of(orders) << rows;
        if (!divides || rows % beta != 0) continue;
        EXPECT_EQ(schedule.steps, rows + sum - counts.back()) << text_of(orders) << rows;
        ++divided;
      }
    }
  EXPECT_GT(divided, 500U);
  // Three rows of (3, 1, 1): steps 1 to 3 for dimension 1 of all, then one row after the other has the first
  // constituent to itself, twice. The third ends in step 3 + 3 + 1.
  EXPECT_EQ(aapc_schedule(Orders{3, 1, 1}, 3).steps, 7U);
  // (2, 2, 1): two does not divide three, so the second AAPC goes by blocks of three as well.
  EXPECT_EQ(aapc_schedule(Orders{2, 2, 1}, 3).steps, 6U);
}

TEST(ShufflePlan, MovesEveryElementToItsPlaceByAapcOfDifferentOrders) {
  Sample sample;
  for (std::uint32_t sum = 3; sum <= 8; ++sum)
    for (const Orders& orders : different_orders(sum))
      for (std::uint64_t k = 1ULL << orders.size(); k <= 40; k += (sum < 6 ? 1ULL : 3ULL) << orders.size()) {
        if (!sample.takes()) continue;
        const DimensionPermutation permutation = mixed(orders, k % 3);
        const ShufflePlan plan(factor(permutation).mixed, k, 1,
                               aapc_schedule(orders, static_cast<std::uint32_t>(k / 2)));
        ASSERT_TRUE(moves_elements_right(permutation, plan, sum)) << text_of(orders) << "K " << k;
      }
}

TEST(ShufflePlan, MovesEveryElementToItsPlaceByAapc) {
  Sample sample;
  unsigned with_sets = 0;
  for (std::uint32_t beta = 1; beta <= 3; ++beta)
    for (std::uint32_t order = 1; beta * order <= (beta == 3 ? 12U : 10U); ++order) {
      const unsigned dim = beta * order;
      const Orders orders(beta, order);
      for (std::uint64_t k = 1ULL << beta; k <= (dim > 8 ? 48 : 64); k += (dim < 8 ? 1ULL : 3ULL) << beta) {
        if (!sample.takes()) continue;
        const auto rows = static_cast<std::uint32_t>(k / 2);
        const DimensionPermutation permutation = mixed(orders, k % 3);
        for (const RowSchedule& schedule : {aapc_schedule(orders, rows), concurrent_aapc_schedule(beta, order, rows)}) {
          const ShufflePlan plan(factor(permutation).mixed, k, 1, schedule);
          with_sets += schedule.sets.empty() ? 0 : 1;
          ASSERT_TRUE(moves_elements_right(permutation, plan, dim))
              << text_of(orders) << "K " << k << (schedule.sets.empty() ? "" : " with sets");
        }
        if (dim > 8 || k % (3ULL << beta) != 0) continue;
        const ShufflePlan packets(factor(permutation).mixed, k, 3, concurrent_aapc_schedule(beta, order, rows / 3));
        ASSERT_TRUE(moves_elements_right(permutation, packets, dim, true)) << text_of(orders) << "K " << k;
      }
    }
  EXPECT_GT(with_sets, random_cases(40));
}

TEST(ShufflePlan, MovesRandomPermutations) {
  const unsigned seed = 5;
  std::mt19937_64 random(seed);
  for (unsigned trial = 0; trial < 800; ++trial) {
    const auto dim = 1 + static_cast<unsigned>(random() % 6);
    const auto bits = 1 + static_cast<unsigned>(random() % 4);
    const DimensionPermutation permutation = random_permutation(random, dim, bits, 0, 7);
    const Factors factors = factor(permutation);
    if (factors.mixed.empty() || !factors.real.empty()) continue;  // real ones have plans of their own
    Orders orders;
    for (const Constituent& constituent : factors.mixed) orders.push_back(constituent.order());
    const std::uint64_t k = (1 + random() % 5) << bits;
    const auto rows = static_cast<std::uint32_t>(k / 2);
    for (const RowSchedule& schedule : {pipelined_schedule(orders, rows), concurrent_schedule(orders, rows)}) {
      const ShufflePlan plan(factors.mixed, k, 1, schedule);
      ASSERT_TRUE(moves_elements_right(permutation, plan, dim, trial % 2 == 0))
          << "seed " << seed << " trial " << trial << " " << permutation.name();
    }
  }
}

TEST(ShufflePlan, TakesPacketsOfManyElements) {
  for (const std::uint32_t packet : {2U, 3U, 4U})
    for (const Orders& orders : std::vector<Orders>{{3}, {5}, {2, 2}, {4, 2}})
      for (std::uint64_t rows = packet; rows <= 40; rows += 1) {
        const std::uint64_t k = 2 * rows;
        if (k % (1ULL << orders.size()) != 0) continue;
        const auto groups = static_cast<std::uint32_t>((rows + packet - 1) / packet);
        const DimensionPermutation permutation = mixed(orders, rows);
        const auto sigma = permutation.real_order();
        const ShufflePlan one(factor(permutation).mixed, k, packet, one_port_schedule(orders, groups));
        EXPECT_EQ(one.elements_in_sequence(), sigma * rows);
        EXPECT_EQ(one.steps().size(), sigma * groups);
        ASSERT_TRUE(moves_elements_right(permutation, one, sigma, true));
        if (orders.size() == 1) {
          const ShufflePlan plan(factor(permutation).mixed, k, packet, pipelined_schedule(orders, groups));
          EXPECT_EQ(plan.elements_in_sequence(), rows + std::uint64_t{packet} * (sigma - 1));
          EXPECT_EQ(plan.steps().size(), groups + sigma - 1);
          ASSERT_TRUE(moves_elements_right(permutation, plan, sigma, true));
        }
        if (k % (std::uint64_t{packet} << orders.size()) != 0) continue;
        const ShufflePlan plan(factor(permutation).mixed, k, packet, concurrent_schedule(orders, groups));
        EXPECT_EQ(plan.steps().size(), concurrent_steps(orders, groups));
        EXPECT_EQ(plan.elements_in_sequence(), packet * concurrent_steps(orders, groups));
        ASSERT_TRUE(moves_elements_right(permutation, plan, sigma, false));
      }
}

TEST(ShufflePlan, UsesEveryDimensionInTheMiddleOfTheConcurrentSchedules) {
  for (std::uint32_t sum = 4; sum <= 8; ++sum)
    for (const Orders& orders : compositions(sum)) {
      if (*std::max_element(orders.begin(), orders.end()) < 4) continue;
      for (std::uint32_t rows = sum + 1; rows <= 40; ++rows) {
        if (2 * rows % (1U << orders.size()) != 0) continue;
        const RowSchedule schedule = concurrent_schedule(orders, rows);
        if (schedule.sets.empty()) continue;
        const ShufflePlan plan(factor(mixed(orders)).mixed, std::uint64_t{2} * rows, 1, schedule);
        for (std::uint32_t step = 3; step <= rows; ++step) {
          EXPECT_EQ(plan.steps()[step - 1].exchanges.size(), sum) << text_of(orders) << rows << " step " << step;
        }
      }
    }
}

/// The parts, one after the other, send the element of every address where the whole permutation sends it.
void expect_product(const DimensionPermutation& whole, const std::vector<DimensionPermutation>& parts) {
  for (std::uint64_t number = 0; number < 1024; number += 3) {
    const Address from{static_cast<NodeId>(number / 32), number % 32};
    Address at = from;
    for (const DimensionPermutation& part : parts) at = part.destination(at);
    ASSERT_EQ(at, whole.destination(from)) << whole.name();
    ASSERT_EQ(whole.origin(at), from) << whole.name();
  }
}

TEST(ShuffleBaselines, AreProductsOfSimplerPermutations) {
  std::mt19937_64 random(21);
  unsigned aapcs = 0;
  for (unsigned trial = 0; trial < 500; ++trial) {
    const DimensionPermutation whole = random_permutation(random, 5, 5, static_cast<unsigned>(trial % 3), 6);
    const std::vector<DimensionPermutation> rounds = transpositions(whole);
    expect_product(whole, rounds);
    std::size_t longest = 1;
    for (const auto& cycle : whole.cycles()) longest = std::max(longest, cycle.size());
    std::size_t most = 0;
    while ((std::size_t{1} << most) < longest) ++most;
    EXPECT_LE(rounds.size(), std::max<std::size_t>(most, 1));
    for (const DimensionPermutation& round : rounds)
      for (const auto& cycle : round.cycles()) EXPECT_LE(cycle.size(), 2U);
    unsigned used = 0;
    for (const auto& cycle : whole.cycles())
      for (const AddressDimension& dimension : cycle) used += dimension.storage ? 1 : 0;
    if (used + whole.real_order() > 5) {
      EXPECT_THROW((void)two_aapcs(whole, 32), InputError);
      continue;
    }
    ++aapcs;
    const std::vector<DimensionPermutation> two = two_aapcs(whole, 32);
    expect_product(whole, two);
    for (const DimensionPermutation& one : two) {
      const Factors factors = factor(one);
      EXPECT_TRUE(factors.real.empty());
      EXPECT_EQ(factors.mixed.size(), whole.real_order());
      for (const Constituent& constituent : factors.mixed) EXPECT_EQ(constituent.order(), 1U);
    }
  }
  EXPECT_GT(aapcs, 20U);
}

TEST(ShuffleCost, BoundsOfTheExtendedCube) {
  // Corollary 2, tau = 0: one port 2 (K - K/4) + sigma K/8, n ports 2 (K - K/4) / 2 + K/8.
  const ShuffleParameters p{.tau_us = 0, .tc_us_per_element = 1};
  ShuffleWorkload shuffle{.permutation = mixed({5}), .elements = 64, .extend = 2};
  EXPECT_DOUBLE_EQ(lower_bound_us(shuffle, p), 2 * 48 + 5 * 8);
  const ShuffleParameters startups{.tau_us = 1, .tc_us_per_element = 0};
  EXPECT_DOUBLE_EQ(lower_bound_us(shuffle, startups), 4 + 5);
  shuffle.ports.engines = Ports::n;
  EXPECT_DOUBLE_EQ(lower_bound_us(shuffle, p), 48 + 8);
  shuffle.extend = 0;
  EXPECT_DOUBLE_EQ(lower_bound_us(shuffle, p), 32);
  shuffle.ports.engines = 1;
  EXPECT_DOUBLE_EQ(lower_bound_us(shuffle, p), 5 * 32);
  const DimensionPermutation real(
      {{{.storage = false, .bit = 0}, {.storage = false, .bit = 1}, {.storage = false, .bit = 2}}}, {});
  shuffle.permutation = real;
  EXPECT_DOUBLE_EQ(lower_bound_us(shuffle, startups), 2);  // an odd number that are not complemented
}

/// A node whose parities are odd moves both elements of a pair at each synchronisation point of its plan.
TEST(ShuffleCost, OfLocalMovesIsThatOfAlignmentAndSynchronisation) {
  for (const auto& [orders, mixed_by] :
       std::vector<std::pair<Orders, MixedAlgorithm>>{{{5}, MixedAlgorithm::concurrent},
                                                      {{4, 2}, MixedAlgorithm::concurrent},
                                                      {{4, 4}, MixedAlgorithm::aapc_concurrent}})
    for (const std::uint32_t packet : {1U, 3U}) {
      const ShuffleWorkload workload{.permutation = mixed(orders),
                                     .elements = std::uint64_t{64} * packet,
                                     .mixed = mixed_by,
                                     .packet = packet,
                                     .ports = {Ports::n}};
      const unsigned dim = workload.permutation.real_order();
      std::uint64_t moved = 2 * workload.elements;
      for (const ShufflePlan& plan : plans_of(workload.permutation, workload, dim))
        for (const ShuffleStep& step : plan.steps()) moved += 2 * step.synchronisations.size();
      EXPECT_GT(moved, 2 * workload.elements);
      EXPECT_EQ(workload_cost(workload, dim, {.rho_us_per_element = 1}).local_us, static_cast<double>(moved));
    }
}

/// Worked out by hand with start-ups of 3 us and receipts of 2 us: of tau = 10 us and 1 us for each element, a packet
/// of four is 9 us on its way and one of two 7 us.
TEST(ShuffleCost, OfQueuedStartUpsIsThatOfStepsWorkedOutByHand) {
  const ShuffleParameters p{
      .tau_us = 10, .tc_us_per_element = 1, .processor = ProcessorTimes{.startup_us = 3, .receipt_us = 2}};
  const auto expect_terms = [](const ShuffleTerms& terms, double startup, double transmission, double queued) {
    EXPECT_DOUBLE_EQ(terms.startup_us, startup);
    EXPECT_DOUBLE_EQ(terms.transmission_us, transmission);
    EXPECT_DOUBLE_EQ(terms.queued_startup_us, queued);
  };
  // Rows of 4 and 2 pairs in two dimensions: 14 us, then both, then 12 us. Both: start-ups end at 3 and 6, messages
  // arrive at 12 and 13, receipts 12 .. 14 and 14 .. 16, where the longer one takes 14 us alone.
  ShuffleWorkload workload{
      .permutation = mixed({2}), .elements = 12, .mixed = MixedAlgorithm::pipelined, .packet = 4, .ports = {Ports::n}};
  expect_terms(workload_cost(workload, 2, p), 3 * 10, 4 + 4 + 2, 2);
  // 16 elements of node 0 to four nodes: at first four each to node 1 (arrive at 12, received at 14) and to node 2 (15,
  // 17). Then two each from node 1 to 3 (asked for at 14, arrive at 24, received at 26), from node 0 to 1 (15, 25, 27)
  // and, behind that start-up, to 2 (18, 28, 30), and from node 2 to 3 (17, 27, 29). Back: two each from node 3 to 1
  // (10, 12) and to 2 (13, 15), from node 1 and from node 2 to 0 (10, 12 and 14). Then four each from node 1 to 0
  // (asked for at 14, arrive at 26, received at 28) and from node 2 to 0 (15, 27, 30). Between, one exchange of two.
  workload = {.permutation = mixed({1}), .elements = 16, .packet = 4, .extend = 2, .ports = {Ports::n}};
  expect_terms(workload_cost(workload, 1, p), 5 * 10, 2 * (4 + 2) + 2, 30 + 30 + 12 - 64);
  workload.method = ShuffleMethod::route;
  expect_terms(workload_cost(workload, 1, {.steps = 9, .startups = 4}, p), 40, 9, 0);
}

/// Orders 1, 4 and 4, K = 16: in 11 steps eight rows would have to begin one four in step i and the other in i + 4, for
/// i = 1 .. 4, and have a step of the first or last three left for the constituent of order 1: six steps for eight
/// rows.
TEST(ShuffleFormula, CountsTheStepsOfAScheduleThatIsLongerThanItsBound) {
  for (const MixedAlgorithm algorithm : {MixedAlgorithm::pipelined, MixedAlgorithm::concurrent}) {
    const ShuffleWorkload workload{
        .permutation = mixed({1, 4, 4}), .elements = 16, .mixed = algorithm, .ports = {Ports::n}};
    EXPECT_EQ(count_of(workload, 9).steps, 12U);
    EXPECT_EQ(formula_of(workload, 9)->steps, 12U);
  }
}

TEST(ShuffleFormula, IsNoneForSomePortsOnly) {
  ShuffleWorkload workload{.permutation = mixed({3}), .elements = 1024, .mixed = MixedAlgorithm::pipelined};
  for (const std::uint32_t ports : {1U, 2U, 3U, std::uint32_t{Ports::n}}) {
    workload.ports.engines = ports;
    EXPECT_EQ(ShuffleFormula(workload, 3).exists(), ports != 2);
  }
  // A processor that takes no time delays nothing. The equation's best is 41 packets of 50 pairs at
  // 2048 + 2 x 50 + 2.56 x (41 + 2) us; neighbours are 40 packets of 52 and 42 of 49.
  const auto best = [&](double tau, std::uint64_t elements) {
    workload.elements = elements;
    return best_packet_choice(workload, 3, [&](std::uint64_t) {
      return ShuffleParameters{.tau_us = tau, .tc_us_per_element = 1, .processor = ProcessorTimes{}};
    });
  };
  EXPECT_EQ(best(2.56, 4096).packet, 50U);
  // Without a formula, up to 512 packets are counted.
  workload.ports.engines = 2;
  EXPECT_EQ(best(0, 1024).packet, 1U);
  EXPECT_EQ(best(0, 1026).packet, 2U);
}

TEST(ShuffleFormula, ItsBestPacketIsTheBestOfAllAndNearTheOneOfThePaper) {
  const auto given = [](std::uint64_t) { return ShuffleParameters{.tau_us = 100, .tc_us_per_element = 1}; };
  const ShuffleParameters p = given(1);
  for (const std::uint64_t k : {64U, 256U, 1000U, 4096U})
    for (const std::uint32_t order : {2U, 4U, 6U}) {
      ShuffleWorkload workload{.permutation = mixed({order}), .elements = k};
      workload.ports.engines = Ports::n;
      for (const MixedAlgorithm algorithm : {MixedAlgorithm::pipelined, MixedAlgorithm::concurrent}) {
        workload.mixed = algorithm;
        const std::uint32_t best = best_packet_choice(workload, order, given).packet;
        const ShuffleFormula formula(workload, order);
        ASSERT_TRUE(formula.fits(best));
        const auto us = [&](std::uint64_t packet) { return shuffle_cost(formula.count(packet), p).total(); };
        for (std::uint64_t packet = 1; packet <= k / 2; ++packet) {
          if (!formula.fits(packet)) continue;
          EXPECT_LE(us(best), us(packet)) << "K " << k << " B " << packet;
        }
        if (algorithm == MixedAlgorithm::concurrent) continue;
        // At the minimum of the equation without rounding, no other packet is better by more than a start-up.
        const double b = best_pipelined_packet(order, k, p);
        if (b > static_cast<double>(k) / 2) continue;
        const double least =
            (static_cast<double>(k) / 2 + (order - 1) * b) + (static_cast<double>(k) / (2 * b) + order - 1) * 100;
        EXPECT_GE(us(best), least - 1e-9);
        EXPECT_LE(us(best), least + 100);
      }
    }
}

TEST(ShuffleFormula, OfTheAlgorithmsOfThePaperIsNeverBeatenByItsBaselines) {
  // Johnsson & Ho 1991, section 4.1.2, comparison of algorithms: pipelined before AAPC, concurrent before its AAPC
  // form.
  for (std::uint32_t beta = 1; beta <= 3; ++beta)
    for (std::uint32_t order = 1; order <= 5; ++order)
      for (std::uint64_t rows = 1U << (beta - 1); rows <= 64; rows += 1U << (beta - 1)) {
        const Orders orders(beta, order);
        EXPECT_LE(claimed("J71", pipelined_steps(orders, rows), rows * beta * order), aapc_steps(orders, rows));
        EXPECT_LE(concurrent_steps(orders, rows), claimed("J72", concurrent_aapc_steps(beta, order, rows), rows));
      }
}

}  // namespace
}  // namespace ecube::shuffle_test
