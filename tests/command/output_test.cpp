// SPDX-License-Identifier: Apache-2.0
// No output of a command is lost without a message: full disks, readers that leave, interrupted, killed and concurrent
// runs.
#include <fmt/core.h>

#include "tests/command/shell.h"

namespace output_test {
namespace {

namespace fs = std::filesystem;

const std::string program = ECUBE_PROGRAM;

/// Name and hash of every file of a directory; folders have only a name.
std::vector<std::pair<std::string, std::size_t>> contents(const std::string& directory) {
  std::vector<std::pair<std::string, std::size_t>> all;
  for (const auto& entry : fs::directory_iterator(directory)) {
    all.emplace_back(entry.path().filename().string(),
                     entry.is_regular_file() ? std::hash<std::string>{}(file_text(entry.path().string())) : 0);
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// The block size, in bytes, of the run whose files these are; -1 when the files are of different runs.
int bytes_of_whole_run(const std::string& directory) {
  const auto summary = nlohmann::json::parse(file_text(directory + "/summary.json"));
  const auto provenance = nlohmann::json::parse(file_text(directory + "/provenance.json"));
  const int bytes = summary["workload"]["bytes"];
  const auto& arguments = provenance["arguments"];
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == "--bytes" && arguments[i + 1] != std::to_string(bytes)) return -1;
  }
  // Direct on d = 3: each of the 24 links is on the way of 4 blocks.
  std::istringstream links(file_text(directory + "/links.csv"));
  std::string line;
  std::getline(links, line);
  int lines = 0;
  for (; std::getline(links, line); ++lines) {
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < 6; ++i) std::getline(fields, field, ',');
    if (field != std::to_string(4 * bytes)) return -1;
  }
  return lines == 24 ? bytes : -1;
}

/// Starts the program, waits until a file that matches `sign` exists, sends the signal, and returns exit status and
/// output.
Outcome signalled(const std::string& arguments, const std::string& sign, const std::string& signal) {
  return shell("bash -c '" + program + " " + arguments + " 2>&1 & pid=$!; while ! compgen -G \"" + sign +
               "\" >/dev/null && kill -0 $pid 2>/dev/null; do sleep 0.01; done; kill -" + signal + " $pid; wait $pid'");
}

TEST(StandardOutput, ThatCannotBeWrittenIsAnErrorOfEveryCommand) {
  const Directory directory;
  ASSERT_EQ(ecube("run exchange --dim 3 --circuits -o " + directory / "run").status, 0);
  for (const std::string& arguments : commands()) {
    const std::string line = fmt::format("cd {} && {} {}", directory / "", program, arguments);
    expect(shell(line + " 2>&1 >/dev/full </dev/null"), 1, {"error: standard output could not be written"});
    expect(shell(line + " 2>/dev/null >&-"), 1);
  }
}

TEST(StandardOutput, WhoseReaderLeavesEndsTheProgramQuietly) {
  const Outcome outcome =
      shell("bash -c 'set -o pipefail; " + program + " explain shuffle --dim 5 --elements 1024 2>&1 | head -n 1'");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
  // The files of a run do not depend on the reader of its output.
  const Directory directory;
  EXPECT_EQ(shell(program + " run exchange --dim 3 -o " + directory / "run" + " | true").status, 0);
  EXPECT_EQ(bytes_of_whole_run(directory / "run"), 16);
}

TEST(StandardOutput, HasNothingOfACommandThatIsRefused) {
  for (const char* const arguments : {"", "rnu", "run exchange --shedule xor", "run exchange --dim 0",
                                      "run exchange --machine idael", "run traffic --pattern ./none.txt"}) {
    expect(ecube(arguments, true), 2, {"error: "});
    EXPECT_EQ(ecube(arguments).output, "") << arguments;
  }
}

TEST(StandardError, ThatCannotBeWrittenStopsNothing) {
  EXPECT_EQ(shell(program + " run exchange --dim 3 2>/dev/full >/dev/null").status, 0);
  EXPECT_EQ(shell(program + " run exchange --dim 3 2>&- >/dev/null").status, 0);
  EXPECT_EQ(shell(program + " run exchange --dim 3 --partition 9 2>/dev/full").status, 2);
  EXPECT_EQ(shell(program + " run program deadlock --dim 2 2>/dev/full >/dev/null").status, 3);
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

TEST(RunDirectory, ThatCannotBeMadeIsBadInput) {
  const Directory directory;
  std::ofstream(directory / "file") << "not a directory";
  for (const std::string& path : {directory / "file", directory / "file/below", std::string("/proc/ecube")}) {
    expect(ecube("run exchange --dim 2 -o " + path, true), 2, {"cannot write into the directory"});
  }
  EXPECT_EQ(directory.files(), std::vector<std::string>{"file"});
}

TEST(RunDirectory, KeepsTheEarlierRunUnlessTheNewOneIsWhole) {
  const Directory directory;
  const std::string run = directory / "run";
  ASSERT_EQ(ecube("run exchange --dim 3 --bytes 5 --circuits --trace w.fst -o " + run).status, 0);
  ASSERT_EQ(ecube("report " + run).status, 0);
  std::ofstream(run + "/notes.txt") << "mine";
  const auto before = contents(run);
  EXPECT_EQ(ecube("run program deadlock --dim 2 --circuits --trace w.fst -o " + run).status, 3);
  EXPECT_EQ(contents(run), before);
  EXPECT_EQ(ecube("run exchange --dim 3 --circuits --trace w.fst --trace-window 1s: -o " + run).status, 2);
  EXPECT_EQ(contents(run), before);
  const Outcome interrupted =
      signalled("run exchange --dim 12 --payload none --circuits --replace -o " + run, run + "/.ecube.part-*", "INT");
  EXPECT_EQ(interrupted.status, 130);
  EXPECT_HAS(interrupted.output, "interrupted at cycle");
  EXPECT_EQ(contents(run), before);
  // No file may grow beyond 1 KB, as on a disk that is full.
  const Outcome full =
      shell("bash -c \"ulimit -f 1; " + program + " run exchange --dim 5 --circuits --replace -o " + run + "\" 2>&1");
  EXPECT_EQ(full.status, 1);
  EXPECT_HAS(full.output, "could not be written");
  EXPECT_EQ(contents(run), before);
  // A run that ends replaces all files of the earlier one, and removes files only when told to.
  const Outcome refused = expect(ecube("run exchange --dim 3 --bytes 7 -o " + run, true), 2);
  for (const char* const part : {"'circuits.csv', 'programs.csv', 'w.fst'", "would remove", "--replace"}) {
    EXPECT_HAS(refused.output, part);
  }
  EXPECT_EQ(contents(run), before);
  expect(ecube("run exchange --dim 3 --bytes 7 --replace -o " + run, true), 0,
         {"replaced the files of the earlier run", "report.html still shows the earlier run"});
  EXPECT_EQ(directory.files("run"), (std::vector<std::string>{"links.csv", "notes.txt", "provenance.json",
                                                              "report.html", "resolved.toml", "summary.json"}));
  EXPECT_EQ(bytes_of_whole_run(run), 7);
}

TEST(RunDirectory, OfAKilledRunIsTheEarlierOneAndCanBeUsedAgain) {
  const Directory directory;
  const std::string run = directory / "run";
  ASSERT_EQ(ecube("run exchange --dim 3 --bytes 5 -o " + run).status, 0);
  EXPECT_NE(signalled("run exchange --dim 14 --payload none -o " + run, run + "/.ecube.part-*", "KILL").status, 0);
  EXPECT_EQ(bytes_of_whole_run(run), 5);
  ASSERT_EQ(ecube("run exchange --dim 3 --bytes 7 -o " + run).status, 0);
  EXPECT_EQ(bytes_of_whole_run(run), 7);
  EXPECT_EQ(directory.files("run"),
            (std::vector<std::string>{"links.csv", "provenance.json", "resolved.toml", "summary.json"}));
}

Outcome compared_with_itself(const std::string& run) { return ecube("compare " + run + " " + run); }

TEST(RunDirectory, OfARunThatIsCommittedIsReadAsItIsAndRolledForwardByTheNextRun) {
  // The states after a process was killed when none, one and all of its files had been moved to their places.
  for (const std::string moved : {"", "links.csv", "links.csv resolved.toml summary.json provenance.json"}) {
    const Directory directory;
    const std::string run = directory / "run";
    const std::string next = run + "/.ecube.next";
    ASSERT_EQ(ecube("run exchange --dim 3 --bytes 5 --circuits -o " + run).status, 0);
    ASSERT_EQ(ecube("run exchange --dim 3 --bytes 7 -o " + next).status, 0);
    std::istringstream names(moved);
    for (std::string name; names >> name;) {
      // The manifest comes last, after the files that only the earlier run has were removed.
      for (const char* const dropped : {"circuits.csv", "programs.csv"}) {
        if (name == "provenance.json") fs::remove(run + "/" + dropped);
      }
      fs::rename(fs::path(next) / name, fs::path(run) / name);
    }
    const auto before = contents(run);
    expect(compared_with_itself(run), 0, {"--bytes 7"});
    EXPECT_EQ(contents(run), before) << "a reader changed something";
    // Who takes the files as they lie there has those of two runs.
    if (moved == "links.csv") {
      EXPECT_EQ(bytes_of_whole_run(run), -1);
    }
    ASSERT_EQ(ecube("run exchange --dim 3 --bytes 9 -o " + run).status, 0);
    EXPECT_EQ(bytes_of_whole_run(run), 9);
    EXPECT_EQ(directory.files("run"),
              (std::vector<std::string>{"links.csv", "provenance.json", "resolved.toml", "summary.json"}));
  }
}

TEST(RunDirectory, WithAFileThatNoRunLeftIsRefusedAndKeepsIt) {
  const Directory directory;
  const std::string run = directory / "run";
  fs::create_directory(run);
  std::ofstream(run + "/summary.json") << "mine";
  std::ofstream(run + "/notes.txt") << "mine";
  const auto before = contents(run);
  expect(ecube("run exchange --dim 3 --replace -o " + run, true), 2,
         {"'summary.json', which this run writes and no run"});
  EXPECT_EQ(contents(run), before);
  fs::remove(run + "/summary.json");
  EXPECT_EQ(ecube("run exchange --dim 3 -o " + run).status, 0);
  EXPECT_EQ(file_text(run + "/notes.txt"), "mine");
}

TEST(RunDirectory, WhoseFilesSomebodyChangedSaysSo) {
  const Directory directory;
  const std::string run = directory / "run";
  ASSERT_EQ(ecube("run exchange --dim 3 --bytes 5 -o " + run).status, 0);
  std::ofstream(run + "/links.csv", std::ios::app) << "my own line\n";
  expect(ecube("compare " + run + " " + run, true), 2, {"links.csv' is not as its run left it"});
  const auto before = contents(run);
  expect(ecube("run exchange --dim 3 --bytes 7 -o " + run, true), 2, {"'links.csv', which somebody has changed"});
  EXPECT_EQ(contents(run), before);
  ASSERT_EQ(ecube("run exchange --dim 3 --bytes 7 --replace -o " + run).status, 0);
  EXPECT_EQ(bytes_of_whole_run(run), 7);
}

TEST(RunDirectory, GetsAPageThatReplacesNothingOfOthers) {
  const Directory directory;
  const std::string run = directory / "run";
  const std::string page = run + "/report.html";
  ASSERT_EQ(ecube("run exchange --dim 2 -o " + run).status, 0);
  ASSERT_EQ(ecube("report " + run).status, 0);
  ASSERT_EQ(ecube("report " + run).status, 0) << "a page of its own is made anew";
  // A link, even to such a page, is not followed and stays; so does what somebody else wrote.
  fs::rename(page, directory / "mine.html");
  const std::string mine = file_text(directory / "mine.html");
  fs::create_symlink(directory / "mine.html", page);
  expect(ecube("report " + run, true), 2, {"report.html that is no page"});
  EXPECT_TRUE(fs::is_symlink(page));
  EXPECT_EQ(file_text(directory / "mine.html"), mine);
  fs::remove(page);
  std::ofstream(page) << "mine";
  EXPECT_EQ(ecube("report " + run).status, 2);
  EXPECT_EQ(file_text(page), "mine");
}

TEST(RunDirectory, OfAnEarlierVersionIsReadAndReplaced) {
  // Its manifest has names alone, and an interrupted move of that version stays as it is.
  const Directory directory;
  const std::string run = directory / "run";
  ASSERT_EQ(ecube("run exchange --dim 3 --bytes 5 --circuits -o " + run).status, 0);
  auto provenance = nlohmann::ordered_json::parse(file_text(run + "/provenance.json"));
  provenance.erase("generation");
  for (auto& file : provenance["files"]) file = file["name"].get<std::string>();
  provenance["files"].push_back("thesis.tex");
  std::ofstream(run + "/provenance.json") << provenance;
  std::ofstream(run + "/thesis.tex") << "mine";
  fs::create_directory(run + "/.ecube.whole");
  std::ofstream(run + "/.ecube.whole/.obsolete") << "thesis.tex\n";
  const auto before = contents(run);
  expect(ecube("compare " + run + " " + run, true), 0, {".ecube.whole"});
  EXPECT_EQ(contents(run), before);
  ASSERT_EQ(ecube("run exchange --dim 3 --bytes 7 --replace -o " + run).status, 0);
  EXPECT_EQ(bytes_of_whole_run(run), 7);
  EXPECT_EQ(directory.files("run"), (std::vector<std::string>{".ecube.whole", "links.csv", "provenance.json",
                                                              "resolved.toml", "summary.json", "thesis.tex"}));
}

TEST(RunDirectory, MayBeThePresentOne) {
  const Directory directory;
  std::ofstream(directory / "notes.txt") << "mine";
  for (const int bytes : {5, 7}) {
    expect(shell("cd " + directory / "" + " && " + program + " run exchange --dim 3 --bytes " + std::to_string(bytes) +
                 " -o . 2>&1"),
           0);
    EXPECT_EQ(bytes_of_whole_run(directory / ""), bytes);
  }
  EXPECT_EQ(directory.files(),
            (std::vector<std::string>{"links.csv", "notes.txt", "provenance.json", "resolved.toml", "summary.json"}));
}

TEST(RunDirectory, TakesOneRunAtATime) {
  const Directory directory;
  const std::string run = directory / "run";
  constexpr int runs = sanitized ? 20 : 100;
  shell("bash -c 'for i in $(seq " + std::to_string(runs) + "); do (" + program +
        " run exchange --dim 3 --bytes $i -o " + run + " >" + directory / "out.$i" + " 2>&1; echo $? >" +
        directory / "status.$i" + ") & done; wait'");
  std::vector<int> whole;
  for (int i = 1; i <= runs; ++i) {
    const int status = std::stoi(file_text(directory / ("status." + std::to_string(i))));
    const std::string output = file_text(directory / ("out." + std::to_string(i)));
    EXPECT_TRUE(status == 0 || status == 2) << output;
    if (status == 2) {
      EXPECT_HAS(output, "another run is writing into");
    }
    if (status == 0) whole.push_back(i);
  }
  // The directory has all files of one run, and that run did not end with an error.
  EXPECT_NE(std::find(whole.begin(), whole.end(), bytes_of_whole_run(run)), whole.end());
  EXPECT_EQ(directory.files("run"),
            (std::vector<std::string>{"links.csv", "provenance.json", "resolved.toml", "summary.json"}));
}

TEST(Waveform, OfARunThatDoesNotFinishLeavesTheEarlierOne) {
  const Directory directory;
  const std::string trace = " --quiet --trace " + directory / "w.fst";
  ASSERT_EQ(ecube("run exchange --dim 3" + trace).status, 0);
  const auto before = contents(directory / "");
  EXPECT_EQ(before.size(), 5U);
  EXPECT_EQ(ecube("run program deadlock --dim 2" + trace).status, 3);
  EXPECT_EQ(ecube("run exchange --dim 3 --trace-window 1s:" + trace).status, 2);
  EXPECT_EQ(contents(directory / ""), before);
  ASSERT_EQ(ecube("run exchange --dim 4" + trace).status, 0);
  EXPECT_NE(contents(directory / ""), before);
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
