// SPDX-License-Identifier: Apache-2.0
// Concurrent AAPC of three constituents of order 4 on 4096 nodes: steps, every element where it belongs, nothing
// blocked.
#include "tests/command/shell.h"

namespace aapc_of_three_test {
namespace {

nlohmann::json measured(const std::string& options) {
  const std::string arguments =
      "run shuffle --machine ideal --dim 12 --ports n --cycle p3,p2,p1,p0,s0 --cycle p7,p6,p5,p4,s1 "
      "--cycle p11,p10,p9,p8,s2 --algorithm aapc-concurrent " +
      options;
  const Outcome outcome = expect(ecube(arguments + " --json"), 0);
  return nlohmann::json::parse(outcome.output);
}

TEST(AapcOfThree, TakesSixPacketsMoreThanHalfOfThem) {
  struct Case {
    const char* options;
    unsigned steps;
    unsigned startups;
  };
  for (const Case& one : {Case{"--elements 32 --packet 1 --align off --complement p0,p6,s2", 22, 22},
                          Case{"--elements 64 --packet 2", 44, 22}}) {
    const nlohmann::json json = measured(one.options);
    EXPECT_EQ(json["measured"]["steps"], one.steps) << one.options;
    EXPECT_EQ(json["measured"]["startups"], one.startups) << one.options;
    EXPECT_EQ(json["predicted"]["steps"], one.steps) << one.options;
    EXPECT_EQ(json["verified"], true) << one.options;
    EXPECT_EQ(json["network"]["blocked_circuits"], 0) << one.options;
    EXPECT_NEAR(json["error_percent"].get<double>(), 0, 1e-9) << one.options;
  }
}

}  // namespace
}  // namespace aapc_of_three_test
