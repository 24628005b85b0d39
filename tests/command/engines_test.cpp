// SPDX-License-Identifier: Apache-2.0
// The golden runs on the engines of modules: every edge of every circuit, every figure of every link and all cycles
// equal those of the event engine; more in transcripts/engines.txt.
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

}  // namespace
}  // namespace engines_test
