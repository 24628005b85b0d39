// SPDX-License-Identifier: Apache-2.0
// Partitions and the data movement of their phases, compared with Bokhari 1993 and with moved blocks.
#include "models/exchange/partition.h"

#include "models/machine/error.h"
#include "tests/planted.h"
#include "tests/test.h"

namespace ecube::partition_test {
namespace {

constexpr std::array<BlockOrder, 3> orders = {BlockOrder::high, BlockOrder::low, BlockOrder::inplace};

std::string error_of(std::string_view text, unsigned dim) {
  return thrown<InputError>([&] { return Partition::parse(text, dim); });
}

std::string names(const std::vector<Partition>& partitions) {
  std::string text;
  for (const Partition& partition : partitions) text += (text.empty() ? "" : " ") + partition.name();
  return text;
}

TEST(PartitionText, IsReadAndWritten) {
  EXPECT_EQ(Partition::parse("3,3", 6).name(), "3,3");
  EXPECT_EQ(Partition::parse("1,3,2", 6).braced_name(), "{1,3,2}");
  EXPECT_EQ(Partition::parse(" 2 , 3 ", 5).name(), "2,3");
  EXPECT_EQ(Partition::parse("direct", 6).name(), "6");
  EXPECT_EQ(Partition::parse("standard", 4).name(), "1,1,1,1");
  EXPECT_EQ(Partition::parse("10000", 10'000).dim(), 10'000U);
}

TEST(PartitionText, ThatIsEmptyOrHasNoNumbersIsRefused) {
  for (const char* const text : {"", "  "}) EXPECT_HAS(error_of(text, 5), "the partition is empty");
  EXPECT_HAS(error_of("2,x", 5), "part 'x' of partition '2,x' is not a whole number");
  EXPECT_HAS(error_of("9999999999", 5), "part '9999999999' of partition '9999999999' is larger than --dim, which is 5");
}

TEST(Partition, CannotBeMadeOfNothingOrOfTooMuch) {
  EXPECT_THROW(Partition({}), InputError);
  EXPECT_THROW(Partition({2, 0, 3}), InputError);
  EXPECT_THROW(Partition({10'000, 1}), InputError);
  EXPECT_THROW(Partition({4'294'967'295U, 1}), InputError);
}

TEST(Partitions, AreThoseOfBokharisTables) {
  EXPECT_EQ(names(partitions_of(5)), "5 4,1 3,2 3,1,1 2,2,1 2,1,1,1 1,1,1,1,1");
  EXPECT_EQ(names(partitions_of(1)), "1");
  const std::array<std::size_t, 7> table_4 = {1, 2, 3, 5, 7, 11, 15};
  for (unsigned d = 1; d <= table_4.size(); ++d) EXPECT_EQ(partitions_of(d).size(), table_4[d - 1]) << d;
  EXPECT_EQ(partitions_of(20).size(), 627U);
  EXPECT_EQ(partitions_of(40).size(), 37'338U);
}

TEST(Compositions, AreAllDifferentOrdersOfAllPartitions) {
  EXPECT_EQ(names(compositions_of(3)), "3 1,2 2,1 1,1,1");
  for (unsigned d = 1; d <= 10; ++d) {
    std::set<std::string> different;
    std::set<std::string> sorted;
    for (const Partition& composition : compositions_of(d)) {
      EXPECT_EQ(composition.dim(), d);
      different.insert(composition.name());
      std::vector<unsigned> parts(composition.parts().begin(), composition.parts().end());
      std::sort(parts.rbegin(), parts.rend());
      sorted.insert(Partition(parts).name());
    }
    EXPECT_EQ(different.size(), std::size_t{1} << (d - 1));
    EXPECT_EQ(sorted.size(), partitions_of(d).size());
  }
}

TEST(Equipartitions, AreThePartitionsWhosePartsDifferByAtMostOne) {
  EXPECT_EQ(Partition::equipartition(19, 8).name(), "3,3,3,2,2,2,2,2");
  EXPECT_EQ(names(equipartitions_of(5)), "5 3,2 2,2,1 2,1,1,1 1,1,1,1,1");
  for (unsigned d = 1; d <= 16; ++d) {
    std::set<std::string> by_definition;
    for (const Partition& partition : partitions_of(d))
      if (partition.parts().front() - partition.parts().back() <= 1) by_definition.insert(partition.name());
    std::set<std::string> constructed;
    for (const Partition& partition : equipartitions_of(d)) constructed.insert(partition.name());
    EXPECT_EQ(constructed, by_definition) << d;
  }
  EXPECT_TRUE(Partition({2, 3, 2}).is_equipartition());
  EXPECT_FALSE(Partition({1, 3}).is_equipartition());
}

/// Where the permutation that ends the phase moves the block in `slot`.
NodeId slot_after(const Phase& phase, NodeId slot) {
  return phase.order == BlockOrder::inplace ? slot : slot_by_columns(slot, phase.columns(), phase.nodes);
}

TEST(Phases, SpanTheBitsTheOrderSays) {
  const Partition partition({1, 3, 2});
  const auto lows = [&](BlockOrder order) {
    std::vector<unsigned> result;
    for (const Phase& phase : phases(partition, order)) result.push_back(phase.subcube().low);
    return result;
  };
  EXPECT_EQ(lows(claimed("N16", BlockOrder::high, BlockOrder::low)), (std::vector<unsigned>{5, 2, 0}));
  EXPECT_EQ(lows(BlockOrder::low), (std::vector<unsigned>{0, 1, 4}));
  EXPECT_EQ(lows(BlockOrder::inplace), (std::vector<unsigned>{5, 2, 0}));
  const Phase second = phases(partition, BlockOrder::high)[1];
  EXPECT_EQ(second.size(), 8U);
  EXPECT_EQ(second.index, 1U);
  EXPECT_EQ(second.partner(0b101101, 0b011), 0b100001U);  // bits 4-2: 011 xor 011 = 000
}

TEST(Phases, SendTheSlotsOfTheTable) {
  const Partition partition({1, 2});
  // Bits 1-0 of d = 3, sub-index 2: high 2 * 2^1 .. 3 * 2^1 - 1; low spans bits 2-1: slots = 2 mod 4; in place ..10.
  EXPECT_EQ(phases(partition, BlockOrder::high)[1].slots(2), (SlotRuns{4, 2, 1, 2}));
  EXPECT_EQ(phases(partition, BlockOrder::low)[1].slots(2), (SlotRuns{2, 1, 2, 4}));
  EXPECT_EQ(phases(partition, BlockOrder::inplace)[1].slots(2), (SlotRuns{2, 1, 2, 4}));
  // In place, first phase, bit 2 set: one run of four.
  EXPECT_EQ(phases(partition, BlockOrder::inplace)[0].slots(1), (SlotRuns{4, 4, 1, 8}));
  EXPECT_EQ(slot_after(phases(partition, BlockOrder::high)[0], 0b100), 0b001U);
  EXPECT_EQ(slot_after(phases(partition, BlockOrder::low)[0], 0b001), 0b100U);
  EXPECT_EQ(slot_after(phases(partition, BlockOrder::low)[1], 0b001), 0b010U);
}

TEST(Phases, NeedACubeThatHasLabels) {
  EXPECT_EQ(slot_after(phases(Partition::direct(20), BlockOrder::high)[0], 0xABCDE), 0xABCDEU);
  EXPECT_THROW((void)phases(Partition::direct(21), BlockOrder::high), std::invalid_argument);
}

using Block = std::pair<NodeId, NodeId>;  // origin, destination
using Memory = std::vector<std::vector<Block>>;

void exchange_all(Memory& nodes, const Phase& phase) {
  for (NodeId step = 1; step < phase.size(); ++step) {
    const Memory before = nodes;
    for (NodeId node = 0; node < nodes.size(); ++node) {
      const NodeId from = phase.partner(node, step);
      const SlotRuns sent = phase.slots(phase.index_of(node));   // by `from`, to `node`
      const SlotRuns taken = phase.slots(phase.index_of(from));  // where `node` had what it sent to `from`
      for (NodeId i = 0; i < sent.count(); ++i) nodes[node][taken[i]] = before[from][sent[i]];
    }
  }
  for (std::vector<Block>& slots : nodes) {
    const std::vector<Block> before = slots;
    for (NodeId slot = 0; slot < slots.size(); ++slot) slots[slot_after(phase, slot)] = before[slot];
  }
}

TEST(DataMovement, TransposesForEveryCompositionInEveryOrder) {
  for (unsigned d = 1; d <= exhaustive_dim(7); ++d) {
    const NodeId n = NodeId{1} << d;
    for (const Partition& composition : compositions_of(d))
      for (const BlockOrder order : orders) {
        Memory nodes(n);
        for (NodeId p = 0; p < n; ++p)
          for (NodeId b = 0; b < n; ++b) nodes[p].emplace_back(p, b);
        for (const Phase& phase : phases(composition, order)) exchange_all(nodes, phase);
        bool transposed = true;
        for (NodeId p = 0; p < n; ++p)
          for (NodeId s = 0; s < n; ++s) transposed = transposed && nodes[p][s] == Block(s, p);
        EXPECT_TRUE(transposed) << composition.braced_name() << " order " << static_cast<int>(order);
      }
  }
}

TEST(DataMovement, DividesTheSlotsAmongTheSubcube) {
  for (const Partition& composition : compositions_of(6))
    for (const BlockOrder order : orders)
      for (const Phase& phase : phases(composition, order)) {
        std::set<NodeId> seen;
        for (NodeId q = 0; q < phase.size(); ++q) {
          const SlotRuns sent = phase.slots(q);
          EXPECT_EQ(sent.count(), claimed<NodeId>("B14", 64, 32) / phase.size());
          for (NodeId i = 0; i < sent.count(); ++i) {
            EXPECT_TRUE(seen.insert(sent[i]).second);
            EXPECT_TRUE(i == 0 || sent[i - 1] < sent[i]);
          }
        }
        EXPECT_EQ(seen.size(), 64U);
        EXPECT_EQ(*seen.rbegin(), 63U);
      }
}

TEST(Shuffle, IsTheIdentityExactlyWhereItMovesNothing) {
  for (unsigned d = 1; d <= 6; ++d)
    for (const Partition& composition : compositions_of(d))
      for (const BlockOrder order : orders)
        for (const Phase& phase : phases(composition, order)) {
          bool moves = false;
          for (NodeId slot = 0; slot < NodeId{1} << d; ++slot) moves = moves || slot_after(phase, slot) != slot;
          EXPECT_EQ(phase.is_identity(), !moves) << composition.braced_name();
          EXPECT_EQ(pays_shuffle(phase, order, IdentityShuffle::skip), moves);
          EXPECT_EQ(pays_shuffle(phase, order, IdentityShuffle::charge), order != BlockOrder::inplace);
        }
}

TEST(PartitionErrors, ShortenAPartitionOfManyParts) {
  std::string ones = "1";
  for (int part = 1; part < 30; ++part) ones += ",1";
  // 30 ones and 29 commas are 59 characters; 31 parts are 61, of which 60 are shown.
  EXPECT_HAS(error_of(ones, 3), std::string("partition ").append(ones).append(" sums to 30, but --dim is 3"));
  EXPECT_HAS(error_of(ones + ",1", 3), std::string("partition ").append(ones).append(",... sums to 31, but"));
  // 60 characters are shown in full.
  EXPECT_HAS(error_of(std::string("12").append(ones.substr(1)), 3),
             std::string("partition 12").append(ones.substr(1)).append(" sums to 41"));
}

}  // namespace
}  // namespace ecube::partition_test
