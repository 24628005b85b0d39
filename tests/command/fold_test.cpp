// SPDX-License-Identifier: Apache-2.0
// `--fold` as a user meets it.
#include "tests/command/shell.h"

namespace fold_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json json_of(const std::string& arguments) {
  std::string line = arguments;
  const Outcome outcome = ecube(line.append(" --json --quiet"));
  EXPECT_EQ(outcome.status, 0) << arguments;
  return Json::parse(outcome.output, nullptr, false);
}

TEST(Fold, RunsDirectOnAMillionNodes) {
  const Json json = json_of("run exchange --dim 20 --fold on");
  EXPECT_EQ(json["folded"], true);
  EXPECT_EQ(json["verified"], nullptr);
  EXPECT_EQ(json["verified_nodes"], 1);
  EXPECT_EQ(json["network"]["circuits"], (std::uint64_t{1} << 40) - (std::uint64_t{1} << 20));
  EXPECT_NEAR(json["error_percent"].get<double>(), 0, 1e-9);
}

TEST(Fold, LeavesTheFilesOfTheWholeMachine) {
  const Directory directory;
  for (const std::string machine : {"ideal", "ipsc860", "cm2"}) {
    const auto run = [&](const std::string& fold) {
      std::string line = "run exchange --dim 5 --partition 2,3 --machine ";
      line.append(machine).append(" --fold ").append(fold).append(" -o ").append(directory / fold);
      Json json = json_of(line);
      for (const char* const key : {"host", "simulation", "folded", "verified", "verified_nodes"}) json.erase(key);
      return json;
    };
    EXPECT_EQ(run("off"), run("auto")) << machine;
    EXPECT_EQ(file_text(directory / "off/links.csv"), file_text(directory / "auto/links.csv")) << machine;
    EXPECT_EQ(file_text(directory / "off/resolved.toml"), file_text(directory / "auto/resolved.toml")) << machine;
  }
}

TEST(Fold, SaysWhatWasSimulatedAndWhatWasNotVerified) {
  const std::string folded = ecube("run exchange --dim 4 --fold auto").output;
  EXPECT_HAS(folded,
             "folded: node 0 was simulated, and stands for all 16 nodes; the bytes of the others were not "
             "verified");
  const std::string whole = ecube("run exchange --dim 4 --schedule shift --fold auto").output;
  EXPECT_HAS(whole, "not folded: a one-sided schedule has an order of partners for every node");
  EXPECT_LACKS(ecube("run exchange --dim 4").output, "folded");
  EXPECT_EQ(json_of("run exchange --dim 4 --payload none --fold on")["verified_nodes"], 0);
  EXPECT_FALSE(json_of("run exchange --dim 4").contains("folded"));
}

/// Two circuits for one link, port or engine: the message names them, and nothing is left behind.
TEST(Fold, RefusesWithTheResourceAndTheCircuitsThatMeet) {
  const Directory directory;
  const std::string line = "run exchange --dim 6 --ports 2 --partition 3,3 --fold on -o ";
  expect(ecube(line + (directory / "run"), true), 2,
         {"--fold on: the run cannot be folded: send engine of node 0 is asked for at one edge by "
          "0->8 type 0 (cycles 0 to 172) and 0->1 type 1 (cycles 0 to 172)"});
  EXPECT_FALSE(fs::exists(directory / "run"));
  const Json whole = json_of("run exchange --dim 6 --ports 2 --partition 3,3 --fold auto");
  EXPECT_EQ(whole["folded"], false);
  EXPECT_EQ(whole["verified"], true);
  EXPECT_HAS(whole["not_folded"].get<std::string>(), "send engine of node 0");
}

TEST(Fold, RefusesOutputsThatShowSingleCircuitsOrNodesAndOtherEngines) {
  const Directory directory;
  for (const std::string& option :
       {std::string("--contention"), "--trace " + (directory / "a.fst"), "--circuits -o " + (directory / "run"),
        "--export-goal " + (directory / "a.goal"), std::string("--engine clocked"), std::string("--engine ideal"),
        "--machine ipsc860-node -o " + (directory / "run")}) {
    std::string line = "run exchange --dim 3 ";
    line += option;
    const Outcome refused = ecube(line + " --fold on", true);
    EXPECT_EQ(refused.status, 2) << option;
    EXPECT_HAS(refused.output, "--fold on: the run cannot be folded: ");
    EXPECT_TRUE(directory.files().empty()) << option;
  }
  EXPECT_EQ(json_of("run exchange --dim 3 --contention --fold auto")["folded"], false);
  EXPECT_EQ(ecube("run exchange --fold often").status, 2);
  EXPECT_EQ(ecube("run traffic --fold on").status, 2);
  EXPECT_EQ(ecube("run program ring --fold on").status, 2);
}

/// What a run of all nodes needs is asked for only where all nodes are simulated.
TEST(Fold, NeedsNoMemoryForOtherNodes) {
  expect(ecube("run exchange --dim 16 --bytes 1000 --partition 8,8 --fold on --quiet", true), 0);
  expect(ecube("run exchange --dim 14 --ports 2 --partition 7,7 --fold auto --quiet", true), 2,
         {"--dim 14 is too large to carry payload bytes"});
}

}  // namespace
}  // namespace fold_test
