// SPDX-License-Identifier: Apache-2.0
// The command as a user types it: what it prints, and how it ends.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>

namespace {

struct Outcome {
  std::string output;
  int status = -1;
};

/// Runs the program with a shell's arguments, errors included in the output if `errors`.
Outcome ecube(const std::string& arguments, bool errors = false) {
  Outcome outcome;
  FILE* const pipe =
      popen((std::string(ECUBE_PROGRAM " ") + arguments + (errors ? " 2>&1" : " 2>/dev/null")).c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) outcome.output += buffer.data();
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

TEST(Readme, ShowsWhatTheCommandPrints) {
  std::ifstream file(ECUBE_ROOT "/README.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string prompt = "$ ./ecube ";
  const std::size_t command = text.str().find(prompt);
  ASSERT_NE(command, std::string::npos);
  const std::size_t end = text.str().find('\n', command);
  const std::size_t close = text.str().find("```", end);
  const Outcome outcome = ecube(text.str().substr(command + prompt.size(), end - command - prompt.size()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, text.str().substr(end + 1, close - end - 1));
}

TEST(Command, PrintsTheSameBytesEveryTimeAndInEitherHierarchy) {
  const std::string arguments = "run exchange --dim 5 --schedule random --jitter '50 cycles' --seed 7 --hierarchy ";
  const Outcome full = ecube(arguments + "full");
  EXPECT_EQ(full.status, 0);
  EXPECT_NE(full.output.find("data verified"), std::string::npos);
  EXPECT_EQ(full.output, ecube(arguments + "full").output);
  EXPECT_EQ(full.output, ecube(arguments + "flat").output);
}

TEST(Command, LostForcedMessagesEndWithStatus3) {
  const Outcome outcome =
      ecube("run exchange --dim 4 --protocol forced --pairwise-sync off --jitter '5000 cycles'", true);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.output.find("lost"), std::string::npos) << outcome.output;
}

TEST(Command, RunsAProgramByName) {
  const Outcome outcome = ecube("run program ring --dim 3");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.output.find("56 circuits"), std::string::npos) << outcome.output;  // 8 nodes send 7 times each
}

TEST(Command, AStalledMachineNamesWhoWaitsForWhat) {
  const Outcome outcome = ecube("run program deadlock --dim 2", true);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.output.find("stalled at cycle 0"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("node 2 waits for a message from node 3"), std::string::npos) << outcome.output;
}

struct BadInput {
  const char* arguments;
  const char* says;
  friend std::ostream& operator<<(std::ostream& out, const BadInput& input) { return out << input.arguments; }
};

class Refused : public ::testing::TestWithParam<BadInput> {};

TEST_P(Refused, WithStatus2AndTheReason) {
  const Outcome outcome = ecube(GetParam().arguments, true);
  EXPECT_EQ(outcome.status, 2) << outcome.output;
  EXPECT_NE(outcome.output.find(GetParam().says), std::string::npos) << outcome.output;
  EXPECT_TRUE(ecube(GetParam().arguments).output.empty());
}

INSTANTIATE_TEST_SUITE_P(
    BadInputs, Refused,
    ::testing::Values(BadInput{"run exchange --machine idael", "ideal"},
                      BadInput{"run exchange --dim 5 --partition 3,3", "sums to 6, but --dim is 5"},
                      BadInput{"run exchange --dim 0", "1 .. 20"}, BadInput{"run exchange --dim 21", "1 .. 20"},
                      BadInput{"run exchange --dim 99999999999999999999", "error"},
                      BadInput{"run exchange --schedule orderd", "ordered"},
                      BadInput{"run exchange --set link.bandwith='2.8 MB/s'", "bandwidth"},
                      BadInput{"run exchange --set node.startup=nan", "node.startup"},
                      BadInput{"run exchange --set node.startup='-5 cycles'", "node.startup"},
                      BadInput{"run exchange --set node.startup=100", "cycles"},
                      BadInput{"run exchange --jitter soon", "--jitter"},
                      BadInput{"run exchange --dim 12 --bytes 1000000", "memory"},
                      BadInput{"run exchange --dim 13", "--payload"}, BadInput{"run exchange --bytes -1", "--bytes"},
                      BadInput{"run exchnge", "error"}, BadInput{"run program rign", "ring"}, BadInput{"", "error"}));

}  // namespace
