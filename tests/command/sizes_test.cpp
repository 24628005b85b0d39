// SPDX-License-Identifier: Apache-2.0
// --sizes as a user types it: run, predict and best exchange of blocks that differ in size.
#include "tests/command/shell.h"

namespace sizes_test {
namespace {

/// d = 2, by hand: node 1 has 1,000 bytes for node 0 and nobody has anything else. lambda = 3 us and 2 for messages
/// without bytes, tau = 0.125 us a byte: step 1 takes 128 us for nodes 0 and 1, and each of the other two steps 2.
TEST(Sizes, OfAFileArePredicted) {
  const Directory directory;
  const std::string file = directory / "sizes.txt";
  std::ofstream(file) << "# from to bytes\n1 0 1000\n";
  const std::string question =
      " exchange --params lambda=3,lambda0=2,tau=0.125 --dim 2 --set library.identity_shuffle=skip --sizes " + file;
  EXPECT_DOUBLE_EQ(json_of("predict" + question)["predicted"]["us"], 128 + 2 * 2);
  const auto best = json_of("best" + question);
  EXPECT_EQ(best["workload"]["total_bytes"], 1000);
  EXPECT_EQ(best["best"]["from"], "equation");
  EXPECT_DOUBLE_EQ(best["parameters"]["lambda0_us"], 2);
}

/// Both engines, in the same time; the prediction is the one that predict prints.
TEST(Sizes, OfAFileAreRunOnBothEngines) {
  const Directory directory;
  const std::string file = directory / "sizes.txt";
  std::ofstream(file) << "0 3 100\n3 0 7\n1 2 50000\n";
  const std::string what = " exchange --machine ipsc860 --dim 2 --partition 1,1 --sizes " + file;
  const auto event = json_of("run" + what);
  const auto clocked = json_of("run" + what + " --engine clocked");
  EXPECT_EQ(event["verified"], true);
  EXPECT_EQ(event["measured"]["us"], clocked["measured"]["us"]);
  EXPECT_EQ(event["workload"]["schedule"], "xor");
  EXPECT_EQ(event["workload"]["protocol"], "forced");
  const auto predicted = json_of("predict" + what);
  EXPECT_EQ(event["predicted"]["us"], predicted["predicted"]["us"]);
  EXPECT_GT(predicted["predicted"]["parameters"]["tau_us_per_byte"], 0);
}

TEST(Sizes, SayWhatHasNoEffectAndWhatAnEstimateIs) {
  const Directory directory;
  const std::string file = directory / "sizes.txt";
  std::ofstream(file) << "0 1 10\n";
  const auto idle = [](std::string command, const std::string& sizes) {
    return ecube(
        command.append(" exchange --dim 2 --set library.slack='3 us' --pair-masks off --sizes ").append(sizes));
  };
  for (const char* const command : {"run", "predict", "best"}) {
    const Outcome outcome = expect(idle(command, file), 0);
    for (const char* const words :
         {"library.slack: no effect", "--pair-masks off: no effect", "--bytes has no effect"}) {
      EXPECT_TRUE(has(outcome, words)) << command << ": " << words << "\n" << outcome.output;
    }
    EXPECT_FALSE(has(outcome, "--bytes 16")) << outcome.output;
    EXPECT_FALSE(has(idle(command, "uniform"), "--bytes has no effect")) << command;
  }
  EXPECT_TRUE(has(ecube("best exchange --dim 2 --sizes uniform"), "the recommendation is an estimate"));
  const Outcome node = ecube("run exchange --machine ipsc860-node --dim 2 --sizes uniform");
  EXPECT_TRUE(has(node, "pairwise synchronisation: ")) << node.output;
  EXPECT_TRUE(has(node, "the equation leaves out: ")) << node.output;
}

TEST(Sizes, ThatAreNoneAreRefused) {
  const Directory directory;
  const std::string file = directory / "sizes.txt";
  std::ofstream(file) << "0 1 10\n1 0 10\n0 1 12\n";
  expect(ecube("run exchange --dim 2 --sizes " + file, true), 2,
         {"the block from 0 to 1 has a size already", "sizes.txt:3:3"});
}

}  // namespace
}  // namespace sizes_test
