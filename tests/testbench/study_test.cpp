// SPDX-License-Identifier: Apache-2.0
// Studies: their files, their points, and where results are kept.
#include "testbench/sweep/study.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>
#include <map>
#include <set>

#include "models/partition.h"
#include "testbench/sweep/axis_scale.h"
#include "testbench/sweep/shard.h"
#include "testbench/sweep/slurm.h"
#include "testbench/sweep/store.h"
#include "tests/directory.h"

namespace ecube {
namespace {

Study study(const std::string& text) { return parse_study("run = \"exchange\"\n" + text, "my.toml"); }

std::vector<StudyPoint> points(const Study& study) {
  std::vector<StudyPoint> all;
  for_each_point(study, [&all](const StudyPoint& point) {
    all.push_back(point);
    return true;
  });
  return all;
}

std::vector<std::string> values(const Study& study, std::size_t key = 0) {
  std::vector<std::string> all;
  for (const StudyPoint& point : points(study)) all.push_back(point.axis[key].value);
  return all;
}

TEST(Study, CountsItsPointsLastAxisFastest) {
  const Study two = study("[[axis]]\nkey = \"dim\"\nvalues = [3, 5]\n[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n");
  EXPECT_EQ(count_points(two), 6U);
  EXPECT_EQ(values(two, 0), (std::vector<std::string>{"3", "3", "3", "5", "5", "5"}));
  EXPECT_EQ(values(two, 1), (std::vector<std::string>{"1", "2", "4", "1", "2", "4"}));
  EXPECT_EQ(largest_dim(two), 5U);
  EXPECT_EQ(points(two)[4].arguments,
            (std::vector<std::string>{"exchange", "--machine", "ideal", "--bytes", "2", "--dim", "5", "--seed", "1"}));
}

TEST(Study, HasRangesPairsAndRepetitions) {
  EXPECT_EQ(values(study("[[axis]]\nkey = \"bytes\"\nlinear = { from = 2, to = 11, step = 3 }\n")),
            (std::vector<std::string>{"2", "5", "8", "11"}));
  EXPECT_EQ(values(study("[[axis]]\nkey = \"bytes\"\nlog2 = { from = 3, to = 24 }\n")),
            (std::vector<std::string>{"3", "6", "12", "24"}));
  EXPECT_EQ(values(study("[[axis]]\nkey = \"router.route\"\nlog2 = { from = 0.5, to = 8, step = 4, unit = \"us\" }\n")),
            (std::vector<std::string>{"0.5 us", "2 us", "8 us"}));
  const Study pairs =
      study("seed = 7\nrepetitions = 2\n[[axis]]\nkeys = [\"dim\", \"bytes\"]\nvalues = [[3, 40], [4, 20], [5, 10]]\n");
  EXPECT_EQ(count_points(pairs), 6U);
  EXPECT_EQ(values(pairs, 0), (std::vector<std::string>{"3", "3", "4", "4", "5", "5"}));
  EXPECT_EQ(values(pairs, 1), (std::vector<std::string>{"40", "40", "20", "20", "10", "10"}));
  std::vector<std::uint64_t> seeds;
  for (const StudyPoint& point : points(pairs)) seeds.push_back(point.seed);
  EXPECT_EQ(seeds, (std::vector<std::uint64_t>{7, 8, 7, 8, 7, 8}));
}

TEST(Study, TakesAllPartitionsAndStrategiesOfEachDimension) {
  // Partitions of 3, 4 and 5: 3, 5 and 7.
  const Study partitions =
      study("[[axis]]\nkey = \"dim\"\nvalues = [3, 4, 5]\n[[axis]]\nkey = \"partition\"\nall = \"partitions\"\n");
  EXPECT_EQ(count_points(partitions), 15U);
  EXPECT_EQ(points(partitions).size(), 15U);
  const Study strategies = parse_study(
      "run = \"combine\"\n[workload]\ndim = 3\n[[axis]]\nkey = \"strategy\"\nall = \"strategies\"\n", "my.toml");
  EXPECT_EQ(values(strategies), (std::vector<std::string>{"000", "001", "010", "011", "100", "101", "110", "111"}));
}

TEST(Study, GivesEveryPointAnIdThatItsResultAndNothingElseDetermines) {
  const Study first = study("[workload]\norder = \"low\"\n[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n");
  std::set<std::string> ids;
  for (const StudyPoint& point : points(first)) ids.insert(point.id);
  EXPECT_EQ(ids.size(), 3U);
  // The same run is the same point, wherever it stands and however the study is called.
  const Study other =
      study("name = \"other\"\n[workload]\nbytes = 4\n[[axis]]\nkey = \"order\"\nvalues = [\"high\", \"low\"]\n");
  EXPECT_EQ(points(other)[1].id, points(first)[2].id);
  EXPECT_NE(points(other)[0].id, points(first)[2].id);
  const Study seeded = study("seed = 2\n[workload]\norder = \"low\"\n[[axis]]\nkey = \"bytes\"\nvalues = [1]\n");
  EXPECT_NE(points(seeded)[0].id, points(first)[0].id);
}

TEST(Study, KnowsAMachineByWhatIsInItsFile) {
  const Directory directory;
  const auto write = [&directory](const std::string& name, const std::string& text) {
    std::ofstream(directory / name) << text;
  };
  write("study.toml", "run = \"exchange\"\nmachine = \"mine.toml\"\n[[axis]]\nkey = \"bytes\"\nvalues = [1]\n");
  write("mine.toml", "router.route = \"3 cycles\"\n");
  const std::string before = points(read_study(directory / "study.toml"))[0].id;
  const std::string hash = study_hash(read_study(directory / "study.toml"));
  write("mine.toml", "router.route = \"4 cycles\"\n");
  EXPECT_NE(points(read_study(directory / "study.toml"))[0].id, before);
  EXPECT_NE(study_hash(read_study(directory / "study.toml")), hash);
}

struct BadStudy {
  const char* text;
  const char* says;
  friend std::ostream& operator<<(std::ostream& out, const BadStudy& bad) { return out << bad.text; }
};

class RefusedStudy : public ::testing::TestWithParam<BadStudy> {};

TEST_P(RefusedStudy, SaysWhereAndWhatToDo) {
  try {
    (void)parse_study(GetParam().text, "my.toml");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().says), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("my.toml"), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    BadInputs, RefusedStudy,
    ::testing::Values(
        BadStudy{"", "what to run"}, BadStudy{"run = \"exchang\"", "'exchange'"},
        BadStudy{"run = \"exchange\"\nmachin = \"ideal\"", "'machine'"},
        BadStudy{"run = \"exchange\"\nmachine = \"idael\"", "ideal"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"byts\"\nvalues = [1]", "'bytes'"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"router.rout\"\nvalues = [\"1 us\"]", "'router.route'"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"items\"\nvalues = [1]", "neither an option"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nvalues = []", "at least one value"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nlinear = { from = 5, to = 4 }", "empty"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nlog2 = { from = 0, to = 4 }", "from"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nlog2 = { from = 1, to = 4, step = 1 }", "more than 1"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nlinear = { from = 1, to = 4, step = -1 }", "above 0"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nlinear = { from = 1, to = 2e9 }", "at most"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nlinear = { from = 1, till = 4 }", "till"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nvalues = [1]\nlog2 = { from = 1, to = 2 }", "one way"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nall = \"partitions\"", "key = \"partition\""},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkeys = [\"dim\", \"bytes\"]\nvalues = [[3]]", "each of the 2"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"dim\"\nvalues = [21]", "1 .. 20"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"dim\"\nvalues = [\"6\"]", "1 .. 20"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"partition\"\nall = \"partitions\"\n[[axis]]\nkey = "
                 "\"dim\"\nvalues = [3]",
                 "before"},
        BadStudy{"run = \"exchange\"\n[workload]\nbytes = 3\n[[axis]]\nkey = \"bytes\"\nvalues = [1]", "already"},
        BadStudy{"run = \"exchange\"\n[workload]\nseed = 3\n", "'seed'"},
        BadStudy{"run = \"exchange\"\nrepetitions = 0", "repetitions"},
        BadStudy{"run = \"exchange\"\ntime_limit_s = -1", "time_limit_s"},
        BadStudy{"run = \"exchange\"\n[derived]\n\"a b\" = \"1\"", "name of a column"},
        BadStudy{"run = \"exchange\"\nname = \"../mine\"", "no name of a study"},
        BadStudy{"run = \"exchange\"\nname = \"a\\nb\"", "no name of a study"},
        BadStudy{"run = \"exchange\"\nrun = \"exchange\"", "my.toml:2"},
        BadStudy{"run = \"exchange\"\nrepetitions = 1000000\n[[axis]]\nkey = \"bytes\"\nlinear = { from = 1, to = 11 }",
                 "10000000 points"}));

TEST(Study, TakesAnyBytesWithoutHarm) {
  const std::string good =
      "run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nlog2 = { from = 1, to = 64 }\n[derived]\nx = \"1\"\n";
  EXPECT_TRUE(rc::check([&good](const std::string& bytes, std::uint8_t at, std::uint8_t taken) {
    std::string text = good;
    text.replace(at % good.size(), taken % 8, bytes);
    try {
      (void)parse_study(text, "my.toml");
    } catch (const InputError&) {  // and nothing else
    }
  }));
}

// --- Columns -------------------------------------------------------------------------------------------------------

TEST(AxisScale, IsOneUnitOrText) {
  const Study all = study(
      "[[axis]]\nkey = \"bytes\"\nvalues = [1, 2]\n[[axis]]\nkey = \"router.route\"\nvalues = [\"500 ns\", \"0.002 "
      "ms\"]\n[[axis]]\nkey = \"library.send\"\nvalues = [\"4 cycles\", \"1 us\"]\n[[axis]]\nkey = "
      "\"link.bandwidth\"\nvalues = [\"700 KB/s\", \"2.8 MB/s\"]\n[[axis]]\nkey = \"router.buffer\"\nvalues = [\"2 "
      "KB\"]\n[[axis]]\nkey = \"partition\"\nvalues = [\"4\", \"2,2\"]\n[[axis]]\nkey = \"order\"\nvalues = "
      "[\"11\"]\n");
  const std::vector<AxisScale> scales = axis_scales(all);
  std::map<std::string, std::string> units;
  for (const AxisScale& scale : scales) units[scale.key] = scale.numeric ? "[" + scale.unit + "]" : "text";
  EXPECT_EQ(units["bytes"], "[]");
  EXPECT_EQ(units["router.route"], "[us]");
  EXPECT_EQ(units["library.send"], "text");
  EXPECT_EQ(units["link.bandwidth"], "[MB/s]");
  EXPECT_EQ(units["router.buffer"], "[B]");
  EXPECT_EQ(units["partition"], "text");
  EXPECT_EQ(units["order"], "text");
  EXPECT_DOUBLE_EQ(scaled("500 ns")->number, 0.5);
  EXPECT_DOUBLE_EQ(scaled("0.002 ms")->number, 2);
  EXPECT_DOUBLE_EQ(scaled("700 KB/s")->number, 0.7);
  EXPECT_DOUBLE_EQ(scaled("2 KB")->number, 2048);
  for (const char* const text : {"", "us", "1 parsec", "1,5", "-3 us", "1 us us"}) EXPECT_FALSE(scaled(text)) << text;
}

// --- Stores --------------------------------------------------------------------------------------------------------

const char* const three = "[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n[derived]\ntwice = \"2 * measured_us\"\n";

PointResult done(double us) {
  return {.done = true,
          .wall_s = 0.5,
          .result = nlohmann::ordered_json({{"measured", {{"cycles", us * 40}, {"us", us}}}}).dump()};
}

std::map<std::uint64_t, double> results(const std::string& directory, const std::string& column) {
  std::map<std::uint64_t, double> found;
  std::size_t place = 0;
  StoreReader(directory).results(
      [&](const std::vector<std::string>& names) {
        place = static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin());
        ASSERT_LT(place, names.size()) << column;
      },
      [&](const std::vector<nlohmann::ordered_json>& row) { found[row[0]] = row[place]; });
  return found;
}

TEST(Store, KeepsResultsAndFailures) {
  const Directory directory;
  const Study ours = study(three);
  const std::vector<StudyPoint> all = points(ours);
  {
    Store store(directory / "a", ours);
    store.add(all[0], done(10));
    store.add(all[2], {.error = "no room"});
    store.commit();
    EXPECT_EQ(store.done(), 1U);
    EXPECT_EQ(store.failed(), 1U);
  }
  Store store(directory / "a", ours);
  std::vector<bool> ended(3, false);
  store.ended(ended, false);
  EXPECT_EQ(ended, (std::vector<bool>{true, false, true}));
  ended.assign(3, false);
  store.ended(ended, true);
  EXPECT_EQ(ended, (std::vector<bool>{true, false, false}));
  store.add(all[2], done(30));
  store.commit();
  EXPECT_EQ(results(directory / "a", "twice"), (std::map<std::uint64_t, double>{{0, 20}, {2, 60}}));
  EXPECT_EQ(results(directory / "a", "bytes"), (std::map<std::uint64_t, double>{{0, 1}, {2, 4}}));
}

TEST(Store, IsOfOneStudyOneSchemaAndOneProcess) {
  const Directory directory;
  const Study ours = study(three);
  const auto refused = [](const auto& opened) -> std::string {
    try {
      opened();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  {
    const Store store(directory / "a", ours);
    const std::string why = refused([&] { const Store second(directory / "a", ours); });
    EXPECT_NE(why.find("another sweep is running"), std::string::npos) << why;
  }
  const std::string changed =
      refused([&] { const Store store(directory / "a", study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 8]\n")); });
  EXPECT_NE(changed.find("before it was changed"), std::string::npos) << changed;
  // Derived columns are no part of the points: they may change.
  { const Store store(directory / "a", study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n")); }
  const std::string no_sql = refused([&] {
    const Store store(directory / "a",
                      study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n[derived]\nx = \"nothing + 1\"\n"));
  });
  EXPECT_NE(no_sql.find("derived column"), std::string::npos) << no_sql;
  for (const char* const derived : {"x = \"nothing + 1\"", "bytes = \"1\"", "measured_us = \"1\""}) {
    const std::string why = refused([&] {
      const Store store(directory / "new",
                        study(std::string("[[axis]]\nkey = \"bytes\"\nvalues = [1]\n[derived]\n") + derived + "\n"));
    });
    EXPECT_NE(why.find("derived column"), std::string::npos) << why;
    EXPECT_FALSE(std::filesystem::exists(directory / "new"));
  }
  ASSERT_EQ(std::system(("sqlite3 " + (directory / "a/results.sqlite") +
                         " \"UPDATE meta SET value = '2' WHERE key = 'schema'\"")
                            .c_str()),
            0);
  const std::string schema = refused([&] { const Store store(directory / "a", ours); });
  EXPECT_NE(schema.find("schema 2"), std::string::npos) << schema;
  std::filesystem::create_directory(directory / "b");
  std::ofstream(directory / "b/results.sqlite") << "this is no database, but it is long enough to be taken for one";
  const std::string file = refused([&] { const Store store(directory / "b", ours); });
  EXPECT_NE(file.find("SQLite"), std::string::npos) << file;
}

TEST(Store, OfShardsAreMergedWithoutLosingADoneOne) {
  const Directory directory;
  const Study ours = study(three);
  const std::vector<StudyPoint> all = points(ours);
  {
    Store first(directory / "shard-1-of-2", ours);
    first.add(all[0], done(10));
    first.add(all[2], {.error = "no room"});
    first.commit();
    Store second(directory / "shard-2-of-2", ours);
    second.add(all[2], done(30));
    second.add(all[1], done(20));
    second.commit();
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
    other.commit();
  }
  EXPECT_EQ(merge_stores(directory / "", {directory / "shard-3-of-3"}).disagreeing, 1U);
  EXPECT_EQ(results(directory / "", "measured_us")[1], 20);
  { const Store other(directory / "other", study("[[axis]]\nkey = \"bytes\"\nvalues = [1]\n")); }
  EXPECT_THROW((void)merge_stores(directory / "", {directory / "other"}), InputError);
  EXPECT_THROW((void)merge_stores(directory / "new", {directory / "other", directory / "shard-1-of-2"}), InputError);
  EXPECT_FALSE(std::filesystem::exists(directory / "new"));
}

// --- Shards --------------------------------------------------------------------------------------------------------

TEST(Shards, HaveEveryPointOnce) {
  for (std::uint64_t count = 1; count <= 9; ++count) {
    for (std::uint64_t point = 0; point < 40; ++point) {
      unsigned have = 0;
      for (std::uint64_t i = 1; i <= count; ++i) {
        have += parse_shard(std::to_string(i) + "/" + std::to_string(count)).has(point) ? 1 : 0;
      }
      EXPECT_EQ(have, 1U);
    }
  }
  for (const char* const text : {"", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1/100001", "1 /2"}) {
    EXPECT_THROW((void)parse_shard(text), InputError) << text;
  }
}

TEST(Shards, ComeFromTheBatchSystem) {
  std::map<std::string, std::string> variables;
  const auto shard = [&variables] {
    return shard_of_environment([&variables](const char* name) -> const char* {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
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
    EXPECT_NE(script.find(line), std::string::npos) << line << script;
  }
}

}  // namespace
}  // namespace ecube
