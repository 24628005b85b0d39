// SPDX-License-Identifier: Apache-2.0
// Merges that are killed, and whose disk is full or broken, at a system call; file systems without locks. strace makes
// the faults. Long: at every system call.
#include "tests/command/shell.h"
#include "tests/command/system_calls.h"

namespace store_faults_test {
namespace {

namespace fs = std::filesystem;

/// A study of two shards, which have run.
class ShardStores : public testing::Test {
 protected:
  ShardStores() {
    std::ofstream(directory_ / "s.toml") << "name = \"s\"\nrun = \"exchange\"\n[workload]\ndim = 2\npartition = "
                                            "\"1,1\"\n[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 3, 4]\n";
    run_shard("study", 1);
    run_shard("study", 2);
    fs::copy(directory_ / "study", directory_ / "whole", fs::copy_options::recursive);
    EXPECT_EQ(ecube("sweep merge " + (directory_ / "whole")).status, 0);
    whole_ = points_of("whole");
    EXPECT_EQ(std::count(whole_.begin(), whole_.end(), '\n'), 4) << whole_;
  }

  void run_shard(const std::string& name, int shard) {
    expect(ecube("sweep " + (directory_ / "s.toml") + " --quiet -j 1 -o " + (directory_ / name) + " --shard " +
                     std::to_string(shard) + "/2",
                 true),
           0);
  }
  [[nodiscard]] std::string points_of(const std::string& name) const {
    return shell("sqlite3 '" + (directory_ / name) +
                 "/results.sqlite' \"SELECT number, id, status, json_extract(result, '\\$.measured') FROM points ORDER "
                 "BY number\" 2>&1")
        .output;
  }
  /// strace with these options, and the program.
  [[nodiscard]] static Outcome traced(const std::string& options, const std::string& arguments) {
    return shell("ASAN_OPTIONS=detect_leaks=0 strace -f -qq " + options + " " + ecube_program() + " " + arguments +
                 " 2>&1; exit $?");
  }
  /// The program with a fault, which has to take place if the program makes so many of these calls: of some, such as
  /// getrandom, it makes one more or less from run to run.
  [[nodiscard]] Outcome with_fault(const std::string& fault, bool killed, const std::string& arguments) const {
    Outcome outcome = traced("-o " + (directory_ / "fault") + " " + fault, arguments);
    const std::string log = file_text(directory_ / "fault");
    if (log.find(killed ? "killed by SIGKILL" : "(INJECTED)") == std::string::npos) {
      std::size_t made = 0;
      for (const std::string& line : lines_in(log)) {
        if (line.find('(') != std::string::npos && line.find("resumed>") == std::string::npos) ++made;
      }
      EXPECT_LT(made, std::stoul(fault.substr(fault.rfind('=') + 1))) << fault << "\n" << log;
    }
    return outcome;
  }
  /// The calls of a command from the first that names a path on.
  [[nodiscard]] std::vector<SystemCall> calls_of(const std::string& arguments, const std::string& path) const {
    EXPECT_EQ(traced("-o " + (directory_ / "calls"), arguments).status, 0);
    return calls_between(directory_ / "calls", path, "");
  }
  /// Calls with faults: all of them, or a sample.
  template <class Try>
  void for_faults(const std::vector<SystemCall>& calls, const Try& try_fault) {
    const std::vector<std::string> faults{"signal=KILL", "error=ENOSPC", "error=EIO"};
    const std::set<std::string> of_memory{"brk", "exit_group", "futex", "mmap", "mprotect", "munmap"};
    const auto inject = [&](const SystemCall& call, const std::string& fault) {
      if (fault != faults.front() && of_memory.contains(call.name)) return;
      const bool kill = fault == faults.front();
      ++(kill ? kills_ : errors_);
      try_fault(call.with(fault), kill);
    };
    calls_ += calls.size();
    if (all_cases) {
      for (const SystemCall& call : calls)
        for (const std::string& fault : faults) inject(call, fault);
      return;
    }
    constexpr std::size_t rounds = 6;
    for (std::size_t i = 0; i < rounds; ++i) {
      inject(calls[(2 * i + 1) * calls.size() / (2 * rounds)], faults[i % faults.size()]);
    }
  }
  /// A merge of a copy of `name` with a fault, then a shard that has run, and a merge, which has to have all points. A
  /// directory that an earlier fault has left to the byte is not tried again.
  void expect_whole_after(const std::string& name, const std::string& fault, bool killed) {
    fs::remove_all(directory_ / "copy");
    fs::copy(directory_ / name, directory_ / "copy", fs::copy_options::recursive);
    const Outcome faulty = with_fault(fault, killed, "sweep merge " + (directory_ / "copy"));
    if (!killed) {
      EXPECT_LE(faulty.status, 2) << fault << "\n" << faulty.output;
    }
    if (!left_.insert(contents_of("copy")).second) return;
    run_shard("copy", 1);
    const Outcome next = ecube("sweep merge " + (directory_ / "copy"), true);
    EXPECT_EQ(next.status, 0) << fault << " of " << name << "\n" << next.output;
    EXPECT_EQ(points_of("copy"), whole_) << fault << " of " << name;
    EXPECT_TRUE(fs::exists(directory_ / "copy/study.toml")) << fault << " of " << name;
    EXPECT_EQ(faults_left(), "") << fault << " of " << name;
  }
  /// Names and contents of all files.
  [[nodiscard]] std::map<std::string, std::string> contents_of(const std::string& name) const {
    std::map<std::string, std::string> contents;
    for (const auto& entry : fs::recursive_directory_iterator(directory_ / name)) {
      std::string& text = contents[entry.path().string()];
      if (entry.is_regular_file()) text = file_text(entry.path().string());
    }
    return contents;
  }
  /// Files that a merge without faults does not leave.
  [[nodiscard]] std::string faults_left() const {
    std::string left;
    for (const std::string& name : directory_.files("copy")) {
      if (name != ".lock" && name != "results.sqlite" && name != "study.toml" && !name.starts_with("shard-")) {
        left += name + " ";
      }
    }
    return left;
  }

