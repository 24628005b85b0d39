// SPDX-License-Identifier: Apache-2.0
// Every item of a global combine is followed from node to node: who has added what to it.
#include "models/combine/combine_moves.h"

#include "tests/test.h"

namespace ecube::combine_moves_test {
namespace {

/// What the nodes hold, as sets of the nodes whose values are in an item.
class Followed {
 public:
  Followed(unsigned dim, Ports ports, const HalvingRule& rule, const CombineMoves::Plan& plan)
      : nodes_(NodeId{1} << dim), parts_(ports, dim), plan_(plan), moves_(rule, parts_, plan) {
    for (NodeId node = 0; node < nodes_; ++node) held_.emplace_back(plan.items, std::uint64_t{1} << node);
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
    return forward ? moves_.forward(node, part, step) : moves_.back(node, part, step);
  }

  void one_step(unsigned step, bool forward) {
    const std::vector<std::vector<std::uint64_t>> before = held_;
    for (unsigned part = 0; part < parts_.count(); ++part) {
      for (NodeId node = 0; node < nodes_; ++node) {
        const auto own = transfer(node, part, step, forward);
        if (!own || !own->receives) continue;
        const NodeId bit = node ^ own->partner;
        ASSERT_EQ(bit, NodeId{1} << parts_.direction(part, step));
        const auto other = transfer(own->partner, part, step, forward);
        ASSERT_TRUE(other && other->sends) << "node " << node << " waits for " << own->partner;
        ASSERT_EQ(other->partner, node);
        ASSERT_EQ(other->outgoing, own->incoming);
        ASSERT_EQ(other->least, own->least);
        if (plan_.level && forward) {
          ASSERT_GE(own->least, own->incoming.count);
          ASSERT_LE(own->least, own->incoming.count + 1);
        } else if (!plan_.level) {
          ASSERT_EQ(own->least, 0U);
        }
        longest_ = std::max(longest_, own->incoming.count);
        for (std::uint64_t i = own->incoming.first; i < own->incoming.first + own->incoming.count; ++i) {
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
  }

  NodeId nodes_;
  CombineParts parts_;
  CombineMoves::Plan plan_;
  CombineMoves moves_;
  std::vector<std::vector<std::uint64_t>> held_;  ///< [node][item]
  std::uint64_t longest_ = 0;
};

template <typename Visit>
void for_each_case(const Visit& visit) {
  for (unsigned dim = 1; dim <= 4; ++dim) {
    for (const std::uint32_t engines : {1U, 2U, std::uint32_t{Ports::n}}) {
      for (const std::uint64_t items : {0U, 1U, 7U, 16U, 33U}) {
        for (const Strategy& strategy : Strategy::all(dim)) {
          for (const bool level : {false, true}) {
            visit(dim, Ports{engines}, items, strategy, level,
                  "d " + std::to_string(dim) + " ports " + std::to_string(engines) + " items " + std::to_string(items) +
                      " strategy " + strategy.name() + (level ? " level" : ""));
          }
        }
      }
    }
  }
}

TEST(CombineMoves, GiveEveryNodeTheSumOfAll) {
  for_each_case([](unsigned dim, Ports ports, std::uint64_t items, const Strategy& strategy, bool level,
                   const std::string& what) {
    const HalvingRule rule = HalvingRule::by(strategy);
    Followed combine(dim, ports, rule, {.items = items, .level = level});
    ASSERT_NO_FATAL_FAILURE(combine.run()) << what;
    for (NodeId node = 0; node < NodeId{1} << dim; ++node) ASSERT_TRUE(combine.whole(node)) << what << " node " << node;
  });
}

TEST(CombineMoves, GiveTheRootTheSumOfAll) {
  for_each_case([](unsigned dim, Ports ports, std::uint64_t items, const Strategy& strategy, bool level,
                   const std::string& what) {
    const HalvingRule rule = HalvingRule::by(strategy);
    for (NodeId root = 0; root < NodeId{1} << dim; root += 3) {
      Followed combine(dim, ports, rule, {.items = items, .one_way = true, .level = level, .origin = root});
      ASSERT_NO_FATAL_FAILURE(combine.run()) << what;
      ASSERT_TRUE(combine.whole(root)) << what << " root " << root;
    }
  });
}

TEST(CombineMoves, OfATreeBroadcastTheSumOfTheRoot) {
  for (unsigned dim = 1; dim <= 5; ++dim) {
    for (NodeId root = 0; root < NodeId{1} << dim; ++root) {
      const HalvingRule rule = HalvingRule::by(Strategy::full(dim));
      Followed combine(dim, Ports{}, rule, {.items = 5, .tree = true, .one_way = true, .origin = root});
      ASSERT_NO_FATAL_FAILURE(combine.run()) << dim;
      for (NodeId node = 0; node < NodeId{1} << dim; ++node) ASSERT_TRUE(combine.whole(node)) << root << " " << node;
      EXPECT_EQ(combine.longest(), 5U);
    }
  }
}

/// Planted fault: labels relative to another root leave the sum with that one.
TEST(CombineMoves, ToAnotherRootAreSeen) {
  const HalvingRule rule = HalvingRule::by(Strategy::full(3));
  Followed combine(3, Ports{}, rule, {.items = 4, .one_way = true, .origin = 5});
  ASSERT_NO_FATAL_FAILURE(combine.run());
  EXPECT_TRUE(combine.whole(5));
  EXPECT_FALSE(combine.whole(4));
}

/// A halving sends the larger half at most: ceil(33 / 2).
TEST(CombineMoves, OfHalvesAreHalfAsLong) {
  const HalvingRule rule = HalvingRule::by(Strategy::halving(3));
  Followed combine(3, Ports{}, rule, {.items = 33});
  ASSERT_NO_FATAL_FAILURE(combine.run());
  EXPECT_EQ(combine.longest(), 17U);
}

}  // namespace
}  // namespace ecube::combine_moves_test
