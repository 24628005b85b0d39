// SPDX-License-Identifier: Apache-2.0
// Permutations that are none, and the bounds of their numbers.
#include "models/machine/error.h"
#include "models/shuffle/dimension_permutation.h"
#include "tests/test.h"

namespace ecube::permutation_errors_test {
namespace {

std::string parsed(const std::vector<std::string>& cycles, unsigned dim, std::uint64_t elements,
                   const std::string& complemented = "") {
  return thrown<InputError>([&] { return DimensionPermutation::parse(cycles, complemented, dim, elements); });
}

std::string named(const std::string& name, unsigned dim, std::uint64_t elements) {
  return thrown<InputError>([&] { return DimensionPermutation::named(name, dim, elements); });
}

TEST(PermutationErrors, NameWhatIsWrong) {
  EXPECT_EQ(parsed({"p1,p0,s0"}, 2, 2), "");
  EXPECT_HAS(parsed({"p1,p0,p1"}, 2, 2), "p1");
  const std::vector<DimensionPermutation::Cycle> twice(2, {{.storage = false, .bit = 1}, {.storage = false, .bit = 0}});
  EXPECT_EQ(thrown<InputError>([&] { return DimensionPermutation(twice, {}); }), "dimension p1 is in two places");
  EXPECT_NE(parsed({"p2,p0"}, 2, 2), "");
  EXPECT_NE(parsed({"p0,s1"}, 2, 2), "");
  EXPECT_EQ(parsed({"p0,s1"}, 2, 4), "");
  EXPECT_NE(parsed({"p0,x1"}, 2, 4), "");
  EXPECT_NE(parsed({"p0,p1x"}, 2, 4), "");
  EXPECT_NE(parsed({"p0"}, 2, 4), "");
  EXPECT_EQ(parsed({"p0"}, 2, 4, "p0"), "");
  EXPECT_NE(parsed({"p0,s0"}, 2, 4, "p1"), "");
  EXPECT_NE(parsed({"p0,p1", "p1,p2"}, 3, 8), "");
  const std::vector<std::string> two = {"p0,p1"};
  EXPECT_EQ(DimensionPermutation::parse(two, "p0", 3, 8).name(), "(~p0 p1)");
  const std::vector<std::string> alone = {"p2"};
  EXPECT_EQ(DimensionPermutation::parse(alone, "p2", 3, 8).name(), "(~p2)");
  EXPECT_HAS(parsed({"p0,p10000"}, 2, 4), "p1");
  // What is allowed is said: bits of the elements, if there are several.
  EXPECT_NE(parsed({"p0,s9"}, 2, 1).find('p'), std::string::npos);
  EXPECT_LACKS(parsed({"p0,s9"}, 2, 1), "s0 ..");
  EXPECT_HAS(parsed({"p0,s9"}, 2, 8), "s0 .. s2");
}

TEST(PermutationErrors, OfNamesSayWhichThereAre) {
  EXPECT_EQ(named("shuffle", 2, 4), "");
  EXPECT_EQ(named("shuffle:1000", 2, 4), "");
  EXPECT_NE(named("shuffle:10010", 2, 4), "");
  EXPECT_NE(named("shuffle:x", 2, 4), "");
  EXPECT_NE(named("shuffle:", 3, 8), "");
  EXPECT_NE(named("transpose:2", 3, 8), "");
  EXPECT_NE(named("shuffle", 2, 3), "");
  EXPECT_EQ(named("transpose", 2, 4), "");
  EXPECT_HAS(named("transpose", 2, 2), "--dim 1");
  EXPECT_LACKS(named("transpose", 1, 4), "--dim 0");
  const std::string unknown = named("nonsense", 2, 4);
  for (const char* const name : {"shuffle", "unshuffle", "bit-reversal", "transpose", "vector-reversal",
                                 "consecutive-to-cyclic", "cyclic-to-consecutive"}) {
    EXPECT_HAS(unknown, name);
  }
  EXPECT_HAS(named("shufle", 2, 4), "did you mean 'shuffle'?");
}

TEST(PermutationErrors, OfTransposesNameTheSizesNextToTheirs) {
  const std::string odd = named("transpose", 2, 8);
  EXPECT_HAS(odd, "2 of the node + 3 of the local address, is odd");
  EXPECT_HAS(odd, "--elements 16 | --elements 4 | --dim 3 | --dim 1");
  EXPECT_HAS(named("transpose", 1, 1), "--elements 2 | --dim 2");
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
  EXPECT_EQ(made({{p0}}, {p0, p1}), "dimension p1 is to be complemented, but is in no cycle");
}

}  // namespace
}  // namespace ecube::permutation_errors_test
