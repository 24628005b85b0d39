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

void expect_same(const RunOutput& one, const RunOutput& other, const std::string& replay) {
  ASSERT_EQ(one.status, other.status) << replay;
  ASSERT_TRUE(one.summary.is_object()) << replay;
  ASSERT_EQ(one.summary, other.summary) << replay;
  ASSERT_EQ(one.circuits, other.circuits) << replay;
  ASSERT_EQ(one.links, other.links) << replay;
  ASSERT_FALSE(one.circuits.empty()) << replay;
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
  for (const std::string& line : file_lines(in_tree("tests/testbench/run/golden_runs.txt"))) {
    if (line.starts_with("status") || !sample.takes()) continue;
    const std::string options = line.substr(line.find("  ") + 2);
    const RunOutput event = run(options);
    for (const bool rtl : {false, true}) {
      if (rtl && !has_rtl(options)) continue;
      const RunOutput other = run(options + (rtl ? " --engine rtl" : " --engine clocked"));
      const std::string replay = options + (rtl ? " on rtl, " : " on clocked, ") + sample.name();
      expect_same(event, other, replay);
      if (HasFatalFailure()) return;
      in_rtl += rtl ? 1 : 0;
    }
    ++runs;
  }
  EXPECT_GE(in_rtl, all_cases ? 200U : 1U / fewer_cases);
  EXPECT_GE(runs, all_cases ? 200U : 5U / fewer_cases);
}

/// Workloads of up to 8 ranks.
std::vector<std::string> workloads(const Directory& directory) {
  const std::string schedule = directory / "three.goal";
  std::ofstream(schedule) << "num_ranks 8\n"
                             "rank 0 {\na: send 40b to 5 tag 1\nb: recv 16b from 7 tag 2\n}\n"
                             "rank 5 {\na: recv 40b from 0 tag 1\nb: send 16b to 7 tag 3\nb requires a\n}\n"
                             "rank 7 {\na: recv 16b from 5 tag 3\nb: send 16b to 0 tag 2\n}\n";
  const std::string traffic = "traffic --rate 20 --messages 5 ";
  return {traffic,
          traffic + "--ports n ",
          traffic + "--set network.switching=wormhole --set link.cycles_per_phit='2 cycles' ",
          "exchange --bytes 40 ",
          "program ring ",
          "goal " + schedule + " "};
}

TEST(Engines, AgreeInEveryFileOnEveryTopology) {
  const Directory directory;
  for (const std::string& workload : workloads(directory))
    for (const std::string topology : {"mesh:4x3", "generalised:3x4", "generalised:4+mesh:3", "nearly:6x2"}) {
      std::string options = workload;
      options += "--topology " + topology;
      expect_same(run(options), run(options + " --engine clocked"), options);
    }
}

TEST(Engines, GiveACubeTheSameFilesWhateverItIsCalled) {
  const Directory directory;
  for (const std::string& workload : workloads(directory))
    for (const std::string engine : {"event", "clocked"}) {
      std::string options = workload;
      options += "--engine " + engine;
      options += " --topology ";
      const RunOutput cube = run(options + "cube:3");
      for (const std::string name : {"mesh:2x2x2", "generalised:2x2x2"})
        expect_same(cube, run(options + name), options);
    }
}

}  // namespace
}  // namespace engines_test
