// SPDX-License-Identifier: Apache-2.0
// Studies whose processes are killed, and those that are shipped; the rest is in transcripts/sweep.txt.
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

// Runs are ten times slower under sanitizers.
constexpr int killed_sizes = sanitized ? 60 : 300;

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
    execv(ecube_program().c_str(), words.data());
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
  const auto seed = static_cast<unsigned>(given("ECUBE_SEED", std::random_device{}()));
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

/// Lines without the blanks at their ends, which an editor would take away.
std::string without_trailing_blanks(const std::string& text) {
  std::string result;
  for (const std::string& line : lines_in(text)) result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return result;
}

TEST(Studies, ThatAreShippedRunAndShowWhatTheirPageSays) {
  const Directory directory;
  std::set<std::string> studies;
  for (const auto& entry : fs::directory_iterator(in_tree("testbench/studies"))) {
    if (entry.path().extension() != ".toml") continue;
    studies.insert(entry.path().stem().string());
    const auto outcome = nlohmann::json::parse(ecube("sweep " + entry.path().string() + " --json -o " +
                                                     (directory / ("sweeps/" + entry.path().stem().string())))
                                                   .output);
    EXPECT_EQ(outcome["failed"], 0) << entry.path();
    EXPECT_EQ(outcome["done"], outcome["points"]) << entry.path();
  }
  std::ifstream page(in_tree("testbench/studies/README.md"));
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
