// SPDX-License-Identifier: Apache-2.0
// Blocks at which two partitions take the same time to the bit, and strategies that do: which of them is told.
#include "models/combine/combine_cost.h"
#include "models/exchange/exchange_cost.h"
#include "models/exchange/hull.h"
#include "tests/test.h"

namespace ecube::ties_test {
namespace {

// d = 2, lambda 8, tau 4, rho 1. Direct takes 3 (8 + 4 m) + 4 m = 24 + 16 m, Standard 2 ((8 + 4 x 2 m) + 4 m) =
// 16 + 24 m: both 40 at m = 1, and every number on the way is a whole one.
const ExchangeParameters tied{.lambda_us = 8, .tau_us_per_byte = 4, .rho_us_per_byte = 1};
const ExchangeOptions averaged{.hops = HopCount::average};

TEST(Ties, OfTwoPartitionsAreWonByFewerPhases) {
  EXPECT_EQ(exchange_cost(Partition({2}), 1, tied, averaged).total(), 40);
  EXPECT_EQ(exchange_cost(Partition({1, 1}), 1, tied, averaged).total(), 40);
  EXPECT_EQ(best_partition(Topology::cube(2), 1, tied, averaged), Partition({2}));
  EXPECT_EQ(best_partition(Topology::cube(2), 0.875, tied, averaged), Partition({1, 1}));
  EXPECT_EQ(best_partition(Topology::cube(2), 1.125, tied, averaged), Partition({2}));
}

TEST(Ties, OnTheHullBelongToTheLaterFace) {
  const Hull hull(2, hull_parameters(tied, 2, averaged));
  ASSERT_EQ(hull.faces().size(), 2U);
  EXPECT_EQ(hull.faces()[0].from, 0);
  EXPECT_EQ(hull.faces()[1].from, 4);
  EXPECT_EQ(hull.block(hull.faces()[1]), 1);
  EXPECT_EQ(hull.at_block(1).line.phases, 1U);
  EXPECT_EQ(hull.at_block(0.875).line.phases, 2U);
  EXPECT_EQ(hull.at_block(0).line.phases, 2U);
  const std::vector<RealHopsFace> real = real_hops_hull(Topology::cube(2), tied, averaged);
  ASSERT_EQ(real.size(), 2U);
  EXPECT_EQ(real[1].from_bytes, 1);
}

/// A line that only touches the hull has no face. By Theorem 2 (Bokhari 1993) E(d, n) touches it where Q = D(n) L.
TEST(Ties, WithABarrierThatOnlyTouchesGiveNoFace) {
  // d = 2: D(2) = S(1) - S(2) + 1 = 4 - 4 + 1 = 1, so that Q = L takes Standard off the hull and less does not.
  EXPECT_EQ(face_difference(2, 2), 1);
  for (const double barrier : {7.0, 8.0, 9.0}) {
    const HullParameters p{.message_us = 8, .tau_us_per_byte = 4, .rho_us_per_byte = 1, .barrier_us = barrier};
    EXPECT_EQ(Hull(2, p).faces().size(), barrier < 8 ? 2U : 1U) << barrier;
  }
  const HullParameters free{.message_us = 0, .tau_us_per_byte = 4, .rho_us_per_byte = 1};
  ASSERT_EQ(Hull(6, free).faces().size(), 1U);
  EXPECT_EQ(Hull(6, free).faces()[0].line.phases, 1U);
}

TEST(HullParameters, AreThoseOfAMessageAsWorkedByHand) {
  ExchangeParameters p{.lambda_us = 100,
                       .lambda0_us = 30,
                       .tau_us_per_byte = 2,
                       .delta_us = 10,
                       .delta_hop_us = 4,
                       .rho_us_per_byte = 1,
                       .barrier_us = 50};
  // 100 + 10 + 4 x 6 / 2
  EXPECT_EQ(hull_parameters(p, 6, {}).message_us, 122);
  EXPECT_EQ(hull_parameters(p, 6, {.barrier = Barrier::none}).barrier_us, 0);
  EXPECT_EQ(hull_parameters(p, 6, {}).rho_us_per_byte, 1);
  EXPECT_EQ(hull_parameters(p, 6, {.order = BlockOrder::inplace}).rho_us_per_byte, 0);
  EXPECT_EQ(hull_parameters(p, 6, {.barrier = Barrier::phase}).barrier_us, 50);
  EXPECT_EQ(hull_parameters(p, 6, {.barrier = Barrier::clock, .slack_us = 7}).barrier_us, 7);
  // A message without bytes first: 100 + 30 and the distance twice.
  p.pairwise_sync_messages = true;
  EXPECT_EQ(hull_parameters(p, 6, {}).message_us, 100 + 30 + 2 * 22);
}

TEST(HullNumbers, AreThoseWorkedByHand) {
  // E(7, 3) = {3, 2, 2}: S = 8 + 4 + 4. E(7, 2) = {4, 3}: S = 16 + 8.
  EXPECT_EQ(face_difference(7, 3), 24 - 16 + 1);
  const HullParameters p{.message_us = 10, .tau_us_per_byte = 2, .rho_us_per_byte = 1, .barrier_us = 5};
  const HullLine line = equipartition_line(7, 3, p);
  EXPECT_EQ(line.intercept, (16 - 3) * 10 + 3 * 5);
  EXPECT_EQ(line.slope, (3 - Wide{0.125} - Wide{0.5}) * 2 + 3 * 1);
  HullParameters skipping = p;
  skipping.identity_shuffle = IdentityShuffle::skip;
  EXPECT_EQ(equipartition_line(3, 1, skipping).slope, (1 - Wide{0.125}) * 2);
  EXPECT_EQ(equipartition_line(3, 1, p).slope, (1 - Wide{0.125}) * 2 + 1);
  EXPECT_EQ(equipartition_line(3, 3, skipping).slope, Wide{1.5} * 2 + 3);
  // L / (m tau) of d = 4, m = 1: direct 1 + (16 x 1/2 + 5/2) / 9, standard 16 (1/4 + 1/2) + 5/2.
  const OptimalityBounds bounds = optimality_bounds(4, 1, p);
  EXPECT_DOUBLE_EQ(bounds.direct, 1 + 10.5 / 9);
  EXPECT_DOUBLE_EQ(bounds.standard, 14.5);
  // With rho = Q = 0: L = x tau / u^2, so s* = log2 (x tau / L): x = 2^4 m.
  const HullParameters no_copies{.message_us = 2, .tau_us_per_byte = 2};
  EXPECT_NEAR(optimal_sum(4, 4, no_copies), 6, 1e-9);
}

/// ceil(d / (q + 1)) and floor(d / q) for every q.
TEST(HullNumbers, HaveTheCandidatesOfBokhari) {
  for (unsigned dim = 1; dim <= 400; ++dim) {
    std::vector<unsigned> all;
    for (unsigned q = 1; q <= dim; ++q) {
      all.push_back((dim + q) / (q + 1));
      all.push_back(dim / q);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    ASSERT_EQ(face_candidates(dim), all) << dim;
  }
}

/// Without start-ups and additions a step costs its bytes: halving and gathering sends what an exchange sends, so that
/// the last step, after which nothing is shorter, takes the same time either way.
TEST(Ties, OfStrategiesAreWonByOneThatHalves) {
  CombineProblem problem;
  problem.dim = 3;
  problem.items = 64;
  CombineParameters p;
  p.exchange.beta_us_per_item = p.one_way.beta_us_per_item = 2;
  for (const char* const digits : {"011", "111"}) {
    const HalvingRule rule = HalvingRule::by(Strategy::parse(digits, 3));
    EXPECT_EQ(combine_cost(problem, p, rule).terms.total(), 2 * (64 + 32 + 16)) << digits;
  }
  EXPECT_EQ(best_strategy(problem, p).name(), "111");
}

}  // namespace
}  // namespace ecube::ties_test
