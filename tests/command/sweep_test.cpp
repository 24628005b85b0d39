// SPDX-License-Identifier: Apache-2.0
// Studies as a user runs them, with kills, full disks and bad input.
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/command/shell.h"

namespace sweep_test {
namespace {

namespace fs = std::filesystem;

void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

std::string study(const std::string& rest) {
  return "name = \"mine\"\nrun = \"exchange\"\nmachine = \"ipsc860\"\n" + rest;
}

std::string sql(const std::string& directory, const std::string& query) {
  return shell("sqlite3 '" + directory + "/results.sqlite' \"" + query + "\"").output;
}

const char* const everything =
    "SELECT number, id, status, axis, json_extract(result, '\\$.measured.cycles') FROM points ORDER BY number";

TEST(Sweep, RunsAStudyOnceAndThenWhatIsMissing) {
  const Directory directory;
  write(directory / "s.toml", study("[workload]\ndim = 4\n[[axis]]\nkey = \"partition\"\nall = \"partitions\"\n"
                                    "[[axis]]\nkey = \"bytes\"\nlog2 = { from = 4, to = 64 }\n"));
  const std::string command = "sweep " + (directory / "s.toml") + " -o " + (directory / "out") + " --json";
  const auto first = nlohmann::json::parse(ecube(command).output);
  EXPECT_EQ(first["points"], 25);
  EXPECT_EQ(first["ran"], 25);
  EXPECT_EQ(first["failed"], 0);
  const auto second = nlohmann::json::parse(ecube(command).output);
  EXPECT_EQ(second["ran"], 0);
  EXPECT_EQ(second["done"], 25);
  sql(directory / "out", "DELETE FROM points WHERE number IN (3, 17)");
  EXPECT_EQ(nlohmann::json::parse(ecube(command).output)["ran"], 2);
  // A point has the figures of the same run by itself.
  const auto alone = json_of("run exchange --machine ipsc860 --dim 4 --partition 2,2 --bytes 16");
  EXPECT_EQ(sql(directory / "out", "SELECT measured_cycles FROM results WHERE partition = '2,2' AND bytes = 16"),
            alone["measured"]["cycles"].dump() + "\n");
}

TEST(Sweep, RecordsWhatFailsAndRunsItAgainOnlyWhenAsked) {
  const Directory directory;
  write(directory / "s.toml", study("[[axis]]\nkey = \"dim\"\nvalues = [2, 3]\n[[axis]]\nkey = \"partition\"\n"
                                    "values = [\"2\", \"1,1\"]\n"));
  const std::string stops = "sweep " + (directory / "s.toml") + " -o " + (directory / "out");
  expect(
      ecube(stops, true), 2,
      {"2 points of the 4 looked at cannot run", "sums to 2, but --dim is 3", "none runs with dim=3", "--keep-going"});
  EXPECT_FALSE(std::filesystem::exists(directory / "out"));
  const std::string command = stops + " --keep-going";
  expect(ecube(command + " --quiet", true), 1, {"2 failed"});
  EXPECT_HAS(sql(directory / "out", "SELECT error FROM points WHERE status = 'failed'"), "sums to 2, but --dim is 3");
  EXPECT_EQ(json_of(command, 1)["ran"], 0);
  EXPECT_EQ(json_of(command + " --again", 1)["ran"], 2);
  const Outcome plan =
      expect(ecube("sweep plan " + (directory / "s.toml"), true), 2, {"2 points of the 4 looked at cannot run"});
  // Errors and times come before the list of points.
  EXPECT_LT(plan.output.find("2 points of the 4 looked at cannot run"), plan.output.find("about "));
  EXPECT_LT(plan.output.find("about "), plan.output.find("values\n"));
}

/// The error of a point is what the command says of the same run on standard error: lost messages and a stalled
/// machine.
TEST(Sweep, KeepsWhatTheCommandSaysOfARunThatFails) {
  const Directory directory;
  const std::string options = "--dim 4 --partition 2,2 --pairwise-sync off --set library.protocol=forced";
  write(directory / "s.toml", study("[workload]\ndim = 4\npartition = \"2,2\"\npairwise-sync = \"off\"\n"
                                    "[set]\nlibrary.protocol = \"forced\"\n[[axis]]\nkey = \"jitter\"\n"
                                    "values = [\"3 us\", \"300 us\"]\n"));
  EXPECT_EQ(ecube("sweep " + (directory / "s.toml") + " --quiet -o " + (directory / "out"), true).status, 1);
  EXPECT_EQ(sql(directory / "out", "SELECT status FROM points ORDER BY number"), "done\nfailed\n");
  const Outcome alone = expect(ecube("run exchange --machine ipsc860 --quiet --jitter '300 us' " + options, true), 3,
                               {"lost ", "stalled at cycle "});
  EXPECT_EQ(sql(directory / "out", "SELECT error FROM points WHERE status = 'failed'"), alone.output);
}

/// Signals for a worker are left to its manager: the point goes on.
TEST(Sweep, AWorkerThatIsToldToEndGoesOn) {
  const Directory directory;
  write(directory / "s.toml", study("[workload]\npayload = \"none\"\npartition = \"direct\"\n[[axis]]\n"
                                    "key = \"dim\"\nvalues = [2, 10, 3]\n"));
  const std::string out = directory / "out";
  expect(shell("(" ECUBE_PROGRAM " sweep '" + (directory / "s.toml") + "' --quiet -j 1 -o '" + out +
               "' & manager=$!; while kill -0 $manager 2>/dev/null; do for worker in "
               "$(cat /proc/$manager/task/$manager/children 2>/dev/null); do "
               "kill -TERM $worker; kill -INT $worker; echo told; done; sleep 0.02; done; "
               "wait $manager) 2>/dev/null"),
         0, {"told"});
  EXPECT_EQ(sql(out, "SELECT number, status FROM points ORDER BY number"), "0|done\n1|done\n2|done\n");
}

TEST(Sweep, EndsAPointThatIsOverItsTimeLimit) {
  const Directory directory;
  write(directory / "s.toml", study("time_limit_s = 2\n[workload]\npayload = \"none\"\npartition = \"direct\"\n"
                                    "[[axis]]\nkey = \"dim\"\nvalues = [2, 13, 3]\n"));
  expect(ecube("sweep " + (directory / "s.toml") + " -j 1 -o " + (directory / "out"), true), 1);
  EXPECT_EQ(sql(directory / "out", "SELECT number, status, error FROM points"),
            "0|done|\n1|failed|over its time limit of 2 s\n2|done|\n");
}

TEST(Sweep, ExportsItsResults) {
  const Directory directory;
  write(directory / "s.toml", study("[workload]\ndim = 3\n[[axis]]\nkey = \"partition\"\nvalues = [\"2,1\", \"4\"]\n"
                                    "[derived]\nper_byte = \"measured_us / 16\"\n"));
  ecube("sweep " + (directory / "s.toml") + " --keep-going -o " + (directory / "out"));
  std::istringstream csv(ecube("sweep export " + (directory / "out")).output);
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line.rfind("number,id,seed,repetition,wall_s,partition,measured_cycles,", 0), 0U) << line;
  EXPECT_TRUE(line.ends_with(",per_byte")) << line;
  std::getline(csv, line);
  EXPECT_HAS(line, ",\"2,1\",");
  EXPECT_FALSE(std::getline(csv, line)) << line;
  ecube("sweep export " + (directory / "out") + " -o " + (directory / "x.jsonl"));
  std::ifstream lines(directory / "x.jsonl");
  std::vector<nlohmann::json> points;
  while (std::getline(lines, line)) points.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0]["result"]["workload"]["partition"], nlohmann::json({2, 1}));
  EXPECT_EQ(points[1]["status"], "failed");
  EXPECT_EQ(ecube("sweep export " + (directory / "nothing")).status, 2);
  EXPECT_EQ(ecube("sweep export " + (directory / "out") + " -o /dev/full").status, 1);
  // A full disk leaves the earlier export as it was: here no file may grow beyond 0 bytes.
  std::ofstream(directory / "before.csv") << "before";
  expect(shell("bash -c \"ulimit -f 0; " ECUBE_PROGRAM " sweep export " + (directory / "out") + " -o " +
               (directory / "before.csv") + "\" 2>/dev/null"),
         1);
  std::string before;
  std::ifstream(directory / "before.csv") >> before;
  EXPECT_EQ(before, "before");
}