  /// For whoever reads the long test's output.
  void print_counts() const {
    std::printf("%zu system calls: %zu kills, %zu errors of the disk; %zu different directories merged again\n", calls_,
                kills_, errors_, left_.size());
  }

  const Directory directory_{"/dev/shm"};  // a disk takes most of the time for fsync, which keeps nothing from a kill
  std::string whole_;
  std::set<std::map<std::string, std::string>> left_;
  std::size_t calls_ = 0;
  std::size_t kills_ = 0;
  std::size_t errors_ = 0;
};

TEST_F(ShardStores, LoseNothingWhenAMergeFailsAtASystemCall) {
  // Into no store, and into one that has the points of the first shard.
  fs::copy(directory_ / "study", directory_ / "half", fs::copy_options::recursive);
  fs::rename(directory_ / "half/shard-2-of-2", directory_ / "second");
  EXPECT_EQ(ecube("sweep merge " + (directory_ / "half")).status, 1);
  fs::rename(directory_ / "second", directory_ / "half/shard-2-of-2");
  for (const std::string name : {"study", "half"}) {
    fs::remove_all(directory_ / "copy");
    fs::copy(directory_ / name, directory_ / "copy", fs::copy_options::recursive);
    const std::vector<SystemCall> calls = calls_of("sweep merge " + (directory_ / "copy"), directory_ / "copy");
    for_faults(calls, [&](const std::string& fault, bool killed) { expect_whole_after(name, fault, killed); });
  }
  print_counts();
}

TEST_F(ShardStores, AreExportedWholeOrTheEarlierFileStays) {
  const std::string file = directory_ / "results.csv";
  const std::string command = "sweep export " + (directory_ / "whole") + " -o " + file;
  const std::vector<SystemCall> calls = calls_of(command, file);
  const std::string exported = file_text(file);
  EXPECT_EQ(std::count(exported.begin(), exported.end(), '\n'), 5) << exported;
  for_faults(calls, [&](const std::string& fault, bool killed) {
    std::ofstream(file) << "earlier";
    const Outcome faulty = with_fault(fault, killed, command);
    const std::string now = file_text(file);
    EXPECT_TRUE(now == exported || (now == "earlier" && (killed || faulty.status == 1 || faulty.status == 2)))
        << fault << "\n"
        << faulty.output << now;
  });
  print_counts();
}

/// Earlier versions left these behind when they were killed: no store at all, or a file without tables.
TEST_F(ShardStores, GoOnWhereAMergeOrAShardLeftAnEmptyStore) {
  for (const char* const make : {"true", "sqlite3 results.sqlite 'PRAGMA journal_mode = WAL; VACUUM'",
                                 "touch results.sqlite results.sqlite-journal results.sqlite.part"}) {
    fs::remove_all(directory_ / "copy");
    fs::copy(directory_ / "study", directory_ / "copy", fs::copy_options::recursive);
    fs::create_directory(directory_ / "copy/shard-3-of-3");
    for (const char* const place : {"copy", "copy/shard-3-of-3"}) {
      (void)shell("cd '" + (directory_ / place) + "' && touch results.sqlite && " + make);
    }
    run_shard("copy", 1);
    const Outcome merged = ecube("sweep merge " + (directory_ / "copy"), true);
    EXPECT_EQ(merged.status, 0) << make << "\n" << merged.output;
    EXPECT_EQ(points_of("copy"), whole_) << make;
    EXPECT_EQ(faults_left(), "") << make;
  }
}

/// A shard that was killed while it wrote has a journal; whoever reads it changes nothing.
TEST_F(ShardStores, AreReadAsBeforeTheChangeInWhichTheirWriterWasKilled) {
  const std::string store = directory_ / "study/shard-1-of-2/results.sqlite";
  // The delete is in the file and not committed when sqlite3 is killed.
  (void)shell("sqlite3 " + store +
              " 'PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE points SET error = randomblob(100000); "
              "DELETE FROM points;' '.shell kill -9 $PPID' 2>&1");
  ASSERT_TRUE(fs::exists(store + "-journal"));
  const auto before = fs::file_size(store);
  expect(ecube("sweep merge " + (directory_ / "study"), true), 0);
  EXPECT_EQ(points_of("study"), whole_);
  EXPECT_TRUE(fs::exists(store + "-journal"));
  EXPECT_EQ(fs::file_size(store), before);
  // The shard's own sweep takes the change back.
  run_shard("study", 1);
  EXPECT_FALSE(fs::exists(store + "-journal"));
}

TEST_F(ShardStores, RunAndMergeWhereTheFileSystemHasNoLocks) {
  const std::string copy = directory_ / "copy";
  const std::string sweep = "sweep " + (directory_ / "s.toml") + " --quiet -j 1 -o " + copy + " --shard ";
  // The C library reads directories with fcntl() too, so the shards are named.
  const std::vector<std::string> commands{
      sweep + "1/2", sweep + "2/2", "sweep merge " + copy + " " + copy + "/shard-1-of-2 " + copy + "/shard-2-of-2"};
  for (const std::string error : {"ENOSYS", "ENOLCK"}) {
    fs::remove_all(copy);
    for (const std::string& command : commands) {
      expect(traced("-o /dev/null -e trace=flock,fcntl -e inject=flock,fcntl:error=" + error, command), 0,
             {"has no locks: let one sweep at a time"});
    }
    EXPECT_EQ(points_of("copy"), whole_) << error;
  }
}

/// Whoever reads a store for long does not stop its sweep, and rows wait in memory for the reader.
TEST_F(ShardStores, WaitForAReader) {
  const std::string store = directory_ / "study/shard-1-of-2/results.sqlite";
  (void)shell("sqlite3 " + store + " 'DELETE FROM points WHERE number = 2'");
  // The reader holds the file until the sweep has said that it waits.
  const Outcome outcome =
      shell("cd '" + (directory_ / "") + "' && mkfifo hold && { sqlite3 " + store +
            " 'BEGIN' 'SELECT count(*) FROM points' '.shell touch held' '.shell cat hold' 'COMMIT' & } >/dev/null; "
            "until [ -e held ]; do sleep 0.02; done; { " +
            ecube_program() +
            " sweep s.toml -j 1 -o study --shard 1/2 2>&1; "
            "echo status $?; } >out & until grep -q 'waiting for another program' out; do sleep 0.02; done; "
            "echo >hold; wait; cat out");
  EXPECT_HAS(outcome.output, "status 0");
  EXPECT_EQ(ecube("sweep merge " + (directory_ / "study")).status, 0);
  EXPECT_EQ(points_of("study"), whole_);
}

/// A merge of very many points holds its store for long; a shard that begins meanwhile looks there for points.
TEST_F(ShardStores, WaitForAWriter) {
  const Outcome outcome =
      shell("cd '" + (directory_ / "") +
            "' && mkfifo hold && { sqlite3 whole/results.sqlite 'BEGIN EXCLUSIVE' "
            "'.shell touch held' '.shell cat hold' 'COMMIT' & } >/dev/null; until [ -e held ]; do sleep 0.02; done; "
            "{ " +
            ecube_program() +
            " sweep s.toml -j 1 -o whole --shard 1/2 2>&1; echo status $?; } >out & "
            "until grep -q 'waiting for another program' out || grep -q status out; do sleep 0.02; done; "
            "echo >hold; wait; cat out");
  EXPECT_HAS(outcome.output, "status 0");
  EXPECT_HAS(outcome.output, "0 points ran");
}

}  // namespace
}  // namespace store_faults_test
