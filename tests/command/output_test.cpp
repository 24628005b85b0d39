// SPDX-License-Identifier: Apache-2.0
// No output of a command is lost without a message: full disks, interrupted work, names that a terminal obeys, and
// progress; the rest is in transcripts/output.txt.
#include <fmt/core.h>

#include "tests/command/shell.h"

namespace output_test {
namespace {

const std::string program = ECUBE_PROGRAM;

TEST(StandardOutput, ThatCannotBeWrittenIsAnErrorOfEveryCommand) {
  const Directory directory;
  ASSERT_EQ(ecube("run exchange --dim 3 --circuits -o " + directory / "run").status, 0);
  for (const std::string& arguments : commands()) {
    const std::string line = fmt::format("cd {} && {} {}", directory / "", program, arguments);
    expect(shell(line + " 2>&1 >/dev/full </dev/null"), 1, {"error: standard output could not be written"});
    expect(shell(line + " 2>/dev/null >&-"), 1);
  }
}

TEST(StandardOutput, HasNothingOfNamesAndFilesThatATerminalObeys) {
  const Directory directory;
  const std::string name = "x\x1b[31m\r\xe2\x80\xae\xc2\x85\xff";
  const auto at = [&](const std::string& arguments) {
    return shell("cd " + directory / "" + " && " + program + " " + arguments + " 2>&1").output;
  };
  std::ofstream(directory / "machine.toml") << "name = \"a\\u001b]0;b\\u0007\\u202ec\"\nbase = \"ideal\"\n";
  std::ofstream(directory / "study.toml") << "name = \"s\"\nrun = \"barrier\"\n[[axis]]\nkey = \"machine\"\nvalues = "
                                             "[\"machine.toml\", \"\\u001b\\u009b\"]\n";
  std::ofstream(directory / name) << "{ \x1b \xc2\x85 \x7f";
  const std::string quoted = "\"$(printf 'x\\033[31m\\r\\342\\200\\256\\302\\205\\377')\"";
  const std::string run = quoted + ".run";
  std::string all;
  const std::vector<std::string> commands{"run exchange --dim 2 --machine machine.toml",
                                          "run exchange --dim 2 -o " + run,
                                          "compare " + run + " " + run,
                                          "run exchange --dim 2 --json --machine machine.toml",
                                          "run traffic --pattern ./" + quoted,
                                          "run goal " + quoted,
                                          "run exchange --machine " + quoted,
                                          "sweep " + quoted,
                                          "sweep study.toml",
                                          "sweep plan study.toml",
                                          "report " + quoted,
                                          "check exchange --schedule " + quoted,
                                          "run exchange --dim 1 --set name=" + quoted,
                                          quoted + " --help"};
  for (const std::string& arguments : commands) all += at(arguments);
  for (const char* const obeyed : {"\x1b", "\r", "\x07", "\xe2\x80\xae", "\xc2\x85", "\xc2\x9b", "\xff", "\x7f"}) {
    EXPECT_LACKS(all, obeyed);
  }
  // A command with such a name can be pasted.
  EXPECT_HAS(all, "report $'x\\x1b[31m\\x0d\\xe2\\x80\\xae\\xc2\\x85\\xff.run'");
}

TEST(Interruption, EndsEveryLongCommandWithItsStatusAndSaysWhatWasDone) {
  const Directory directory;
  const auto interrupt = [&](const std::string& arguments) {
    // A program that obeys SIGINT has bit 1 set in the signals that it catches. A moment later the program may or may
    // not have begun its work; the test accepts both.
    return shell("bash -c '" + program + " " + arguments +
                 " 2>&1 >/dev/null & pid=$!; until grep -q \"^SigCgt:.*[2367abef]$\" "
                 "/proc/$pid/status; do sleep 0.01; done; sleep 0.3; kill -INT $pid; wait $pid'");
  };
  for (const std::string& arguments :
       {std::string("run exchange --dim 14 --payload none"), std::string("validate"),
        std::string("hull exchange --dim 10 --measure"), std::string("hull exchange --dim 20 --ports 2"),
        "reproduce all --no-pictures -o " + directory / "reproduced"}) {
    expect(interrupt(arguments), 130, {"interrupted"});
  }
  EXPECT_TRUE(directory.files().empty());
}

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