TEST(Sweep, InShardsIsTheSameAsWhole) {
  const Directory directory;
  write(directory / "s.toml",
        study("[workload]\ndim = 3\n[[axis]]\nkey = \"bytes\"\nlinear = { from = 1, to = 20 }\n"));
  const std::string run = "sweep " + (directory / "s.toml") + " --quiet -o ";
  ecube(run + (directory / "whole"));
  for (const char* const shard : {"1/3", "2/3"}) {
    EXPECT_EQ(ecube(run + (directory / "parts") + " --shard " + shard).status, 0);
  }
  expect(ecube("sweep merge " + (directory / "parts"), true), 1, {"6 missing"});
  EXPECT_EQ(ecube(run + (directory / "parts") + " --shard 3/3").status, 0);
  EXPECT_EQ(ecube("sweep merge " + (directory / "parts")).status, 0);
  EXPECT_EQ(sql(directory / "parts", everything), sql(directory / "whole", everything));
  // Merged points do not run again in shards of another size.
  EXPECT_HAS(ecube(run + (directory / "parts") + " --shard 1/2 --json").output, "\"ran\": 0");
}

// --- Kills ---------------------------------------------------------------------------------------------------------

// Runs are ten times slower under sanitizers.
#ifdef ECUBE_SANITIZED
constexpr int killed_sizes = 60;
#else
constexpr int killed_sizes = 300;
#endif

