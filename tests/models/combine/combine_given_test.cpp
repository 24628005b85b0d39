// SPDX-License-Identifier: Apache-2.0
// Strategies in order, parameters as they are given, and the steps of a cost one by one.
#include "models/combine/combine_queue.h"
#include "models/exchange/partition.h"
#include "tests/test.h"

namespace ecube::combine_given_test {
namespace {

/// S_0, written first, changes fastest.
TEST(Strategies, ComeInTheOrderOfTheirDigitsAsANumber) {
  std::string names;
  for (const Strategy& strategy : Strategy::all(3)) names += strategy.name() + " ";
  EXPECT_EQ(names, "000 100 010 110 001 101 011 111 ");
}

TEST(Compositions, AreAllOfThemOnce) {
  std::string names;
  for (const Partition& partition : compositions_of(3)) names += partition.name() + " ";
  EXPECT_EQ(names, "3 1,2 2,1 1,1,1 ");
  EXPECT_EQ(compositions_of(1).size(), 1U);
  EXPECT_EQ(compositions_of(8).size(), 128U);
}

TEST(CombineParametersGiven, GoWhereTheirNamesSay) {
  const CombineParameters p = parse_combine_parameters("alpha=11,beta=2,gamma=3");
  EXPECT_EQ(p.exchange.alpha_us, 11);
  EXPECT_EQ(p.exchange.alpha_short_us, 11);
  EXPECT_EQ(p.exchange.alpha_zero_us, 11);
  EXPECT_EQ(p.exchange.beta_us_per_item, 2);
  EXPECT_EQ(p.one_way.alpha_us, 11);
  EXPECT_EQ(p.one_way.beta_us_per_item, 2);
  EXPECT_EQ(p.gamma_us_per_item, 3);
  EXPECT_TRUE(p.one_alpha());
}

CombineParameters parameters() {
  CombineParameters p;
  p.exchange = {.alpha_zero_us = 10, .alpha_short_us = 10, .alpha_us = 10, .beta_us_per_item = 2};
  p.one_way = p.exchange;
  p.gamma_us_per_item = 1;
  return p;
}

/// van de Geijn 1991, section 3.4, with 8 items on 8 nodes: 1 halves to 4 items, then 2 exchanges of these.
TEST(CombineSteps, AreThoseOfTheHybridOneByOne) {
  CombineProblem problem{.dim = 3, .items = 8, .ports = {}};
  const CombineCost cost = combine_cost(problem, parameters(), HalvingRule::by(Strategy::parse("001", 3)));
  ASSERT_EQ(cost.steps.size(), 4U);
  const CombineMove moves[] = {CombineMove::halve, CombineMove::exchange, CombineMove::exchange, CombineMove::gather};
  double us = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const bool combines = i < 3;
    EXPECT_EQ(cost.steps[i].move, moves[i]);
    EXPECT_EQ(cost.steps[i].items, 4U);
    EXPECT_DOUBLE_EQ(cost.steps[i].terms.total(), 10 + 4 * 2 + (combines ? 4 : 0));
    us += cost.steps[i].terms.total();
  }
  EXPECT_EQ(cost.steps[0].step, 0U);
  EXPECT_EQ(cost.steps[2].step, 2U);
  EXPECT_EQ(cost.steps[3].step, 0U) << "undone last";
  EXPECT_DOUBLE_EQ(cost.terms.total(), us);
  const CombineCost tree = tree_cost(problem, parameters());
  ASSERT_EQ(tree.steps.size(), 6U);
  EXPECT_DOUBLE_EQ(tree.terms.total(), 6 * (10 + 8 * 2) + 3 * 8);
}

/// Nodes are followed only where start-ups queue, in cubes up to a dimension.
TEST(CombineFollowed, OnlyWhereStartUpsQueue) {
  CombineParameters p = parameters();
  p.processor = ProcessorTimes{.startup_us = 10, .startup_zero_us = 10};
  const HalvingRule rule = HalvingRule::by(Strategy::halving(max_followed_dim));
  CombineProblem problem{.dim = max_followed_dim, .items = 300, .ports = {.engines = Ports::n}};
  problem.startups = Startups::overlapped;
  EXPECT_DOUBLE_EQ(followed_cost(problem, p, rule, false).terms.queued_startup_us, 0);
  // Halves differ by an item, so that some nodes are ahead of those that always keep the larger one.
  problem.startups = Startups::queued;
  const double followed = followed_cost(problem, p, rule, false).terms.total();
  EXPECT_NE(followed, combine_cost(problem, p, rule).terms.total());
  EXPECT_GT(followed, 16 * 8 * 10) << "16 steps of 8 start-ups";
}

TEST(GivenCombineParameters, HaveShortMessagesOnlyWhereTheyAreNamed) {
  const CombineParameters all = parse_combine_parameters("alpha=136,beta=1.5,gamma=0.25");
  EXPECT_EQ(all.short_items, 0U);
  EXPECT_EQ(all.exchange.alpha_us, 136);
  EXPECT_EQ(all.exchange.alpha_zero_us, 136);
  EXPECT_EQ(all.exchange.alpha_short_us, 136);
  EXPECT_EQ(all.one_way.beta_us_per_item, 1.5);
  EXPECT_EQ(all.pad_us_per_item, 1.5);
  EXPECT_EQ(all.gamma_us_per_item, 0.25);
  const CombineParameters some = parse_combine_parameters("alpha=9,beta=1,gamma=2,alpha_zero=5,alpha_short=7,short=25");
  EXPECT_EQ(some.short_items, 25U);
  EXPECT_EQ(some.one_way.alpha_zero_us, 5);
  EXPECT_EQ(some.one_way.alpha_short_us, 7);
}

}  // namespace
}  // namespace ecube::combine_given_test
