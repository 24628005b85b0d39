// SPDX-License-Identifier: Apache-2.0
// The table of gaps between messages, against the formula that it stands for.
#include "sw/traffic/geometric_gaps.h"

#include "models/machine/random.h"
#include "tests/test.h"

namespace ecube::geometric_gaps_test {
namespace {

constexpr std::uint64_t many = GeometricGaps::worth_it;

TEST(GeometricGaps, OfTheTableAreThoseOfTheFormula) {
  for (const double probability : {1e-9, 1e-6, 0.0005, 0.003, 0.02, 0.3, 0.5, 0.9, 0.999999, 1.0}) {
    const GeometricGaps gaps(probability, many);
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const std::uint64_t random = draw(1, 2, i);
      ASSERT_EQ(gaps(random), gaps.by_formula(random)) << probability << ", " << random;
    }
    for (const std::uint64_t random : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      EXPECT_EQ(gaps(random), gaps.by_formula(random)) << probability;
    }
  }
}

/// The random numbers at which the gap changes, and their neighbours.
TEST(GeometricGaps, ChangeWhereTheFormulaDoes) {
  constexpr double probability = 0.003;
  const GeometricGaps gaps(probability, many);
  for (Cycles gap = 1; gap < 3'000; ++gap) {
    std::uint64_t longer = 0;  // in units of 2^-53
    std::uint64_t shorter = (std::uint64_t{1} << 53) - 1;
    while (shorter - longer > 1) {
      const std::uint64_t middle = longer + (shorter - longer) / 2;
      (gaps.by_formula(middle << 11) > gap ? longer : shorter) = middle;
    }
    for (std::uint64_t place = longer < 3 ? 0 : longer - 3; place <= longer + 3; ++place) {
      ASSERT_EQ(gaps(place << 11), gaps.by_formula(place << 11)) << gap;
    }
    EXPECT_EQ(gaps(longer << 11), gap + 1);
    EXPECT_EQ(gaps(shorter << 11), gap);
  }
}

/// Few draws are not worth a table; the gaps are the same.
TEST(GeometricGaps, AreTheSameWithoutATable) {
  const GeometricGaps few(0.003, many - 1);
  const GeometricGaps table(0.003, many);
  for (std::uint64_t i = 0; i < 10'000; ++i) EXPECT_EQ(few(draw(3, 4, i)), table(draw(3, 4, i)));
}

}  // namespace
}  // namespace ecube::geometric_gaps_test