class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments) {
    pid_ = fork();
    if (pid_ != 0) return;
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    std::vector<char*> words;
    std::vector<std::string> copies = arguments;
    for (std::string& word : copies) words.push_back(word.data());
    words.push_back(nullptr);
    execv(ECUBE_PROGRAM, words.data());
    _exit(127);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool ended() {
    if (pid_ > 0 && waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
    return pid_ < 0;
  }
  int wait() {
    if (pid_ > 0) waitpid(pid_, &status_, 0);
    pid_ = -1;
    return status_;
  }
  [[nodiscard]] int status() const { return status_; }

 private:
  pid_t pid_;
  int status_ = 0;
};

std::mt19937 seeded() {
  const char* const given = std::getenv("ECUBE_SEED");
  const unsigned seed =
      given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  std::printf("ECUBE_SEED=%u\n", seed);
  return std::mt19937(seed);
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  const std::string name = std::to_string(parent);
  std::ifstream list("/proc/" + name + "/task/" + name + "/children");
  for (pid_t child = 0; list >> child;) found.push_back(child);
  return found;
}

TEST(Sweep, LosesAndDoublesNothingWhenItsProcessesAreKilled) {
  const Directory directory;
  write(directory / "s.toml", study("[workload]\ndim = 6\n[[axis]]\nkey = \"bytes\"\nlinear = { from = 1, to = " +
                                    std::to_string(killed_sizes) +
                                    " }\n[[axis]]\nkey = "
                                    "\"partition\"\nvalues = [\"6\", \"3,3\"]\n"));
  ecube("sweep " + (directory / "s.toml") + " --quiet -o " + (directory / "whole"));
  const std::string expected = sql(directory / "whole", everything);
  ASSERT_EQ(std::count(expected.begin(), expected.end(), '\n'), 2 * killed_sizes);

  std::mt19937 random = seeded();
  const auto below = [&random](int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random); };
  // A manager may be killed before it has made the store.
  const auto made = [&directory] {
    return fs::exists(directory / "killed/results.sqlite") &&
           sql(directory / "killed", "SELECT count(*) FROM sqlite_master WHERE name = 'points'") == "1\n";
  };
  const unsigned kills = all_cases ? 20 : 7;  // of workers, and as many of managers
  unsigned workers = 0;
  unsigned managers = 0;
  unsigned rounds = 0;
  std::vector<std::string> command{"ecube", "sweep", directory / "s.toml", "-o", directory / "killed", "-j", "2"};
  while (workers < kills || managers < kills) {
    // Points of a finished study are deleted, so that there is always a process to kill.
    if (++rounds > 1 && made())
      sql(directory / "killed", "DELETE FROM points WHERE number % 3 = " + std::to_string(below(3)));
    Process manager(command);
    for (int steps = 0; !manager.ended(); ++steps) {
      usleep(static_cast<useconds_t>(1000 * (5 + below(60))));
      const std::vector<pid_t> children = children_of(manager.pid());
      if (workers < kills && !children.empty() && below(2) == 0) {
        if (kill(children[static_cast<std::size_t>(below(static_cast<int>(children.size())))], SIGKILL) == 0) ++workers;
      } else if (managers < kills && below(3) == 0 && !manager.ended()) {
        kill(manager.pid(), SIGKILL);
        manager.wait();
        if (WIFSIGNALED(manager.status())) ++managers;
        for (int waits = 0; waits < 1000 && !children.empty() && kill(children.front(), 0) == 0; ++waits) usleep(1000);
        if (made()) {
          EXPECT_EQ(sql(directory / "killed", "PRAGMA integrity_check"), "ok\n");
        }
      }
    }
    ASSERT_LT(rounds, 500U);
  }
  // A point whose worker was killed three times has failed, until it is asked for again.
  EXPECT_EQ(sql(directory / "killed",
                "SELECT error FROM points WHERE status = 'failed' AND error NOT LIKE 'killed 3 times%'"),
            "");
  command.emplace_back("--again");
  Process last(command);
  EXPECT_EQ(last.wait(), 0);
  EXPECT_EQ(sql(directory / "killed", "PRAGMA integrity_check"), "ok\n");
  EXPECT_EQ(sql(directory / "killed", everything), expected);
  EXPECT_EQ(sql(directory / "killed", "SELECT count(*) - count(DISTINCT id) FROM points"), "0\n");
}

