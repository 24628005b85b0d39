// SPDX-License-Identifier: Apache-2.0
// Studies and stores from strangers: refused in a moment, with nothing written and nothing of other files shown.
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/command/shell.h"

namespace hostile_study_test {
namespace {

namespace fs = std::filesystem;

// Programs are ten times slower under sanitizers.
#ifdef ECUBE_SANITIZED
constexpr double most_s = 20;
#else
constexpr double most_s = 2;
#endif

void write(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

/// Every file below a directory, with its contents; null devices and pipes by name.
std::map<std::string, std::string> contents(const std::string& directory) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = entry.path().string();
    all[name] = entry.is_regular_file() ? file_text(name) : "";
  }
  return all;
}

/// Runs the program in a directory; fails the test when it takes longer than a moment.
Outcome in_a_moment(const std::string& directory, const std::string& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  Outcome outcome = shell("cd '" + directory + "' && timeout 60 " ECUBE_PROGRAM " " + arguments + " 2>&1");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LT(seconds, most_s) << arguments;
  return outcome;
}

void expect_refused(const Directory& directory, const std::string& arguments, const std::string& of) {
  const std::map<std::string, std::string> before = contents(directory / "");
  const Outcome outcome = in_a_moment(directory / "", arguments);
  EXPECT_EQ(outcome.status, 2) << arguments << "\n" << of << "\n" << outcome.output;
  EXPECT_EQ(outcome.output.rfind("error: ", 0), 0U) << arguments << "\n" << of << "\n" << outcome.output;
  EXPECT_TRUE(contents(directory / "") == before) << arguments << "\n" << of;
}

const std::string good_study =
    "name = \"mine\"\nrun = \"exchange\"\n[workload]\ndim = 2\n[[axis]]\nkey = \"bytes\"\nvalues = [1, 2]\n";

TEST(HostileStudy, WritesNothingByItsDerivedColumns) {
  const Directory directory;
  write(directory / "store.toml", good_study);
  ASSERT_EQ(in_a_moment(directory / "", "sweep store.toml -o store --quiet").status, 0);
  for (const std::string expression : {
           "1) AS x FROM points; ATTACH 'evil.sqlite' AS p; CREATE TABLE p.t(a); --",
           "1) AS x FROM (SELECT 1",
           "(SELECT count(*) FROM points)",
           "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)",
           "writefile('evil', 'x')",
           "readfile('/etc/passwd')",
           "load_extension('./evil.so')",
           "hex(zeroblob(1000000000))",
           "printf('%.*c', 1000000000, 'x')",
           "1 -- comment",
           "?1",
       }) {
    write(directory / "s.toml", fmt::format("{}[derived]\nx = \"{}\"\n", good_study, expression));
    for (const char* const arguments : {"sweep plan s.toml", "sweep s.toml -o out", "sweep s.toml -o store",
                                        "sweep submit s.toml -o out --slurm --dry-run"}) {
      expect_refused(directory, arguments, expression);
    }
  }
}

// --- Files that a study names --------------------------------------------------------------------------------------

TEST(HostileStudy, ShowsNothingOfOtherFiles) {
  const Directory directory;
  for (const char* const text :
       {"hunter2:x:0:0:root:/root:/bin/bash\n", "token = \"hunter2\"\n", "base = \"hunter2\"\n",
        "name = \"hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2\"\n",
        "link.phit = \"hunter2\"\n", "[hunter2]\nx = 1\n", "base = \"ideal\"\nhunter2 = [1]\n", "0 1 hunter2\n",
        "hunter2\n", "0 1 100 0 hunter2\n", "hunter2 \xFF\n"}) {
    write(directory / "secret.toml", text);
    write(directory / "machine.toml", "machine = \"secret.toml\"\n" + good_study);
    write(directory / "pattern.toml", "run = \"traffic\"\n[workload]\ndim = 2\npattern = \"./secret.toml\"\n");
    expect_refused(directory, "sweep machine.toml -o out", text);
    for (const char* const study : {"machine.toml", "pattern.toml"}) {
      const Outcome outcome = in_a_moment(directory / "", std::string("sweep plan ") + study);
      EXPECT_EQ(outcome.status, 2) << text << outcome.output;
      EXPECT_LACKS(outcome.output, "hunter2");
      EXPECT_HAS(outcome.output, "secret.toml");
    }
    // Points with such a file fail, and the store keeps only the error.
    in_a_moment(directory / "", "sweep pattern.toml -o out --keep-going --quiet");
    const std::string errors = shell("sqlite3 '" + (directory / "out/results.sqlite") + "' .dump").output;
    EXPECT_HAS(errors, "secret.toml");
    EXPECT_LACKS(errors, "hunter2");
    fs::remove_all(directory / "out");
  }
  // A user who names the file on the command line sees the line.
  write(directory / "my.toml", "name = \"x\"\nbase = \"ideal\"\n\n\nlink.bandwith = \"2.8 MB/s\"\n");
  EXPECT_HAS(in_a_moment(directory / "", "run exchange --machine my.toml").output,
             "  --> my.toml:5:6\n5 | link.bandwith = \"2.8 MB/s\"\n  |      ^^^^^^^^");
  write(directory / "my.txt", "0 1 x 0\n");
  EXPECT_HAS(in_a_moment(directory / "", "run traffic --dim 2 --pattern ./my.txt").output, "1 | 0 1 x 0\n");
}

TEST(HostileStudy, WaitsForNoPipeAndReadsNoDevice) {
  const Directory directory;
  ASSERT_EQ(mkfifo((directory / "pipe").c_str(), 0644), 0);
  for (const std::string& file : {std::string("./pipe"), std::string("/dev/zero"), std::string("/proc/self/pagemap"),
                                  std::string("./none"), std::string(".//")}) {
    write(directory / "machine.toml", fmt::format("machine = \"{}\"\n{}", file, good_study));
    expect_refused(directory, "sweep plan machine.toml", file);
    expect_refused(directory, "run exchange --machine " + file, file);
    expect_refused(directory, "run traffic --dim 2 --pattern " + file, file);
    expect_refused(directory, "check " + file + " --dim 2", file);
    expect_refused(directory, "sweep plan " + file, file);
    write(directory / "pattern.toml", "run = \"traffic\"\n[workload]\ndim = 2\npattern = \"" + file + "\"\n");
    EXPECT_EQ(in_a_moment(directory / "", "sweep plan pattern.toml").status, 2) << file;
  }
}

TEST(HostileStudy, GivesNoOptionsOfItsOwn) {
  const Directory directory;
  for (const char* const key : {"bytes", "partition", "pairwise-sync", "dim", "machine"}) {
    const bool machine = std::string(key) == "machine";
    write(directory / "s.toml",
          "run = \"exchange\"\n" + std::string(machine ? "" : "[workload]\n") + key + " = \"--output=evil\"\n");
    expect_refused(directory, "sweep plan s.toml", key);
    expect_refused(directory, "sweep s.toml -o out", key);
  }
}

// --- Stores --------------------------------------------------------------------------------------------------------

/// A directory with a good store.
class HostileStore : public ::testing::Test {
 protected:
  void SetUp() override {
    write(directory_ / "s.toml", good_study + "[derived]\ntwice = \"2 * measured_us\"\n");
    ASSERT_EQ(in_a_moment(directory_ / "", "sweep s.toml -o good --quiet").status, 0);
    fresh();
  }
  /// Makes a fresh copy of the store, to be changed.
  void fresh() const {
    fs::remove_all(directory_ / "bad");
    fs::copy(directory_ / "good", directory_ / "bad");
  }
  void change(const std::string& sql) const {
    write(directory_ / "change.sql", sql + "\n");
    (void)shell("sqlite3 '" + (directory_ / "bad/results.sqlite") + "' < '" + (directory_ / "change.sql") + "' 2>&1");
  }
  [[nodiscard]] std::string csv(const std::string& store) const {
    return in_a_moment(directory_ / "", "sweep export " + store).output;
  }
  /// Expects the commands that read, merge and write to refuse the store; every command with `every`.
  void expect_refuse(const std::string& of, bool every = false) const {
    for (const char* const arguments : {"sweep export bad", "sweep merge new good bad", "sweep s.toml -o bad"}) {
      expect_refused(directory_, arguments, of);
    }
    if (!every) return;
    for (const char* const arguments : {"sweep export bad --format jsonl", "sweep export bad -o new.csv", "report bad",
                                        "sweep merge new bad", "sweep merge bad good"}) {
      expect_refused(directory_, arguments, of);
    }
  }

