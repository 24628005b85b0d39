// SPDX-License-Identifier: Apache-2.0
// The schedules of three constituents of order 4 in K/2 + 6 steps, by all-to-all personalised communication (AAPC).
#include "models/shuffle/shuffle_schedule.h"
#include "tests/models/shuffle/moved_elements.h"
#include "tests/test.h"

namespace ecube::aapc_of_three_test {
namespace {

const Orders orders = {4, 4, 4};

/// The number of successive AAPCs that a row takes, each of at most one dimension of every constituent: a new AAPC
/// begins where a constituent comes again. `whole`: all AAPCs are of the same dimensions a_i.
std::uint32_t aapcs_of(const ScheduleRow& row, bool& whole) {
  std::uint32_t count = 0;
  std::uint32_t index = 0;
  std::set<std::uint32_t> served;
  whole = true;
  for (const RowEntry& entry : row.entries) {
    if (count == 0 || served.contains(entry.constituent)) {
      whole = whole && (count == 0 || served.size() == orders.size());
      served.clear();
      ++count;
      index = entry.index;
    }
    served.insert(entry.constituent);
    whole = whole && entry.index == index;
  }
  return count;
}

TEST(ShuffleSchedule, OfThreeByAapcTakesTwiceTheConstituentsMoreThanHalfTheElements) {
  unsigned schedules = 0;
  for (std::uint32_t rows = 1; rows <= 200; ++rows) {
    const std::optional<RowSchedule> schedule = aapc_of_three(rows);
    ASSERT_EQ(schedule.has_value(), has_aapc_of_three(rows));
    // Where the blocks of beta rows come out even and K is a multiple of 2 to the beta, from sigma_r + beta rows on.
    if (rows % 12 == 0 && rows >= 15) {
      EXPECT_TRUE(schedule.has_value()) << rows;
    }
    if (!schedule) continue;
    ++schedules;
    ASSERT_EQ(schedule->rows.size(), rows);
    EXPECT_EQ(schedule->steps, rows + 6);
    EXPECT_TRUE(is_sound(*schedule, orders)) << rows;
    for (const ScheduleRow& row : schedule->rows) {
      EXPECT_LE(row.entries.back().step, schedule->steps);
      bool whole = false;
      EXPECT_EQ(aapcs_of(row, whole), row.set ? 5U : 4U) << rows;
      EXPECT_EQ(whole, !row.set) << rows;
    }
  }
  EXPECT_GT(schedules, 60U);
  EXPECT_EQ(concurrent_aapc_steps(3, 4, 16), 22U);
  EXPECT_EQ(aapc_steps(std::vector<std::uint32_t>{4, 4, 4}, 16), 27U);
  EXPECT_EQ(concurrent_aapc_schedule(3, 4, 16).steps, 22U);
}

TEST(ShufflePlan, MovesEveryElementToItsPlaceByAapcOfThree) {
  for (const std::uint64_t k : {32U, 40U, 48U, 72U, 96U}) {
    const DimensionPermutation permutation = mixed(orders, k % 3);
    const ShufflePlan plan(factor(permutation).mixed, k, 1, *aapc_of_three(static_cast<std::uint32_t>(k / 2)));
    EXPECT_EQ(plan.elements_in_sequence(), k / 2 + 6);
    EXPECT_TRUE(moves_elements_right(permutation, plan, 12)) << "K " << k;
  }
}

TEST(ShufflePlan, MovesPacketsToTheirPlacesByAapcOfThree) {
  for (std::uint32_t packet = 2; packet <= 9; ++packet)
    for (const std::uint32_t rows : {16U, 20U, 24U}) {
      const std::uint64_t k = std::uint64_t{2} * rows * packet;
      const DimensionPermutation permutation = mixed(orders, packet);
      const ShufflePlan plan(factor(permutation).mixed, k, packet, *aapc_of_three(rows));
      EXPECT_EQ(plan.steps().size(), rows + 6);
      if (packet > 3) continue;
      EXPECT_TRUE(moves_elements_right(permutation, plan, 12, true)) << "K " << k << " packets of " << packet;
    }
}

TEST(ShufflePlan, MovesElementsAstrayWhereAScheduleOfThreeIsWrong) {
  const DimensionPermutation permutation = mixed(orders);
  const auto is_right = [&](const RowSchedule& schedule) {
    return moves_elements_right(permutation, ShufflePlan(factor(permutation).mixed, 32, 1, schedule), 12, true);
  };
  const RowSchedule right = *aapc_of_three(16);
  ASSERT_TRUE(is_right(right));
  for (std::size_t set = 0; set < right.sets.size(); ++set) {
    RowSchedule early = right;
    early.sets[set].sync_after = 1;
    EXPECT_FALSE(is_right(early)) << set;
    RowSchedule late = right;
    late.sets[set].sync_after = late.steps;
    EXPECT_FALSE(is_right(late)) << set;
  }
  RowSchedule swapped = right;
  std::swap(swapped.rows.back().entries[0].index, swapped.rows.back().entries[3].index);
  EXPECT_FALSE(is_sound(swapped, orders));
}

}  // namespace
}  // namespace ecube::aapc_of_three_test