/// Shards that run beside each other, and merges beside them, some of which are killed: each shard ends well, each
/// merge ends with some of the points or says that there is nothing to merge yet, and the last one has all points.
TEST(Sweep, LosesNoShardBesideMergesThatAreKilled) {
  const Directory directory;
  constexpr int shards = 3;
  write(directory / "s.toml", study("[workload]\ndim = 2\n[[axis]]\nkey = \"bytes\"\n"
                                    "linear = { from = 1, to = 12 }\n"));
  ecube("sweep " + (directory / "s.toml") + " --quiet -o " + (directory / "whole"));
  const std::string expected = sql(directory / "whole", everything);
  ASSERT_EQ(std::count(expected.begin(), expected.end(), '\n'), 12);
  const std::string out = directory / "out";
  std::mt19937 random = seeded();
  const auto below = [&random](unsigned limit) {
    return std::uniform_int_distribution<unsigned>(0, limit - 1)(random);
  };
  unsigned merges = 0;
  unsigned kills = 0;
  const unsigned rounds = all_cases ? 120 : 2;
  for (unsigned round = 0; round < rounds; ++round) {
    fs::remove_all(out);
    std::vector<Process> running;
    for (int shard = 1; shard <= shards; ++shard) {
      running.emplace_back(std::vector<std::string>{"ecube", "sweep", directory / "s.toml", "--quiet", "-j", "1", "-o",
                                                    out, "--shard", fmt::format("{}/{}", shard, shards)});
    }
    while (std::any_of(running.begin(), running.end(), [](Process& shard) { return !shard.ended(); })) {
      ++merges;
      if (below(2) == 0) {
        const Outcome merge = ecube("sweep merge " + out, true);
        EXPECT_TRUE(merge.status < 2 || merge.output.find("there are no shards") != std::string::npos) << merge.output;
        continue;
      }
      Process merge({"ecube", "sweep", "merge", out});
      usleep(static_cast<useconds_t>(below(20'000)));
      kill(merge.pid(), SIGKILL);
      merge.wait();
      if (WIFSIGNALED(merge.status())) ++kills;
    }
    for (const Process& shard : running) EXPECT_EQ(shard.status(), 0) << "round " << round;
    const Outcome last = ecube("sweep merge " + out, true);
    EXPECT_EQ(last.status, 0) << "round " << round << "\n" << last.output;
    EXPECT_EQ(sql(out, everything), expected) << "round " << round;
  }
  std::printf("%u rounds of %d shards, %u merges beside them, %u of which were killed\n", rounds, shards, merges,
              kills);
}

TEST(Sweep, KeepsWhatHasRunAtCtrlC) {
  const Directory directory;
  write(directory / "s.toml", study("[workload]\ndim = 8\npartition = \"direct\"\npayload = \"none\"\n[[axis]]\nkey = "
                                    "\"bytes\"\nlinear = { from = 1, to = 500 }\n"));
  const std::vector<std::string> command{"ecube", "sweep", directory / "s.toml", "-o", directory / "out"};
  Process process(command);
  while (!process.ended() && (!fs::exists(directory / "out/results.sqlite") ||
                              sql(directory / "out", "SELECT count(*) > 3 FROM points") != "1\n")) {
    usleep(20'000);
  }
  kill(process.pid(), SIGINT);
  const int status = process.wait();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const int kept = std::stoi(sql(directory / "out", "SELECT count(*) FROM points WHERE status = 'done'"));
  EXPECT_GT(kept, 3);
  EXPECT_LT(kept, 500);
}

// --- Bad input -----------------------------------------------------------------------------------------------------

TEST(Sweep, RefusesWhatWouldMixResults) {
  const Directory directory;
  const std::string file = directory / "s.toml";
  const std::string run = "sweep " + file + " -o " + (directory / "out");
  write(file, study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 2]\n"));
  ASSERT_EQ(ecube(run).status, 0);
  const std::string before = sql(directory / "out", everything);
  write(file, study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 4]\n"));
  expect(ecube(run, true), 2, {"another directory with -o"});
  EXPECT_EQ(sql(directory / "out", everything), before);
  sql(directory / "out", "UPDATE meta SET value = '9' WHERE key = 'schema'");
  expect(ecube(run, true), 2, {"schema 9"});
  EXPECT_EQ(ecube("sweep export " + (directory / "out")).status, 2);
  EXPECT_EQ(sql(directory / "out", everything), before);
}

TEST(Sweep, RefusesASecondManager) {
  const Directory directory;
  write(directory / "s.toml", study("[workload]\ndim = 11\npartition = \"direct\"\npayload = \"none\"\n"));
  const std::vector<std::string> command{"ecube", "sweep", directory / "s.toml", "-o", directory / "out"};
  Process first(command);
  while (!fs::exists(directory / "out/study.toml")) usleep(5'000);
  expect(ecube("sweep " + (directory / "s.toml") + " -o " + (directory / "out"), true), 2,
         {"another sweep is running"});
  kill(first.pid(), SIGTERM);
  first.wait();
}

TEST(Sweep, RefusesWhatItCannotReadOrWrite) {
  const Directory directory;
  write(directory / "s.toml", study(""));
  for (const std::string& arguments : std::vector<std::string>{
           std::string("sweep"), "sweep " + (directory / "none.toml"), "sweep /dev/null", "sweep " + (directory / ""),
           "sweep " + (directory / "s.toml") + " -o /proc/nothing", "sweep " + (directory / "s.toml") + " -j 0x",
           "sweep " + (directory / "s.toml") + " -j -1", "sweep " + (directory / "s.toml") + " --shard 3/2",
           "sweep merge " + (directory / ""), "sweep submit " + (directory / "s.toml")}) {
    const Outcome outcome = expect(ecube(arguments, true), 2);
    EXPECT_EQ(outcome.output.rfind("error: ", 0), 0U) << arguments << outcome.output;
  }
  EXPECT_EQ(directory.files(), std::vector<std::string>{"s.toml"});
}

TEST(Sweep, PrintsTheScriptsForACluster) {
  const Directory directory;
  write(directory / "s.toml", study("[[axis]]\nkey = \"bytes\"\nlinear = { from = 1, to = 9 }\n"));
  expect(ecube("sweep submit " + (directory / "s.toml") + " -o " + (directory / "out") +
               " --slurm --shards 3 --directive=--account=me --directive --exclusive --dry-run"),
         0, {"#SBATCH --array=1-3", "#SBATCH --account=me\n#SBATCH --exclusive\n", "sweep merge"});
  EXPECT_EQ(directory.files(), std::vector<std::string>{"s.toml"});
}

/// Lines without the blanks at their ends, which an editor would take away.
std::string without_trailing_blanks(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return result;
}

TEST(Studies, ThatAreShippedRunAndShowWhatTheirPageSays) {
  const Directory directory;
  std::set<std::string> studies;
  for (const auto& entry : fs::directory_iterator(ECUBE_ROOT "/testbench/studies")) {
    if (entry.path().extension() != ".toml") continue;
    studies.insert(entry.path().stem().string());
    const auto outcome = nlohmann::json::parse(ecube("sweep " + entry.path().string() + " --json -o " +
                                                     (directory / ("sweeps/" + entry.path().stem().string())))
                                                   .output);
    EXPECT_EQ(outcome["failed"], 0) << entry.path();
    EXPECT_EQ(outcome["done"], outcome["points"]) << entry.path();
  }
  std::ifstream page(ECUBE_ROOT "/testbench/studies/README.md");
  std::set<std::string> shown;
  std::string line;
  while (std::getline(page, line)) {
    if (line.rfind("$ sqlite3 ", 0) != 0) continue;
    const std::string line_of_command = line;
    const Outcome outcome = shell("cd " + (directory / "") + " && " + line.substr(2));
    std::string below;
    while (std::getline(page, line) && line != "```") below += line + "\n";
    EXPECT_EQ(without_trailing_blanks(outcome.output), below);
    const std::size_t name = line_of_command.find("sweeps/") + std::strlen("sweeps/");
    shown.insert(line_of_command.substr(name, line_of_command.find('/', name) - name));
  }
  EXPECT_EQ(shown, studies) << "a study without a result on its page, or the other way round";
}

}  // namespace
}  // namespace sweep_test
