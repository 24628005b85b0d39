// SPDX-License-Identifier: Apache-2.0
// Permutations that are none, and the bounds of their numbers.
#include "models/machine/error.h"
#include "models/shuffle/dimension_permutation.h"
#include "models/shuffle/shuffle_workload.h"
#include "tests/machines.h"
#include "tests/models/shuffle/permutations.h"
#include "tests/test.h"

namespace ecube::permutation_errors_test {
namespace {

TEST(PermutationErrors, NameWhatIsWrong) {
  EXPECT_LACKS(thrown<InputError>([] { return DimensionPermutation::named("transpose", 1, 4); }), "--dim 0");
  unsigned rows = 0;
  for (const std::string& line : file_lines(in_tree("tests/models/shuffle/permutations.txt"))) {
    if (line.starts_with("#")) continue;
    static const std::regex form("(\\d+)x(\\d+): ([^ ]+)(?: ~([^ ]+))?(?: !(.*))?");
    std::smatch row;
    ASSERT_TRUE(std::regex_match(line, row, form)) << line;
    const auto dim = static_cast<unsigned>(std::stoul(row[1]));
    const std::uint64_t elements = std::stoull(row[2]);
    static const std::regex cycle("[^()]+");
    const std::string permutation = row[3];
    const std::vector<std::string> parts(std::sregex_token_iterator(permutation.begin(), permutation.end(), cycle), {});
    const std::string said = thrown<InputError>([&] {
      return permutation.starts_with("(") ? DimensionPermutation::parse(parts, row[4].str(), dim, elements)
                                          : DimensionPermutation::named(permutation, dim, elements);
    });
    expect_reasons(said, row[5], line);
    ++rows;
  }
  EXPECT_GT(rows, 20U);
}

TEST(PermutationErrors, OfCyclesThatAreMadeNotParsed) {
  const AddressDimension p0{.storage = false, .bit = 0};
  const AddressDimension p1{.storage = false, .bit = 1};
  const auto made = [](const std::vector<DimensionPermutation::Cycle>& cycles,
                       const std::vector<AddressDimension>& complemented) {
    return thrown<InputError>([&] { return DimensionPermutation(cycles, complemented); });
  };
  EXPECT_EQ(made({{p0}}, {}), "a cycle has two dimensions or more, or one that is complemented");
  EXPECT_EQ(made({{}}, {}), "a cycle has two dimensions or more, or one that is complemented");
  EXPECT_EQ(made({{p0}}, {p0}), "");
  EXPECT_EQ(made({{p0, p1}}, {}), "");
  EXPECT_EQ(made({{p1, p0}, {p1, p0}}, {}), "dimension p1 is in two places");
  EXPECT_EQ(DimensionPermutation({{p0, p1}}, {p0}).name(), "(~p0 p1)");
  EXPECT_EQ(DimensionPermutation({{p1}}, {p1}).name(), "(~p1)");
  EXPECT_EQ(made({{p0}}, {p0, p1}), "dimension p1 is to be complemented, but is in no cycle");
}

TEST(PermutationErrors, OfSchedulesThatAreTooLongNameThePacket) {
  // 2^39 pairs in 3 dimensions: 3 x 2^39 exchanges, 3 x 2^16 times the 2^23 that there may be.
  const ShuffleWorkload workload{.permutation = {{cycle_of(0, 3, 0)}, {}}, .elements = std::uint64_t{1} << 40};
  EXPECT_EQ(thrown<InputError>([&] { return schedules_of(workload.permutation, workload, 3); }),
            "the schedule of 1099511627776 elements in packets of 1 has 1649267441664 exchanges of packets\n"
            "  valid: up to 8388608 exchanges: --packet 196608 or more | fewer --elements");
}

}  // namespace
}  // namespace ecube::permutation_errors_test
