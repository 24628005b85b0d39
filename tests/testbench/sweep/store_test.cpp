// SPDX-License-Identifier: Apache-2.0
// Stores: results that are kept, merged, and checked bit by bit; shards of a study, and the scripts that give them to
// Slurm.
#include "testbench/sweep/store/store.h"

#include "tests/test.h"
#include "tests/testbench/sweep/studies.h"

namespace ecube::store_test {
namespace {

const char* const three = "[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n[derived]\ntwice = \"2 * measured_us\"\n";

TEST(Store, KeepsResultsAndFailures) {
  const Directory directory;
  const Study ours = study(three);
  const std::vector<StudyPoint> all = points(ours);
  {
    Store store(directory / "a", ours);
    store.add(all[0], done(10));
    store.add(all[2], {.outcome = "no room"});
    EXPECT_TRUE(store.commit());
    EXPECT_EQ(store.database().count("done"), 1U);
    EXPECT_EQ(store.database().count("failed"), 1U);
  }
  Store store(directory / "a", ours);
  std::vector<bool> ended(3, false);
  store.database().mark_ended(ended, false);
  EXPECT_EQ(ended, (std::vector<bool>{true, false, true}));
  ended.assign(3, false);
  store.database().mark_ended(ended, true);
  EXPECT_EQ(ended, (std::vector<bool>{true, false, false}));
  store.add(all[2], done(30));
  EXPECT_TRUE(store.commit());
  EXPECT_EQ(results(directory / "a", "twice"), (std::map<std::uint64_t, double>{{0, 20}, {2, 60}}));
  EXPECT_EQ(results(directory / "a", "bytes"), (std::map<std::uint64_t, double>{{0, 1}, {2, 4}}));
}

TEST(Store, KeepsThePointsOfAStudyThatHasGrown) {
  const Directory directory;
  const std::vector<StudyPoint> before = points(study(three));  // bytes 1, 2, 4
  {
    Store store(directory / "a", study(three));
    store.add(before[0], done(10));
    store.add(before[2], done(30));
    EXPECT_TRUE(store.commit());
  }
  // In the middle of the axis and at its end: every earlier point gets another number.
  const Study grown = study("[[axis]]\nkey = \"bytes\"\nvalues = [8, 1, 3, 2, 4]\n");
  {
    Store store(directory / "a", grown);
    std::vector<bool> ended(5, false);
    store.database().mark_ended(ended, false);
    EXPECT_EQ(ended, (std::vector<bool>{false, true, false, false, true}));
    store.add(points(grown)[0], done(80));
    EXPECT_TRUE(store.commit());
  }
  EXPECT_EQ(results(directory / "a", "bytes"), (std::map<std::uint64_t, double>{{0, 8}, {1, 1}, {4, 4}}));
  EXPECT_EQ(results(directory / "a", "measured_us"), (std::map<std::uint64_t, double>{{0, 80}, {1, 10}, {4, 30}}));
  // A study without one of the points that ran is another study.
  EXPECT_THROW(Store(directory / "a", study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n")), InputError);
  EXPECT_EQ(results(directory / "a", "bytes").size(), 3U);
}

/// Ids were of another hash once: such a store is read and merged, and gets no points.
TEST(Store, OfAnEarlierEcubeIsReadAndNotContinued) {
  const Directory directory;
  {
    Store store(directory / "a", study(three));
    StoredPoint earlier{.number = 1,
                        .id = "00112233445566778899aabbccddeeff",
                        .status = "done",
                        .axis = "{\"bytes\": 2}",
                        .arguments = "[]",
                        .outcome = done(20).outcome};
    StoreDatabase database(SQLite::Database(directory / "a/results.sqlite", SQLite::OPEN_READWRITE));
    database.put(earlier);
    database.sql().exec("UPDATE meta SET value = 'ffeeddccbbaa99887766554433221100' WHERE key = 'study_hash'");
    database.set_study_text(database.meta("study_text"));  // with its checksum
  }
  EXPECT_EQ(results(directory / "a", "bytes"), (std::map<std::uint64_t, double>{{1, 2}}));
  EXPECT_EQ(merge_stores(directory / "b", {directory / "a"}, true).done, 1U);
  const std::string said = thrown<InputError>([&] { return Store(directory / "a", study(three)); });
  EXPECT_HAS(said, "or of an earlier ecube");
  EXPECT_HAS(said, "give another directory with -o");
}

TEST(Store, IsOfOneStudyOneSchemaAndOneProcess) {
  const Directory directory;
  const Study ours = study(three);
  {
    const Store store(directory / "a", ours);
    const std::string why = thrown<InputError>([&] { const Store second(directory / "a", ours); });
    EXPECT_HAS(why, "another sweep is running");
  }
  const std::string changed = thrown<InputError>(
      [&] { const Store store(directory / "a", study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 8]\n")); });
  EXPECT_HAS(changed, "before it was changed");
  // Derived columns are no part of the points: they may change.
  { const Store store(directory / "a", study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n")); }
  const std::string no_sql = thrown<InputError>([&] {
    const Store store(directory / "a",
                      study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n[derived]\nx = \"nothing + 1\"\n"));
  });
  EXPECT_HAS(no_sql, "derived column");
  for (const char* const derived : {"x = \"nothing + 1\"", "bytes = \"1\"", "measured_us = \"1\""}) {
    const std::string why = thrown<InputError>([&] {
      const Store store(directory / "new",
                        study(std::string("[[axis]]\nkey = \"bytes\"\nvalues = [1]\n[derived]\n") + derived + "\n"));
    });
    EXPECT_HAS(why, "derived column");
    EXPECT_FALSE(std::filesystem::exists(directory / "new"));
  }
  ASSERT_EQ(std::system(("sqlite3 " + (directory / "a/results.sqlite") +
                         " \"UPDATE meta SET value = '1' WHERE key = 'schema'\"")
                            .c_str()),
            0);
  const std::string schema = thrown<InputError>([&] { const Store store(directory / "a", ours); });
  EXPECT_HAS(schema, "has schema 1, and this program has 2");
  EXPECT_HAS(schema, "read it with the version that wrote it");
  std::filesystem::create_directory(directory / "b");
  std::ofstream(directory / "b/results.sqlite") << "this is no database, but it is long enough to be taken for one";
  const std::string file = thrown<InputError>([&] { const Store store(directory / "b", ours); });
  EXPECT_HAS(file, "SQLite");
}

TEST(Store, OfShardsAreMergedWithoutLosingADoneOne) {
  const Directory directory;
  const Study ours = study(three);
  const std::vector<StudyPoint> all = points(ours);
  {
    Store first(directory / "shard-1-of-2", ours);
    first.add(all[0], done(10));
    first.add(all[2], {.outcome = "no room"});
    EXPECT_TRUE(first.commit());
    Store second(directory / "shard-2-of-2", ours);
    second.add(all[2], done(30));
    second.add(all[1], done(20));
    EXPECT_TRUE(second.commit());
  }
  EXPECT_EQ(shard_directories(directory / "").size(), 2U);
  for (int again = 0; again < 2; ++again) {
    const MergeOutcome outcome = merge_stores(directory / "", shard_directories(directory / ""));
    EXPECT_EQ(outcome.points, 3U);
    EXPECT_EQ(outcome.done, 3U);
    EXPECT_EQ(outcome.failed, 0U);
    EXPECT_EQ(outcome.disagreeing, 0U);
    EXPECT_EQ(results(directory / "", "measured_us"), (std::map<std::uint64_t, double>{{0, 10}, {1, 20}, {2, 30}}));
  }
  {
    Store other(directory / "shard-3-of-3", ours);
    other.add(all[1], done(21));
    EXPECT_TRUE(other.commit());
  }
  EXPECT_EQ(merge_stores(directory / "", {directory / "shard-3-of-3"}).disagreeing, 1U);
  EXPECT_EQ(results(directory / "", "measured_us")[1], 20);
  { const Store other(directory / "other", study("[[axis]]\nkey = \"bytes\"\nvalues = [1]\n")); }
  EXPECT_THROW((void)merge_stores(directory / "", {directory / "other"}), InputError);
  EXPECT_THROW((void)merge_stores(directory / "new", {directory / "other", directory / "shard-1-of-2"}), InputError);
  EXPECT_FALSE(std::filesystem::exists(directory / "new"));
}

/// Everything that can be read from a store.
std::string everything_in(const std::string& directory) {
  std::string all;
  StoreReader store(directory);
  for (const AxisScale& axis : store.axes()) all += axis.key + axis.unit;
  store.results([&](const auto& names) { all += nlohmann::ordered_json(names).dump(); },
                [&](const auto& row) { all += nlohmann::ordered_json(row).dump(); });
  store.points([&](const StoredPoint& point) { all += store.json(point).dump(); });
  for (const char* const key : {"schema", "study", "study_hash", "study_text", "points", "program_version"}) {
    all += store.meta(key);
  }
  return all;
}

/// A store of one row that is done and one that failed.
void make_store(const std::string& directory, const Study& ours) {
  const std::vector<StudyPoint> all = points(ours);
  Store store(directory, ours);
  store.add(all[0], done(10));
  store.add(all[2], {.outcome = "no room"});
  EXPECT_TRUE(store.commit());
}

TEST(Store, NamesThePointOfWhichABitHasChanged) {
  const Directory directory;
  const Study ours = study(three);
  make_store(directory / "a", ours);
  const std::string file = directory / "a/results.sqlite";
  const std::string whole = file_text(file);
  for (const std::string& text :
       {std::string(R"("cycles":400)"), std::string(R"({"bytes":4)"), std::string("no room"), std::string("--seed")}) {
    const std::size_t at = whole.find(text);
    ASSERT_NE(at, std::string::npos) << text;
    std::string changed = whole;
    changed[at + text.size() - 1] = static_cast<char>(changed[at + text.size() - 1] ^ 1);
    std::ofstream(file, std::ios::binary) << changed;
    const auto told = [](const auto& opened) {
      const std::string what = thrown<InputError>(opened);
      EXPECT_TRUE(std::regex_search(what, std::regex("is damaged: point [02],"))) << what;
    };
    told([&] { (void)everything_in(directory / "a"); });
    told([&] { const Store store(directory / "a", ours); });
    told([&] { (void)merge_stores(directory / "merged", {directory / "a"}); });
    EXPECT_FALSE(std::filesystem::exists(directory / "merged"));
  }
}

TEST(Store, FindsEveryBitThatMatters) {
  const Directory directory;
  const Study ours = study(three);
  make_store(directory / "a", ours);
  const std::string file = directory / "a/results.sqlite";
  const std::string whole = file_text(file);
  const std::string before = everything_in(directory / "a");
  constexpr unsigned seed = 1;
  std::mt19937 random(seed);
  const std::size_t flips = random_cases(800);
  std::size_t found = 0;
  for (std::size_t flip = 0; flip < flips; ++flip) {
    std::string changed = whole;
    // Half of the bits are drawn in bytes that are not 0: most of a small file is unused room.
    std::size_t bit = random() % (8 * whole.size());
    while (flip % 2 == 0 && changed[bit / 8] == 0) bit = random() % (8 * whole.size());
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    std::ofstream(file, std::ios::binary) << changed;
    try {
      EXPECT_EQ(everything_in(directory / "a"), before) << "bit " << bit << ", seed " << seed;
    } catch (const InputError&) {
      ++found;
    }
  }
  // The other bits are unused room, counters, and the text of the view, which is made anew.
  EXPECT_GT(found, 3 * flips / 16);
}

TEST(Shards, HaveEveryPointOnce) {
  for (std::uint64_t count = 1; count <= 9; ++count)
    for (std::uint64_t point = 0; point < 40; ++point) {
      unsigned have = 0;
      for (std::uint64_t i = 1; i <= count; ++i) {
        have += parse_shard(std::to_string(i) + "/" + std::to_string(count)).has(point) ? 1 : 0;
      }
      EXPECT_EQ(have, 1U);
    }
  for (const char* const text : {"", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1/100001", "1 /2"}) {
    EXPECT_THROW((void)parse_shard(text), InputError) << text;
  }
}

TEST(Shards, ComeFromTheBatchSystem) {
  std::map<std::string, std::string> variables;
  const auto shard = [&variables] {
    return shard_of_environment([&variables](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    });
  };
  EXPECT_FALSE(shard());
  variables = {{"SLURM_ARRAY_TASK_ID", "7"}, {"SLURM_ARRAY_TASK_MIN", "5"}, {"SLURM_ARRAY_TASK_COUNT", "4"}};
  ASSERT_TRUE(shard());
  EXPECT_EQ(shard()->index, 2U);
  EXPECT_EQ(shard()->count, 4U);
  variables = {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "3"}};
  ASSERT_TRUE(shard());
  EXPECT_EQ(shard()->index, 0U);
  EXPECT_EQ(shard()->count, 3U);
  variables = {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}};
  EXPECT_FALSE(shard());
  variables = {{"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_COUNT", "4"}};
  EXPECT_FALSE(shard());
}

TEST(Slurm, TasksAreSizedInMinutesAndWordsAreQuoted) {
  EXPECT_EQ(shards_for(3600, 10, 1, 1000), 6U);
  EXPECT_EQ(shards_for(3601, 10, 1, 1000), 7U);
  EXPECT_EQ(shards_for(3600, 10, 2, 1000), 3U);
  EXPECT_EQ(shards_for(1, 10, 1, 1000), 1U);
  EXPECT_EQ(shards_for(1e9, 10, 1, 50), 50U);
  EXPECT_EQ(shards_for(1e9, 10, 1, 1'000'000), 1000U);
  const ArrayJob job{.name = "mine",
                     .program = "/opt/it's/ecube",
                     .study = "/a b.toml",
                     .directory = "/out",
                     .shards = 6,
                     .cores = 2,
                     .minutes = 10,
                     .memory = Bytes{100} << 20,
                     .directives = {"--partition=short"}};
  const std::string script = array_script(job);
  EXPECT_EQ(script.find("#!/bin/bash\n"), 0U);
  for (const char* const line :
       {"#SBATCH --array=1-6\n", "#SBATCH --cpus-per-task=2\n", "#SBATCH --partition=short\n", "--mem=101M\n",
        "exec '/opt/it'\\''s/ecube' sweep '/a b.toml' -o /out -j 2 --quiet --shard \"$SLURM_ARRAY_TASK_ID\"/6\n"}) {
    EXPECT_HAS(script, line) << line;
  }
}

TEST(Slurm, TakesNoDirectivesFromTheNameOfAStudyOrADirectory) {
  ArrayJob job{.name = "x\" --mail-user=\"y $(z)\\", .program = "/ecube", .study = "/s.toml", .directory = "/out"};
  for (const std::string& script : {array_script(job), merge_script(job)}) {
    EXPECT_HAS(script, "#SBATCH --job-name=\"x__--mail-user__y___z__");
    EXPECT_LACKS(script, "y $(z)");
  }
  for (const char* const directory : {"/a\" --x", "/a%j", "/a\\b", "/a\nb"}) {
    job.directory = directory;
    EXPECT_THROW((void)array_script(job), InputError) << directory;
    EXPECT_THROW((void)merge_script(job), InputError) << directory;
  }
}

}  // namespace
}  // namespace ecube::store_test