  Directory directory_;
};

TEST_F(HostileStore, IsRefusedWhenItIsNotWhatWasWritten) {
  bool every = true;
  for (const char* const sql : {
           "ALTER TABLE points RENAME TO p; CREATE VIEW points AS SELECT * FROM p;",
           "ALTER TABLE meta RENAME TO m; CREATE VIEW meta AS SELECT * FROM m;",
           "ALTER TABLE axes RENAME TO a; CREATE VIEW axes AS SELECT * FROM a;",
           "CREATE TRIGGER t AFTER INSERT ON points BEGIN DELETE FROM points; END;",
           "CREATE TRIGGER t AFTER UPDATE ON meta BEGIN DELETE FROM points; END;",
           "ALTER TABLE points ADD COLUMN more TEXT AS (hex(zeroblob(100000000)));",
           "ALTER TABLE meta ADD COLUMN more TEXT AS (hex(zeroblob(100000000)));",
           "CREATE INDEX i ON points(abs(number));",
           "CREATE TABLE more(x CHECK (x = load_extension('evil')));",
           "CREATE VIRTUAL TABLE v USING fts5(x);",
           "CREATE VIRTUAL TABLE v USING rtree(i, a, b);",
           "DROP TABLE axes;",
           "DROP TABLE meta;",
           "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'ATTACH ''evil'' AS e' WHERE name = 'results';",
           "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 2 WHERE name = 'points';",
           "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'seed INTEGER', 'seed');",
           "UPDATE meta SET value = '99999999999999999999' WHERE key = 'points';",
           "UPDATE meta SET value = '[derived]' || char(10) || 'x = \"(SELECT 1)\"' WHERE key = 'study_text';",
           "UPDATE meta SET value = '1' WHERE key = 'schema';",
           "UPDATE axes SET key = 'x'') AS y, load_extension(''evil''), (''';",
           "UPDATE points SET result = '[' WHERE number = 0;",
           "UPDATE points SET result = NULL WHERE number = 0;",
           "UPDATE points SET number = 7 WHERE number = 1;",
           "UPDATE points SET number = -1 WHERE number = 0;",
           "UPDATE points SET id = id || 'x';",
           "UPDATE points SET wall_s = 1e999;",
           "UPDATE points SET status = 'failed';",
           "UPDATE points SET axis = '{\"bytes\": 3}' WHERE number = 1;",
       }) {
    fresh();
    change(sql);
    expect_refuse(sql, every);
    every = false;
  }
  fresh();
  const std::string file = directory_ / "bad/results.sqlite";
  fs::resize_file(file, fs::file_size(file) / 2);
  expect_refuse("half a file");
  write(file, "no database, but long enough to be taken for one ..................................................");
  expect_refuse("no database");
}

TEST_F(HostileStore, HasViewsThatNobodyExecutes) {
  const std::string before = csv("good");
  EXPECT_HAS(before, ",twice\n");
  for (const char* const view :
       {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS number FROM n",
        "SELECT hex(zeroblob(400000000)) AS number", "SELECT * FROM nothing",
        "SELECT load_extension('evil') AS number"}) {
    fresh();
    change(std::string("DROP VIEW results; CREATE VIEW results AS ") + view + ";");
    EXPECT_EQ(csv("bad"), before) << view;
    EXPECT_EQ(in_a_moment(directory_ / "", "sweep merge merged bad").status, 0) << view;
    EXPECT_EQ(csv("merged"), before) << view;
    // The view of a merged store, and of a store that a sweep continues, is made from the study.
    for (const char* const store : {"merged", "bad"}) {
      EXPECT_EQ(in_a_moment(directory_ / "", std::string("sweep s.toml --quiet -o ") + store).status, 0);
      EXPECT_EQ(
          shell("sqlite3 '" + (directory_ / store) + "/results.sqlite' 'SELECT count(twice) FROM results'").output,
          "2\n");
    }
    fs::remove_all(directory_ / "merged");
  }
}

TEST_F(HostileStore, GivesASpreadsheetNoFormulas) {
  write(directory_ / "s.toml", good_study + "[derived]\na = \"'=1+1'\"\nb = \"'@x,'\"\nc = \"-1\"\nd = \"'x=1'\"\n");
  ASSERT_EQ(in_a_moment(directory_ / "", "sweep s.toml -o good --quiet").status, 0);
  EXPECT_HAS(csv("good"), ",'=1+1,\"'@x,\",-1,x=1\n");
}

TEST_F(HostileStore, SendsNoWritesElsewhere) {
  write(directory_ / "mine", "mine");
  const auto link = [this](const std::string& name) {
    fs::remove(directory_ / ("bad/" + name));
    fs::create_symlink(directory_ / "mine", directory_ / ("bad/" + name));
  };
  link("results.sqlite");
  expect_refused(directory_, "sweep s.toml -o bad", "a store that is a link");
  fresh();
  // Readers follow no link in a directory, and the link that a user names.
  fs::remove(directory_ / "bad/results.sqlite");
  fs::create_symlink(directory_ / "good/results.sqlite", directory_ / "bad/results.sqlite");
  for (const char* const reader : {"sweep export bad", "sweep merge merged bad", "report bad"}) {
    expect_refused(directory_, reader, "a store that is a link");
  }
  EXPECT_EQ(csv("bad/results.sqlite"), csv("good"));
  fs::create_directory(directory_ / "merged");
  fs::create_directory_symlink(directory_ / "good", directory_ / "merged/shard-1-of-2");
  expect_refused(directory_, "sweep merge merged", "a shard that is a link");
  fs::remove_all(directory_ / "merged");
  fresh();
  link(".lock");
  expect_refused(directory_, "sweep s.toml -o bad", "a lock that is a link");
  fresh();
  link("study.toml");
  EXPECT_EQ(in_a_moment(directory_ / "", "sweep s.toml -o bad --quiet").status, 0);
  EXPECT_EQ(contents(directory_ / "")[directory_ / "mine"], "mine");
  // SQLite would delete the file that a journal names.
  fresh();
  const std::string journal_end = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  write(directory_ / "bad/results.sqlite-journal", std::string(600, '\0') + (directory_ / "mine") + journal_end);
  expect_refused(directory_, "sweep s.toml -o bad", "a journal that names a file");
}

// --- Stores that cannot be written ---------------------------------------------------------------------------------

TEST_F(HostileStore, OfAFinishedStudyIsOneFileThatIsReadWhereNothingCanBeWritten) {
  for (const char* const beside : {"results.sqlite-wal", "results.sqlite-shm", "results.sqlite-journal"}) {
    EXPECT_FALSE(fs::exists(directory_ / "good/" + beside)) << beside;
  }
  const std::string before = csv("good");
  // No user may write there; but the superuser may write everywhere, so the test runs as another user.
  const std::string as_another = geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : "";
  const auto read_only = [&](const std::string& store) {
    fs::permissions(directory_ / "", fs::perms(0755));
    fs::permissions(directory_ / store, fs::perms(0555));
    Outcome outcome =
        shell("cd '" + (directory_ / "") + "' && " + as_another + ECUBE_PROGRAM " sweep export " + store + " 2>&1");
    fs::permissions(directory_ / store, fs::perms(0755));
    return outcome.output;
  };
  EXPECT_EQ(read_only("good"), before);
  // A store that claims to have a log and has none, as after an abrupt end.
  change("PRAGMA journal_mode = WAL;");
  EXPECT_EQ(read_only("bad"), before);
  EXPECT_EQ(csv("good"), before);
}

}  // namespace
}  // namespace hostile_study_test
