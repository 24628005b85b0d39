// SPDX-License-Identifier: Apache-2.0
// Statements of lessons are true or false of the figures of runs.
#include "testbench/lesson/lesson.h"
#include "tests/test.h"

namespace ecube::judge_test {
namespace {

const Json two_runs = {
    {"slow", {{"measured", {{"us", 200.0}}}}}, {"fast", {{"measured", {{"us", 120.0}}}}}, {"broken", nullptr}};

Json only(const Json& left, const char* relation, const Json& right) {
  return judge({{"one", {{"left", left}, {"is", relation}, {"right", right}}}}, two_runs).at("one");
}
Json us(const char* run) { return {{"run", run}, {"figure", "/measured/us"}}; }

TEST(Statements, HoldOrFailByTheFiguresOfTheirRuns) {
  EXPECT_EQ(only(us("fast"), "less than", us("slow")).at("holds"), true);
  EXPECT_EQ(only(us("slow"), "less than", us("fast")).at("holds"), false);
  EXPECT_EQ(only(us("slow"), "less than", us("slow")).at("holds"), false);
  EXPECT_EQ(only(us("slow"), "at most", us("slow")).at("holds"), true);
  EXPECT_EQ(only(us("slow"), "at most", {{"number", 199}}).at("holds"), false);
}

TEST(Statements, TakeFactorsAndDifferences) {
  Json half = us("slow");
  half["times"] = 0.5;
  EXPECT_EQ(only(half, "less than", us("fast")).at("holds"), true);
  Json difference = us("slow");
  difference["minus"] = us("fast");
  EXPECT_EQ(only(difference, "at most", {{"number", 80}}).at("holds"), true);
  EXPECT_EQ(only(difference, "less than", {{"number", 80}}).at("holds"), false);
}

TEST(Statements, AboutARunThatDidNotFinishAreFalseAndSayWhy) {
  const Json one = only(us("broken"), "at most", us("slow"));
  EXPECT_EQ(one.at("holds"), false);
  EXPECT_HAS(one.at("text").get<std::string>(), "did not finish");
  EXPECT_EQ(only(us("fast"), "less than", us("broken")).at("holds"), false);
}

TEST(Statements, NameTheirFigures) {
  EXPECT_EQ(only(us("fast"), "less than", us("slow")).at("text"),
            "/measured/us of fast (120) is less than /measured/us of slow (200)");
}

TEST(Statements, AboutRunsThatTheLessonDoesNotMakeAreMistakesOfTheLesson) {
  EXPECT_THROW((void)only(us("other"), "less than", us("slow")), std::logic_error);
  EXPECT_THROW((void)only(us("fast"), "greater than", us("slow")), std::logic_error);
}

}  // namespace
}  // namespace ecube::judge_test
