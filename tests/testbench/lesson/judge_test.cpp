// SPDX-License-Identifier: Apache-2.0
// Statements of lessons are true or false of the figures of runs.
#include "testbench/lesson/lesson.h"
#include "tests/test.h"

namespace ecube::judge_test {
namespace {

using Json = nlohmann::ordered_json;

const Json two_runs = {
    {"slow", {{"measured", {{"us", 200.0}}}}}, {"fast", {{"measured", {{"us", 120.0}}}}}, {"broken", nullptr}};

Statement only(const Json& left, const char* relation, const Json& right) {
  return judge({{"one", {{"left", left}, {"is", relation}, {"right", right}}}}, two_runs).at(0);
}
Json us(const char* run) { return {{"run", run}, {"figure", "/measured/us"}}; }

TEST(Statements, HoldOrFailByTheFiguresOfTheirRuns) {
  EXPECT_TRUE(only(us("fast"), "less than", us("slow")).holds);
  EXPECT_FALSE(only(us("slow"), "less than", us("fast")).holds);
  EXPECT_FALSE(only(us("slow"), "less than", us("slow")).holds);
  EXPECT_TRUE(only(us("slow"), "at most", us("slow")).holds);
  EXPECT_FALSE(only(us("slow"), "at most", {{"number", 199}}).holds);
}

TEST(Statements, TakeFactorsAndDifferences) {
  Json half = us("slow");
  half["times"] = 0.5;
  EXPECT_TRUE(only(half, "less than", us("fast")).holds);
  Json difference = us("slow");
  difference["minus"] = us("fast");
  EXPECT_TRUE(only(difference, "at most", {{"number", 80}}).holds);
  EXPECT_FALSE(only(difference, "less than", {{"number", 80}}).holds);
}

TEST(Statements, AboutARunThatDidNotFinishAreFalseAndSayWhy) {
  const Statement one = only(us("broken"), "at most", us("slow"));
  EXPECT_FALSE(one.holds);
  EXPECT_HAS(one.text, "did not finish");
  EXPECT_FALSE(only(us("fast"), "less than", us("broken")).holds);
}

TEST(Statements, NameTheirFigures) {
  EXPECT_EQ(only(us("fast"), "less than", us("slow")).text,
            "/measured/us of fast (120) is less than /measured/us of slow (200)");
}

TEST(Statements, AboutRunsThatTheLessonDoesNotMakeAreMistakesOfTheLesson) {
  EXPECT_THROW((void)only(us("other"), "less than", us("slow")), std::logic_error);
  EXPECT_THROW((void)only(us("fast"), "greater than", us("slow")), std::logic_error);
}

}  // namespace
}  // namespace ecube::judge_test
