// SPDX-License-Identifier: Apache-2.0
// The best of several real 2-cycles; the rest is in transcripts/two_cycles.txt.
#include <fmt/core.h>

#include "tests/command/shell.h"

namespace two_cycles_test {
namespace {

const std::string three = " shuffle --dim 6 --elements 24 --cycle p1,p0 --cycle p3,p2 --cycle p5,p4 ";

TEST(TwoCycles, AreFoundBestAndTakeWhatIsPromised) {
  const auto json = json_of("best" + three + "--ports n --packet 1");
  EXPECT_EQ(json["best"]["algorithm"], "a2x2");
  std::map<std::string, int> steps;
  for (const auto& one : json["candidates"]) {
    const std::string name = one["algorithm"];
    const int packet = one["packet"];
    steps[name] = one["steps"];
    if (name.starts_with("transpositions")) continue;  // the same cycles
    const auto run = json_of(fmt::format("run{}--ports n --algorithm {} --packet {}", three, name, packet));
    EXPECT_NEAR(run["measured"]["us"].get<double>(), one["us"].get<double>(), 1e-6) << name;
    EXPECT_EQ(run["verified"], true) << name;
  }
  EXPECT_EQ(steps.at("a2x2"), 13);
  EXPECT_EQ(steps.at("a2x2-sequential"), 39);
  EXPECT_EQ(steps.at("a1"), 3 * 18);
  // Beside a cycle of three each algorithm for the rest is a candidate.
  const auto both =
      json_of("best shuffle --dim 7 --ports n --elements 24 --cycle p1,p0 --cycle p3,p2 --cycle p6,p5,p4 --packet 1");
  std::map<std::string, int> beside;
  for (const auto& one : both["candidates"]) beside[one["algorithm"]] = one["steps"];
  EXPECT_EQ(beside.at("a2x2,a1"), 13 + 4 * 4);
  EXPECT_EQ(beside.at("a2x2,a2"), 13 + 24);
  EXPECT_EQ(beside.at("a2x2-sequential,a1"), 2 * 13 + 4 * 4);
  EXPECT_EQ(beside.at("a1"), 2 * 18 + 4 * 4);
}

}  // namespace
}  // namespace two_cycles_test
