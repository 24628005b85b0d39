// SPDX-License-Identifier: Apache-2.0
// What makes a reproduced result or a family of runs fail.
#include <gtest/gtest.h>

#include "testbench/reproduction/figure.h"
#include "testbench/validation.h"

namespace ecube {
namespace {

TEST(Verdict, AResultPassesOnlyIfAllItsChecksHold) {
  Reproduction result{.verdict = "agrees"};
  result.checks.push_back(within("a", 100, 100.9, 1, "us"));
  result.checks.push_back(distance("far off, but it decides nothing", 100, 900, "us"));
  EXPECT_TRUE(result.pass());
  EXPECT_EQ(result.conclusion(), "agrees");
  result.checks.push_back(within("b", 100, 101.1, 1, "us"));
  EXPECT_FALSE(result.pass());
  EXPECT_EQ(result.conclusion(), "differs: \"b\" does not hold.");
  result.checks.back() = statement("c", false);
  EXPECT_EQ(result.conclusion(), "differs: \"c\" does not hold.");
}

TEST(Verdict, AFamilyFailsOutsideItsToleranceOrWhereAnAssumptionDidNotHold) {
  const ValidationPoint good = {.run = "", .predicted_us = 100, .measured_us = 99.1};
  const auto family = [](const ValidationPoint& one, const ValidationPoint& other) {
    return ValidationFamily{.name = "", .grid = "", .tolerance_percent = 1, .reason = "", .points = {one, other}};
  };
  EXPECT_TRUE(family(good, good).pass());
  ValidationPoint bad = good;
  bad.measured_us = 98.9;
  EXPECT_FALSE(family(good, bad).pass());
  EXPECT_EQ(family(good, bad).broken(), 0U);
  bad = good;
  bad.blocked_circuits = 1;
  EXPECT_FALSE(family(good, bad).pass());
  bad = good;
  bad.lost_messages = 1;
  EXPECT_FALSE(family(good, bad).pass());
  bad = good;
  bad.verified = false;
  EXPECT_FALSE(family(good, bad).pass());
  bad = good;
  bad.finished = false;
  EXPECT_FALSE(family(good, bad).pass());
}

}  // namespace
}  // namespace ecube
