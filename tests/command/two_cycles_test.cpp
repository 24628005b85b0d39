// SPDX-License-Identifier: Apache-2.0
// Several real 2-cycles on the command line: steps, defaults, tables and refusals.
#include <fmt/core.h>

#include "tests/command/shell.h"

namespace two_cycles_test {
namespace {

const std::string three = " shuffle --dim 6 --elements 24 --cycle p1,p0 --cycle p3,p2 --cycle p5,p4 ";

TEST(TwoCycles, AreDoneInHalfOfTheElementsAndOneStep) {
  expect(ecube("run" + three + "--ports n --algorithm a2x2"), 0,
         {"3 2-cycles by a2x2: all at once", "data verified: 1,536 elements"});
  const auto json = json_of("run" + three + "--ports n --algorithm a2x2");
  EXPECT_EQ(json["measured"]["steps"], 13);
  EXPECT_EQ(json["measured"]["startups"], 13);
  EXPECT_EQ(json["predicted"]["steps"], 13);
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["network"]["blocked_circuits"], 0);
  EXPECT_NEAR(json["error_percent"].get<double>(), 0, 1e-9);
  EXPECT_EQ(json["workload"]["two_cycle_rounds"], nlohmann::json({3}));
}

TEST(TwoCycles, OneAfterTheOtherTakeAStepOfEveryElementForEach) {
  const auto json = json_of("run" + three + "--ports n --algorithm a2x2-sequential");
  EXPECT_EQ(json["measured"]["steps"], 3 * 13);
  EXPECT_EQ(json["workload"]["two_cycle_rounds"], nlohmann::json({1, 1, 1}));
  EXPECT_HAS(ecube("run" + three + "--ports n --algorithm a2x2-sequential").output, "one after the other");
}

TEST(TwoCycles, OnFewPortsSayInHowManyRounds) {
  const auto json = json_of("run" + three + "--ports 4");
  EXPECT_EQ(json["workload"]["algorithm"], "a2x2");
  EXPECT_EQ(json["workload"]["two_cycle_rounds"], nlohmann::json({1, 2}));
  EXPECT_EQ(json["measured"]["steps"], 2 * 13);
  EXPECT_HAS(ecube("run" + three + "--ports 4").output, "in 2 rounds on 4 ports");
  EXPECT_HAS(ecube("predict" + three + "--ports 4").output, "in 2 rounds on 4 ports");
}

TEST(TwoCycles, TakeA2SquaredByDefaultOnTwoPortsOrMore) {
  const auto algorithm = [](const std::string& options) {
    return json_of("predict shuffle --dim 6 " + options)["workload"]["algorithm"].get<std::string>();
  };
  EXPECT_EQ(algorithm("--ports n --cycle p1,p0"), "a2x2");
  EXPECT_EQ(algorithm("--ports 2 --cycle p1,p0"), "a2x2");
  EXPECT_EQ(algorithm("--ports one --cycle p1,p0"), "a1");
  EXPECT_EQ(algorithm("--ports n --cycle p1,p0 --complement p1"), "a1");
  EXPECT_EQ(algorithm("--ports n --cycle p1,p0 --algorithm a1"), "a1");
  EXPECT_EQ(algorithm("--ports n --cycle p1,p0 --cycle p4,p3,p2"), "a2x2,a1");
  EXPECT_EQ(algorithm("--ports n --cycle p1,p0 --cycle p4,p3,p2 --algorithm a2x2-sequential,a2"), "a2x2-sequential,a2");
  EXPECT_EQ(algorithm("--ports n --cycle p1,p0 --cycle p4,p3,s0 --cycle p2,p5"), "concurrent,a2x2");
  EXPECT_EQ(algorithm("--ports n --elements 4 --permutation transpose"), "concurrent,a2x2");
  EXPECT_EQ(algorithm("--ports n --elements 4 --permutation bit-reversal"), "concurrent,a2x2");
}

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

TEST(TwoCycles, AreExplainedElementByElement) {
  const Outcome outcome =
      expect(ecube("explain shuffle --ports n --dim 4 --elements 8 --cycle p1,p0 --cycle p3,p2"), 0);
  // Element 0 by cycle (p1 p0), which is written a_1 first; then by (p3 p2). Element 2 has the other path.
  EXPECT_HAS(outcome.output,
             "element step 1  2  3  4  5\n"
             "0            p0 p1 p2 p3\n");
  EXPECT_HAS(outcome.output, "\n2            p1 p0 p3 p2\n");
  const auto json = json_of("explain shuffle --ports n --dim 4 --elements 8 --cycle p1,p0 --cycle p3,p2");
  const auto schedule = json["two_cycle_schedules"][0];
  EXPECT_EQ(schedule["steps"], 5);
  EXPECT_EQ(schedule["rows"].size(), 8U);
  EXPECT_EQ(schedule["rows"][0]["entries"][3],
            (nlohmann::json{{"step", 4}, {"cycle", 1}, {"hop", 2}, {"dimension", "p3"}}));
  // Packets of 4 of 16 slots: one row for all elements that share packets.
  const Outcome packets =
      ecube("explain shuffle --ports n --dim 4 --elements 64 --packet 4 --cycle p1,p0 --cycle p3,p2");
  EXPECT_HAS(packets.output, "\n0, 4, .. 12 ");
}

TEST(TwoCycles, HaveNoConflictsByTheStaticCheck) {
  const auto json = json_of("check" + three + "--ports n");
  EXPECT_EQ(json["steps"], 13);
  EXPECT_EQ(json["conflict_count"], 0);
  // Every element of 32 of 64 nodes makes two hops for each of three cycles.
  EXPECT_EQ(json["circuits"], 32 * 24 * 2 * 3);
}

}  // namespace
}  // namespace two_cycles_test
