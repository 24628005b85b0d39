// SPDX-License-Identifier: Apache-2.0
// Every item of a global combine is followed from node to node: who has added what to it. Strategies in order,
// parameters as they are given, and the steps of a cost one by one.
#include "models/combine/combine.h"
#include "models/combine/combine_cost.h"
#include "tests/models/parameter_numbers.h"
#include "tests/test.h"

namespace ecube::combine_moves_test {
namespace {

/// What the nodes hold, as sets of the nodes whose values are in an item.
class Followed {
 public:
  Followed(const HalvingRule& rule, const CombineProblem& problem, bool tree = false)
      : nodes_(NodeId{1} << problem.dim),
        parts_(problem.parts()),
        level_(problem.level),
        moves_(rule, parts_, problem, tree) {
    for (NodeId node = 0; node < nodes_; ++node) held_.emplace_back(problem.items, std::uint64_t{1} << node);
  }

  void run() {
    for (unsigned step = 0; step < parts_.dim(); ++step) one_step(step, true);
    for (unsigned step = parts_.dim(); step-- > 0;) one_step(step, false);
  }
  /// Whether a node has every item, with the values of all nodes.
  [[nodiscard]] bool whole(NodeId node) const {
    const std::uint64_t all = nodes_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << nodes_) - 1;
    for (const std::uint64_t item : held_[node]) {
      if (item != all) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t longest() const { return longest_; }

 private:
  [[nodiscard]] std::optional<CombineTransfer> transfer(NodeId node, unsigned part, unsigned step, bool forward) const {
    return moves_.transfer(node, part, step, !forward, moves_.held(node, part, step));
  }

  void one_step(unsigned step, bool forward) {
    const std::vector<std::vector<std::uint64_t>> before = held_;
    for (unsigned part = 0; part < parts_.count(); ++part)
      for (NodeId node = 0; node < nodes_; ++node) {
        const auto own = transfer(node, part, step, forward);
        if (!own || !own->receives) continue;
        const NodeId bit = node ^ own->partner;
        ASSERT_EQ(bit, NodeId{1} << parts_.direction(part, step));
        const auto other = transfer(own->partner, part, step, forward);
        ASSERT_TRUE(other && other->sends) << "node " << node << " waits for " << own->partner;
        ASSERT_EQ(other->partner, node);
        const Items& items = own->incoming.items;
        ASSERT_EQ(other->outgoing.items, items);
        ASSERT_EQ(other->outgoing.length, own->incoming.length);
        if (forward || !level_) {
          ASSERT_GE(own->incoming.length, items.count);
          ASSERT_LE(own->incoming.length, items.count + (level_ ? 1 : 0));
        }
        longest_ = std::max(longest_, items.count);
        for (std::uint64_t i = items.first; i < items.first + items.count; ++i) {
          const std::uint64_t theirs = before[own->partner][i];
          if (forward) {
            // A value that is added twice is a wrong sum.
            ASSERT_EQ(held_[node][i] & theirs, 0U) << "item " << i << " of node " << node;
            held_[node][i] |= theirs;
          } else {
            held_[node][i] = theirs;
          }
        }
      }
  }

  NodeId nodes_;
  CombineParts parts_;
  bool level_;
  CombineMoves moves_;
  std::vector<std::vector<std::uint64_t>> held_;  ///< [node][item]
  std::uint64_t longest_ = 0;
};

template <typename Visit>
void for_each_case(const Visit& visit) {
  for (unsigned dim = 1; dim <= 4; ++dim)
    for (const std::uint32_t engines : {1U, 2U, std::uint32_t{Ports::n}})
      for (const std::uint64_t items : {0U, 1U, 7U, 16U, 33U})
        for (const Strategy& strategy : Strategy::all(dim))
          for (const bool level : {false, true}) {
            visit(dim, Ports{engines}, items, strategy, level,
                  "d " + std::to_string(dim) + " ports " + std::to_string(engines) + " items " + std::to_string(items) +
                      " strategy " + strategy.name() + (level ? " level" : ""));
          }
}

TEST(CombineMoves, GiveEveryNodeTheSumOfAll) {
  for_each_case([](unsigned dim, Ports ports, std::uint64_t items, const Strategy& strategy, bool level,
                   const std::string& what) {
    const HalvingRule rule = HalvingRule::by(strategy);
    Followed combine(rule, {.dim = dim, .items = items, .ports = ports, .level = level});
    ASSERT_NO_FATAL_FAILURE(combine.run()) << what;
    for (NodeId node = 0; node < NodeId{1} << dim; ++node) ASSERT_TRUE(combine.whole(node)) << what << " node " << node;
  });
}

TEST(CombineMoves, GiveTheRootTheSumOfAll) {
  for_each_case([](unsigned dim, Ports ports, std::uint64_t items, const Strategy& strategy, bool level,
                   const std::string& what) {
    const HalvingRule rule = HalvingRule::by(strategy);
    for (NodeId root = 0; root < NodeId{1} << dim; root += 3) {
      Followed combine(
          rule,
          {.dim = dim, .items = items, .ports = ports, .target = CombineTarget::root, .root = root, .level = level});
      ASSERT_NO_FATAL_FAILURE(combine.run()) << what;
      ASSERT_TRUE(combine.whole(root)) << what << " root " << root;
    }
  });
}

TEST(CombineMoves, OfATreeBroadcastTheSumOfTheRoot) {
  for (unsigned dim = 1; dim <= 5; ++dim)
    for (NodeId root = 0; root < NodeId{1} << dim; ++root) {
      const HalvingRule rule = HalvingRule::by(Strategy::full(dim));
      Followed combine(rule, {.dim = dim, .items = 5, .root = root}, true);
      ASSERT_NO_FATAL_FAILURE(combine.run()) << dim;
      for (NodeId node = 0; node < NodeId{1} << dim; ++node) ASSERT_TRUE(combine.whole(node)) << root << " " << node;
      EXPECT_EQ(combine.longest(), 5U);
    }
}

/// Planted fault: labels relative to another root leave the sum with that one.
TEST(CombineMoves, ToAnotherRootAreSeen) {
  const HalvingRule rule = HalvingRule::by(Strategy::full(3));
  Followed combine(rule, {.dim = 3, .items = 4, .target = CombineTarget::root, .root = 5});
  ASSERT_NO_FATAL_FAILURE(combine.run());
  EXPECT_TRUE(combine.whole(5));
  EXPECT_FALSE(combine.whole(4));
}

/// A halving sends the larger half at most: ceil(33 / 2).
TEST(CombineMoves, OfHalvesAreHalfAsLong) {
  const HalvingRule rule = HalvingRule::by(Strategy::halving(3));
  Followed combine(rule, {.dim = 3, .items = 33});
  ASSERT_NO_FATAL_FAILURE(combine.run());
  EXPECT_EQ(combine.longest(), 17U);
}

/// S_0, written first, changes fastest.
TEST(Strategies, ComeInTheOrderOfTheirDigitsAsANumber) {
  std::string names;
  for (const Strategy& strategy : Strategy::all(3)) names += strategy.name() + " ";
  EXPECT_EQ(names, "000 100 010 110 001 101 011 111 ");
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
  EXPECT_EQ(numbers(all.exchange), (std::vector<double>{136, 136, 136, 1.5}));
  EXPECT_EQ(all.one_way.beta_us_per_item, 1.5);
  EXPECT_EQ(all.pad_us_per_item, 1.5);
  EXPECT_EQ(all.gamma_us_per_item, 0.25);
  EXPECT_EQ(all.one_way.alpha_us, 136);
  const CombineParameters some = parse_combine_parameters("alpha=9,beta=1,gamma=2,alpha_zero=5,alpha_short=7,short=25");
  EXPECT_EQ(some.short_items, 25U);
  EXPECT_EQ(some.one_way.alpha_zero_us, 5);
  EXPECT_EQ(some.one_way.alpha_short_us, 7);
}

}  // namespace
}  // namespace ecube::combine_moves_test
