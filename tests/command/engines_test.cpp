// SPDX-License-Identifier: Apache-2.0
// The golden runs on the engines of modules: every edge of every circuit, every figure of every link and all cycles
// equal those of the event engine.
#include "tests/command/shell.h"

namespace engines_test {
namespace {

/// The output and files of a run, without its engine and the figures of the host.
struct RunOutput {
  int status = -1;
  nlohmann::json summary;
  std::string circuits;
  std::string links;
};

RunOutput run(const std::string& options) {
  const Directory directory;
  const Outcome outcome = ecube("run " + options + " --circuits --quiet --json -o " + (directory / "run"));
  RunOutput result{.status = outcome.status,
                   .summary = nlohmann::json::parse(outcome.output, nullptr, false),
                   .circuits = file_text(directory / "run/circuits.csv"),
                   .links = file_text(directory / "run/links.csv")};
  if (result.summary.is_object()) {
    result.summary.erase("host");
    result.summary.erase("simulation");
    result.summary["machine"].erase("engine");
  }
  return result;
}

/// The default build has verilated parts for these options; others would have to be built.
bool has_rtl(const std::string& options) {
  const std::size_t dim = options.find("--dim ");
  const bool small = dim != std::string::npos && options[dim + 6] <= '3' && options[dim + 7] == ' ';
  return all_cases || (small && options.find("ncube2") == std::string::npos);
}

TEST(Engines, GoldenRunsAreTheSameOnAllOfThem) {
  Sample sample(12);
  std::size_t runs = 0;
  std::size_t in_rtl = 0;
  for (const std::string& line : file_lines(ECUBE_ROOT "/tests/testbench/run/golden_runs.txt")) {
    if (line.starts_with("status") || !sample.takes()) continue;
    const std::string options = line.substr(line.find("  ") + 2);
    const RunOutput event = run(options);
    for (const bool rtl : {false, true}) {
      if (rtl && !has_rtl(options)) continue;
      const RunOutput other = run(options + (rtl ? " --engine rtl" : " --engine clocked"));
      const std::string replay = options + (rtl ? " on rtl, " : " on clocked, ") + sample.name();
      ASSERT_EQ(event.status, other.status) << replay;
      ASSERT_TRUE(event.summary.is_object()) << replay;
      ASSERT_EQ(event.summary, other.summary) << replay;
      ASSERT_EQ(event.circuits, other.circuits) << replay;
      ASSERT_EQ(event.links, other.links) << replay;
      ASSERT_FALSE(event.circuits.empty()) << replay;
      in_rtl += rtl ? 1 : 0;
    }
    ++runs;
  }
  EXPECT_GE(in_rtl, all_cases ? 200U : 1U / fewer_cases);
  EXPECT_GE(runs, all_cases ? 200U : 5U / fewer_cases);
}

/// The same on the event engine and on modules.
void expect_same_on_modules(const std::string& options, std::uint64_t circuits) {
  const RunOutput event = run(options);
  const RunOutput clocked = run(options + " --engine clocked");
  ASSERT_EQ(event.status, 0);
  EXPECT_EQ(event.summary, clocked.summary);
  EXPECT_TRUE(event.circuits == clocked.circuits) << "edges of circuits";
  EXPECT_TRUE(event.links == clocked.links) << "figures of links";
  EXPECT_EQ(event.summary["network"]["circuits"], circuits);
}

TEST(Engines, ModulesAgreeBeyondSixDimensions) {
  expect_same_on_modules("exchange --dim 7 --bytes 2 --partition 4,3 --ports n", 5632);
  expect_same_on_modules("shuffle --machine cm2 --dim 8", 17920);
}

TEST(Engines, ModulesAgreeOnTheChannelsOfALink) {
  // 66 exchanges of packets by each of 16 nodes, each in two halves by two channels.
  expect_same_on_modules("shuffle --machine cm2 --dim 4 --elements 64 --packet 2 --set link.channels=2", 2112);
}

TEST(EnginesOfModules, RunTheLargestIpsc860) {
  expect_same_on_modules("exchange --machine ipsc860 --dim 7 --bytes 40 --partition 4,3", 7424);
}

TEST(EnginesOfModules, RunTheShuffleOfTheConnectionMachine) {
  expect_same_on_modules("shuffle --machine cm2 --dim 11", 196608);
}

}  // namespace
}  // namespace engines_test
