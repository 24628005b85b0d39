// SPDX-License-Identifier: Apache-2.0
// One value of a function that rounds is too few; larger() is seen on both sides.
#include "code/sample.h"

#include <gtest/gtest.h>

TEST(Sample, LargerIsTheLargerOne) {
  EXPECT_EQ(larger(1, 2), 2);
  EXPECT_EQ(larger(2, 1), 2);
  EXPECT_EQ(larger(1, 1), 1);
}

TEST(Sample, HalfOfThreeIsTwo) { EXPECT_EQ(half_up(3), 2U); }

TEST(Sample, SumsAreThoseOfGauss) {
  for (unsigned last = 0; last < 5; ++last) EXPECT_EQ(sum_to(last), last * (last + 1) / 2);
}
