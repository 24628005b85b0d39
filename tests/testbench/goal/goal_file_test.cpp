// SPDX-License-Identifier: Apache-2.0
// A compiled schedule that was kept is believed only when it is whole.
#include "testbench/goal/goal_file.h"

#include <fmt/core.h>

#include "testbench/system/program_files.h"
#include "testbench/text/text_hash.h"
#include "testbench/version.h"
#include "tests/test.h"

namespace ecube::goal_file_test {
namespace {

template <class Range>
std::string bytes_of(const Range& range) {
  return {reinterpret_cast<const char*>(range.data()), range.size() * sizeof(range[0])};
}

class KeptSchedule : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(file) << text; }
  void TearDown() override { std::filesystem::remove(kept); }

  [[nodiscard]] testing::AssertionResult is_right() const {
    GoalFile goal(file);
    const GoalText wanted = parse_goal(text, file);
    const GoalSchedule schedule = goal.schedule();
    if (bytes_of(schedule.operations) != bytes_of(wanted.operations))
      return testing::AssertionFailure() << "operations";
    if (bytes_of(schedule.dependents) != bytes_of(wanted.dependents))
      return testing::AssertionFailure() << "dependents";
    if (bytes_of(schedule.first) != bytes_of(wanted.first)) return testing::AssertionFailure() << "ranks";
    if (goal.counts().messages != 1 || goal.counts().other_processors != 1)
      return testing::AssertionFailure() << "counts";
    return testing::AssertionSuccess();
  }

  const Directory directory;
  const std::string file = directory / "s.goal";
  /// Of this test alone.
  const std::string text = "// " + file +
                           "\nnum_ranks 2\nrank 0 {\na: calc 1000 cpu 1\nb: send 64b to 1\nb requires a\n}\nrank 1 {\n"
                           "recv 64b from 0\n}\n";
  const std::string kept =
      cache_folder("goal") / digest_of(fmt::format("ecube {}, schedule 3, {}\n", program_version, digest_of(text)));
};

TEST_F(KeptSchedule, IsMadeAnewWhereAnyBitIsAnother) {
  ASSERT_TRUE(is_right());
  const std::string whole = file_text(kept);
  ASSERT_GT(whole.size(), seal_bytes) << kept;
  Sample sample(16);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    if (!sample.takes()) continue;
    std::string changed = whole;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    std::ofstream(kept, std::ios::binary) << changed;
    ASSERT_TRUE(is_right()) << "bit " << bit << ", " << sample.name();
    ASSERT_EQ(file_text(kept), whole) << "bit " << bit << ", " << sample.name();
  }
}

TEST_F(KeptSchedule, IsMadeAnewWhereItIsCutOffOrTooLong) {
  ASSERT_TRUE(is_right());
  const std::string whole = file_text(kept);
  Sample sample(4);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    if (!sample.takes()) continue;
    std::ofstream(kept, std::ios::binary) << whole.substr(0, size);
    ASSERT_TRUE(is_right()) << size << " bytes, " << sample.name();
    ASSERT_EQ(file_text(kept), whole) << size << " bytes, " << sample.name();
  }
  // A file with a hole of a terabyte takes no memory.
  std::filesystem::resize_file(kept, std::uintmax_t{1} << 40);
  ASSERT_TRUE(is_right());
  EXPECT_EQ(file_text(kept), whole);
}

/// A seal says that a file is whole, not that its counts are those of a schedule.
TEST_F(KeptSchedule, IsMadeAnewWhereItsCountsDoNotFit) {
  ASSERT_TRUE(is_right());
  const std::string whole = file_text(kept);
  for (const std::size_t count : {std::size_t{0}, std::size_t{8}, std::size_t{16}}) {
    std::string contents = whole.substr(0, whole.size() - seal_bytes);
    std::fill_n(contents.begin() + static_cast<std::ptrdiff_t>(count), 8, '\xFF');
    std::ofstream(kept, std::ios::binary) << sealed(contents);
    ASSERT_TRUE(is_right()) << "count at " << count;
    ASSERT_EQ(file_text(kept), whole);
  }
  std::ofstream(kept, std::ios::binary) << sealed("");
  EXPECT_TRUE(is_right());
}

}  // namespace
}  // namespace ecube::goal_file_test
