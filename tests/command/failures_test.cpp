// SPDX-License-Identifier: Apache-2.0
// Failures as a user asks for them: refused, reported, listed, and an axis of a study.
#include "tests/command/shell.h"

namespace failures_test {
namespace {

/// Node 0 exchanges with node 1 across link 0:0; at 2,000 bytes its tail is on the way at 10 us.
const std::string pair = "run exchange --dim 1 --bytes 2000 ";

TEST(FailCommand, ReportsTheCircuitThatWasCutAndWhoHangsOnIt) {
  for (const std::string engine : {"event", "clocked", "rtl"}) {
    std::string command = pair;
    command.append("--fail 0:0@10us --engine ").append(engine);
    expect(ecube(command, true), 3,
           {"failed: link 0:0 from cycle 400 on", "1 circuit was cut", "0->1 (type", "lost its tail on link 0:0",
            "node 1 waits for a message that was cut, from node 0"});
  }
}

TEST(FailCommand, SaysHowFarAFailureHasSpread) {
  const Outcome outcome =
      expect(ecube("run exchange --dim 4 --schedule ordered --fail 5@1us", true), 3,
             {"node 5 is dead, since cycle 40", "nodes that have not finished: 1 dead, ",
              "11 circuits wait for an output: 8 right behind ", "the longest row, one behind the other, has 2"});
  EXPECT_EQ(ecube("run exchange --dim 4 --schedule ordered --fail 5@1us --engine clocked", true).output,
            outcome.output);
  for (const std::string engine : {"clocked", "rtl"}) {
    std::string command = "run exchange --dim 3 --schedule ordered --fail 5@1us";
    const std::string event = ecube(command, true).output;
    EXPECT_EQ(ecube(command.append(" --engine ").append(engine), true).output, event);
  }
  // Nodes that wait for nodes that wait: a ring of receives behind the message of a dead node.
  EXPECT_TRUE(has(ecube("run combine --dim 4 --items 64 --fail 0@5us", true), "the longest chain of nodes"));
}

TEST(FailCommand, CallsNoNodeDeadThatWasToFailLater) {
  for (const std::string engine : {"event", "clocked", "rtl"}) {
    expect(ecube("run exchange --dim 3 --quiet --fail 5:2@1us,3@10s,5@1us --engine " + engine, true), 3,
           {"node 5 is dead, since cycle 40", "nodes that have not finished: 1 dead, "}, {"node 3 is dead"});
  }
}

TEST(FailCommand, CallsANodeDeadThatStopsAWorm) {
  // Node 1 fails at cycle 78,000, in the middle of the message. The event engine has nothing to do from cycle 2,059 on.
  for (const std::string engine : {"event", "clocked"}) {
    const Outcome outcome =
        ecube("run broadcast --machine ncube2 --dim 1 --items 5000 --fail 1@3900us --engine " + engine, true);
    EXPECT_EQ(outcome.status, 3);
    EXPECT_TRUE(has(outcome, "node 1 is dead, since cycle 78,000")) << outcome.output;
  }
}

TEST(FailCommand, SaysThatANodeWaitsForAnyNode) {
  for (const std::string engine : {"event", "clocked"}) {
    const Outcome outcome = ecube("run exchange --schedule ordered --dim 2 --fail 3:1 --engine " + engine, true);
    EXPECT_TRUE(has(outcome, "node 1 waits for a message from any node")) << outcome.output;
  }
}

TEST(FailCommand, NamesAtMostEightFailures) {
  expect(ecube("run exchange --dim 4 --fail 0:0,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0", true), 3,
         {"link 7:0 from cycle 0 on, and 2 more\n"});
}

TEST(FailCommand, AcceptsNoneOnlyAlone) { expect(ecube(pair + "--fail none,1:0", true), 2, {"or none alone"}); }

TEST(FailCommand, IsAParameterOfWhichComparedRunsDiffer) {
  const Directory directory;
  ASSERT_EQ(ecube(pair + "--quiet -o " + (directory / "whole")).status, 0);
  ASSERT_EQ(ecube(pair + "--quiet --fail 0:0@1s,1@1s -o " + (directory / "late")).status, 0);
  const Outcome outcome = ecube("compare " + (directory / "whole") + " " + (directory / "late"), true);
  EXPECT_TRUE(has(outcome, "0:0@40000000 cycles,1@40000000 cycles")) << outcome.output;
  EXPECT_FALSE(has(outcome, "all parameters are the same")) << outcome.output;
}

TEST(FailCommand, ListsTheFailuresOfARunThatFinishes) {
  const auto run = json_of(pair + "--fail 0:0@1s");
  EXPECT_EQ(run["failures"].dump(),
            R"([{"from_cycle":40000000,"from_us":1000000.0,"name":"dim 0","node":0,"output":0}])");
  EXPECT_EQ(run["network"]["cut_circuits"], 0);
  EXPECT_TRUE(has(ecube(pair + "--fail 0:0@1s"), "failed: link 0:0 from cycle 40,000,000 on; 0 circuits were cut"));
  const auto whole = json_of(pair + "--fail none");
  EXPECT_FALSE(whole.contains("failures"));
  EXPECT_EQ(whole["measured"]["cycles"], run["measured"]["cycles"]);
}

TEST(FailCommand, IsAnAxisOfAStudy) {
  const Directory directory;
  std::ofstream(directory / "study.toml") << "run = \"exchange\"\n[workload]\ndim = 2\nbytes = 8\n[[axis]]\n"
                                             "key = \"fail\"\nvalues = [\"none\", \"0:0\", \"0:0@1s,3@1s\"]\n";
  expect(ecube("sweep " + (directory / "study.toml") + " -o " + (directory / "out"), true), 1,
         {"holds 2 results and 1 failure of 3 points"});
  expect(ecube("sweep export " + (directory / "out"), true), 0, {"none", "0:0@1s,3@1s"});
}

}  // namespace
}  // namespace failures_test
