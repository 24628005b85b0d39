// SPDX-License-Identifier: Apache-2.0
// Progress of long work; what else a command prints is in transcripts/output.txt.
#include <fmt/core.h>

#include "tests/command/shell.h"

namespace output_test {
namespace {

const std::string program = ECUBE_PROGRAM;

Outcome on_a_terminal(const std::string& arguments) {
  return shell("script -qec '" + program + " " + arguments + "' /dev/null </dev/null");
}

/// As a terminal shows it; elsewhere a line comes every ten seconds.
TEST(Progress, IsShownByWorkThatMayTakeMinutes) {
  const Directory directory;
  // Each work grows until it takes longer than the time before the first line, on however fast a machine.
  const auto shows = [](const std::string& shown, auto arguments_of, std::initializer_list<unsigned> sizes) {
    return std::any_of(sizes.begin(), sizes.end(), [&](unsigned size) {
      return on_a_terminal(arguments_of(size)).output.find(shown) != std::string::npos;
    });
  };
  EXPECT_TRUE(shows("of 76 block sizes searched",
                    [](unsigned dim) { return fmt::format("hull exchange --dim {} --ports 2", dim); }, {12, 16, 20}));
  EXPECT_TRUE(shows("partitions tried",
                    [](unsigned dim) { return fmt::format("best exchange --dim {} --ports 2", dim); }, {18, 20}));
  EXPECT_TRUE(shows("circuits checked",
                    [](unsigned dim) { return fmt::format("check exchange --dim {} --partition direct", dim); },
                    {13, 14, 15}));
  EXPECT_TRUE(shows("lines of the schedule read",
                    [&](unsigned lines) {
                      // The last line is missing, so that the schedule is read and not run.
                      std::ofstream schedule(directory / "s.goal");
                      schedule << "num_ranks 1\nrank 0 {\n";
                      for (unsigned i = 0; i < lines; ++i) schedule << "calc 1\n";
                      return "run goal --dim 1 " + directory / "s.goal";
                    },
                    {900'000, 4'000'000, 16'000'000}));
  const Directory memory("/dev/shm");  // a disk would take seconds to write such a store
  std::ofstream(directory / "s.toml") << "run = \"barrier\"\n[workload]\ndim = 1\n";
  ASSERT_EQ(shell(program + " sweep " + directory / "s.toml --quiet -o " + memory / "out").status, 0);
  EXPECT_TRUE(shows("pages of the store read",
                    [&](unsigned megabytes) {
                      // Pages that are free again belong to the file.
                      shell(
                          fmt::format("sqlite3 {}/results.sqlite 'PRAGMA journal_mode = OFF; CREATE TABLE x(y); "
                                      "INSERT INTO x VALUES (zeroblob({}000000)); DROP TABLE x'",
                                      memory / "out", megabytes));
                      return "sweep export " + memory / "out";
                    },
                    {300, 900}));
}

}  // namespace
}  // namespace output_test
