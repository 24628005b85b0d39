// SPDX-License-Identifier: Apache-2.0
// The time of a plan whose start-ups queue, worked out by hand; the best number of packets of every collective that
// pipelines, against all numbers tried one by one.
#include "models/family/plan.h"
#include "tests/test.h"

namespace ecube::plan_cost_test {
namespace {

/// One step: every node exchanges `items` items with its neighbour in each dimension of `used`.
CollectivePlan one_step(const CollectiveProblem& problem, unsigned used, std::uint64_t items, Arrival arrival,
                        bool totalled) {
  return {problem, 1, [=](const CollectiveProblem&, NodeId node, unsigned, PlannedTransfers& transfers) {
            for (unsigned lane = 0; lane < used; ++lane) {
              transfers.push_back({.partner = node ^ NodeId{1} << lane,
                                   .lane = lane,
                                   .sends = true,
                                   .receives = true,
                                   .outgoing = {{0, items}},
                                   .incoming = {{0, items}},
                                   .arrival = arrival,
                                   .totalled = totalled});
            }
          }};
}

CombineParameters parameters() {
  CombineParameters p;
  p.exchange = {.alpha_zero_us = 12, .alpha_short_us = 16, .alpha_us = 20, .beta_us_per_item = 1};
  p.one_way = {.alpha_zero_us = 1, .alpha_short_us = 1, .alpha_us = 1, .beta_us_per_item = 0};
  p.short_items = 5;
  p.gamma_us_per_item = 0.5;
  return p;
}

PlanCost cost(const CombineParameters& p, unsigned dim, Ports ports, Startups startups, unsigned used = 2,
              std::uint64_t items = 10, Arrival arrival = Arrival::combined, bool totalled = false) {
  const CollectiveProblem problem{.dim = dim, .items = items, .ports = ports, .startups = startups};
  return plan_cost(one_step(problem, used, items, arrival, totalled), p);
}

constexpr Ports all_ports{.engines = Ports::n};
constexpr Ports one_port{.engines = 1};

/// Messages of 30 us: 10 are the start-up, 4 the receipt. Start-ups end at 10 and 20, messages arrive at 26 and 36, and
/// the last receipt ends at 40. Then 20 items are combined in 10 us.
TEST(PlanCost, QueuesStartUpsAndReceiptsOnTheProcessor) {
  CombineParameters p = parameters();
  p.processor = ProcessorTimes{.startup_us = 10, .receipt_us = 4};
  EXPECT_DOUBLE_EQ(cost(p, 2, all_ports, Startups::queued).us, 40 + 10);
  // Start-ups of 14 us and receipts of 4 leave less than nothing of a message of 12: it arrives at 14 or 28, and both
  // receipts are behind the start-ups.
  p.processor->startup_us = 14;
  EXPECT_DOUBLE_EQ(cost(p, 2, all_ports, Startups::queued, 2, 0).us, 28 + 4 + 4);
  // All of alpha is a start-up where nothing says otherwise: at 20 and 40, arrivals at 30 and 50.
  p.processor.reset();
  EXPECT_DOUBLE_EQ(cost(p, 2, all_ports, Startups::queued).us, 50 + 10);
}

TEST(PlanCost, OverlapsStartUpsWithoutAQueue) {
  const PlanCost all = cost(parameters(), 2, all_ports, Startups::overlapped);
  EXPECT_DOUBLE_EQ(all.us, 30 + 10);
  EXPECT_EQ(all.messages, 8U);
  ASSERT_EQ(all.steps.size(), 1U);
  EXPECT_EQ(all.steps[0].items, 10U);
  EXPECT_EQ(all.steps[0].combined, 20U);
  EXPECT_DOUBLE_EQ(all.terms.startup_us, 20);
  EXPECT_DOUBLE_EQ(all.terms.transmission_us, 10);
  EXPECT_DOUBLE_EQ(all.terms.combine_us, 10);
}

/// Start-ups of no items, of few and of more than few; a message of so many items.
TEST(PlanCost, HasAStartUpForNoItemsForFewAndForMore) {
  const auto us = [](std::uint64_t items) {
    return cost(parameters(), 1, one_port, Startups::overlapped, 1, items, Arrival::stored).us;
  };
  EXPECT_DOUBLE_EQ(us(0), 12);
  EXPECT_DOUBLE_EQ(us(1), 17);
  EXPECT_DOUBLE_EQ(us(5), 21);
  EXPECT_DOUBLE_EQ(us(6), 26);
}

/// Of a scan a node adds every item to the running total, unless nobody needs the total any more, and the items of a
/// partner with a smaller label to its prefix as well.
TEST(PlanCost, CombinesWhatArrivesOnceOrTwiceOrNotAtAll) {
  const auto combined = [](Arrival arrival, bool totalled) {
    return cost(parameters(), 1, one_port, Startups::overlapped, 1, 10, arrival, totalled).steps[0].combined;
  };
  EXPECT_EQ(combined(Arrival::stored, false), 0U);
  EXPECT_EQ(combined(Arrival::stored, true), 10U);
  EXPECT_EQ(combined(Arrival::unused, true), 10U);
  EXPECT_EQ(combined(Arrival::combined, false), 10U);
  EXPECT_EQ(combined(Arrival::combined, true), 20U);
}

TEST(PlanCost, FollowsNodesUpToEightDimensionsAndBeyondWhereStartUpsQueue) {
  EXPECT_TRUE(cost(parameters(), 8, all_ports, Startups::overlapped).followed);
  EXPECT_FALSE(cost(parameters(), 9, all_ports, Startups::overlapped).followed);
  EXPECT_TRUE(cost(parameters(), 9, all_ports, Startups::queued).followed);
  EXPECT_TRUE(cost(parameters(), 9, {.engines = 2}, Startups::queued).followed);
  EXPECT_FALSE(cost(parameters(), 9, one_port, Startups::queued, 1).followed);
}

/// Of 11 items on two nodes the first has 6 and, with the start-up of few, the other 5; a tree has one edge, which a
/// packet crosses in every step.
TEST(PlanCost, CountsAMessageForEveryNodeButTheRootOfATree) {
  const CollectiveProblem pair{.dim = 1, .items = 11, .ports = one_port, .packets = 5};
  std::map<std::string_view, PlanCost> of_pair;
  for (const Collective* const one : collectives()) {
    const CollectivePlan plan = one->algorithms.front().plan({.dim = 3, .items = 64, .root = 5, .ports = one_port});
    EXPECT_EQ(plan_cost(plan, parameters()).messages == 7, one->rooted) << one->name;
    of_pair[one->name] = plan_cost(one->algorithms.back().plan(pair), parameters());
  }
  EXPECT_EQ(of_pair["all-gather"].steps[0].items, 6U);
  EXPECT_TRUE(of_pair["all-gather"].startups_differ);
  EXPECT_EQ(of_pair["broadcast"].steps.size(), 5U);
}

TEST(BestPackets, AreThoseOfTheLeastTimeOfAllNumbers) {
  std::uint64_t tried = 0;
  for (const Collective* const collective : collectives())
    for (const CollectiveAlgorithm& algorithm : collective->algorithms) {
      if (!algorithm.packets) continue;
      for (const double alpha_us : {0.0, 0.5, 136.0, 525.0})
        for (const double beta_us : {0.25, 1.5, 2.0}) {
          CombineParameters parameters;
          parameters.exchange.alpha_us = alpha_us;
          parameters.exchange.alpha_short_us = alpha_us;
          parameters.exchange.beta_us_per_item = beta_us;
          parameters.one_way = parameters.exchange;
          parameters.gamma_us_per_item = 0.35;
          for (const std::uint64_t items : {0U, 1U, 7U, 100U, 1000U, 2999U})
            for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
              CollectiveProblem problem{.dim = 6, .items = items, .ports = {.engines = engines}};
              const std::uint64_t found = best_packets(algorithm, problem, parameters);
              problem.packets = found;
              const double time = algorithm.published_us(problem, parameters);
              for (problem.packets = 1; problem.packets <= items; ++problem.packets) {
                ASSERT_GE(algorithm.published_us(problem, parameters), time)
                    << collective->name << " " << algorithm.name << ", " << items << " items, alpha " << alpha_us
                    << ", beta " << beta_us << ": " << problem.packets << " packets beat " << found;
              }
              ++tried;
            }
        }
    }
  EXPECT_GT(tried, 100U);
}

}  // namespace
}  // namespace ecube::plan_cost_test
