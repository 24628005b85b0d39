// SPDX-License-Identifier: Apache-2.0
// Studies: their files, their points, and their stores.
#include "testbench/sweep/study.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>
#include <map>
#include <random>
#include <set>

#include "models/exchange/partition.h"
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
  // The same run is the same point, whatever its place and the name of the study.
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
        BadStudy{"run = \"exchange\"\ntime_limit_s = inf", "at most 1000000000"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nvalues = [1, inf]",
                 "a finite number\n  --> my.toml:4"},
        BadStudy{"run = \"exchange\"\n[workload]\nbytes = nan", "a finite number"},
        BadStudy{"run = \"exchange\"\n[workload]\norder = \"\"", "a value is empty"},
        BadStudy{"run = \"exchange\"\n[derived]\n\"a b\" = \"1\"", "name of a column"},
        BadStudy{"run = \"exchange\"\nname = \"../mine\"", "no name of a study"},
        BadStudy{"run = \"exchange\"\nname = \"a\\nb\"", "control character"},
        BadStudy{"run = \"exchange\"\ndescription = \"\\u001b[2J\"", "control character"},
        BadStudy{"run = \"exchange\"\ndescription = \"\\u009b2J\"", "control character"},
        BadStudy{"run = \"exchange\"\n[workload]\nbytes = \"--output=x\"", "does not begin with '-'"},
        BadStudy{"run = \"exchange\"\n[workload]\norder = \"low\\nseed=2\"", "control character"},
        BadStudy{"run = \"exchange\"\n[derived]\nx = 3", "an expression is a text"},
        // One point would have the id of another.
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nvalues = [8, 8]", "8 and 8 are the same place"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nvalues = [\n4,\n16,\n\"16\"]",
                 "16 and \"16\" are the same place on the axis of bytes\n  --> my.toml:7:1"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nvalues = [2, 2.0]", "2 and 2 are the same place"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkeys = [\"dim\", \"bytes\"]\nvalues = [[3, 4], [4, 4], [3, \"4\"]]",
                 "[3, 4] and [3, \"4\"] are the same place on the axis of dim, bytes"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nlinear = { from = 1, to = 2, step = 1e-17 }",
                 "both '1'"},
        BadStudy{"run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nlinear = { from = 1e14, to = 1e14, step = 1e-9 }",
                 "both '100000000000000'"},
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

TEST(Study, ThatNestsTooDeepIsRefused) {
  for (const std::size_t words : {std::size_t{40}, std::size_t{400'000}}) {
    std::string key = "a";
    for (std::size_t i = 1; i < words; ++i) key += ".a";
    for (const std::string& text : {key + " = 1\n", "[" + key + "]\nx = 1\n", "x = { " + key + " = 1 }\n"}) {
      EXPECT_THROW((void)parse_study("run = \"exchange\"\n" + text, "my.toml"), InputError) << words;
    }
  }
  std::string values = "0.5";
  for (int i = 1; i < 60; ++i) values += ", " + std::to_string(i) + ".25";
  EXPECT_EQ(count_points(study("[[axis]]\nkey = \"router.route\"\nvalues = [" + values + "]\n")), 60U);
}

/// A study of few values on few axes, of which some are written twice or in another way.
struct SmallStudy {
  std::string text;
  bool twice = false;  ///< an axis has one place twice
};

/// A value as TOML has it, and as the command line has it.
std::pair<std::string, std::string> small_value(const std::string& key) {
  const std::string number = std::to_string(*rc::gen::inRange(1, 6));
  const int way = key == "dim" ? 0 : *rc::gen::inRange(0, 4);
  if (way == 1) return {"\"" + number + "\"", number};
  if (way == 2) return {number + ".0", number};
  if (way == 3) return {"\"" + number + " us\"", number + " us"};
  return {number, number};
}

SmallStudy small_study() {
  SmallStudy made;
  made.text = "run = \"exchange\"\nseed = " + std::to_string(*rc::gen::inRange(0, 3)) +
              "\nrepetitions = " + std::to_string(*rc::gen::inRange(1, 4)) + "\n";
  const int fixed = *rc::gen::inRange(0, 3);
  if (fixed == 1) made.text += "[workload]\norder = \"low\"\n";
  if (fixed == 2) made.text += "[set]\nlink.phit = \"4 B\"\n";
  std::vector<std::string> keys{"bytes", "dim", "router.route", "partition", "library.send"};
  const auto take = [&keys] {
    const auto at = *rc::gen::inRange<std::size_t>(0, keys.size());
    std::string key = keys[at];
    keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(at));
    return key;
  };
  for (unsigned axes = *rc::gen::inRange(1U, 4U); axes > 0; --axes) {
    std::vector<std::string> own{take()};
    const bool paired = keys.size() > axes && *rc::gen::arbitrary<bool>();
    if (paired) own.push_back(take());
    std::string values;
    std::set<std::vector<std::string>> places;
    for (int left = *rc::gen::inRange(1, 6); left > 0; --left) {
      std::vector<std::string> place;
      std::string written;
      for (const std::string& key : own) {
        const auto [in_toml, as_typed] = small_value(key);
        written += (written.empty() ? "" : ", ") + in_toml;
        place.push_back(as_typed);
      }
      values += (values.empty() ? "" : ", ") + (paired ? "[" + written + "]" : written);
      if (!places.insert(place).second) made.twice = true;
    }
    made.text += "[[axis]]\n";
    made.text += paired ? "keys = [\"" + own[0] + "\", \"" + own[1] + "\"]\n" : "key = \"" + own[0] + "\"\n";
    made.text += "values = [" + values + "]\n";
  }
  return made;
}

std::size_t different_ids(const Study& study) {
  std::set<std::string> ids;
  for (const StudyPoint& point : points(study)) ids.insert(point.id);
  return ids.size();
}

TEST(Study, GivesNoTwoOfItsPointsOneId) {
  // A study is refused if, and only if, an axis has a place twice; rapidcheck prints the seed of a failure.
  EXPECT_TRUE(rc::check([] {
    const SmallStudy made = small_study();
    bool refused = false;
    try {
      const Study own = parse_study(made.text, "my.toml");
      RC_ASSERT(different_ids(own) == count_points(own));
    } catch (const InputError& error) {
      RC_ASSERT(std::string(error.what()).find("are the same place") != std::string::npos);
      refused = true;
    }
    RC_ASSERT(refused == made.twice);
  }));
  EXPECT_TRUE(rc::check([](std::uint8_t from, std::uint8_t more, std::uint8_t thousandths) {
    const std::string items = "{ from = " + std::to_string(from) + ", to = " + std::to_string(from + more % 5) +
                              ", step = " + std::to_string(0.01 * (1 + thousandths)) + " }";
    const Study own = parse_study(
        "run = \"combine\"\n[[axis]]\nkey = \"dim\"\nlinear = { from = 1, to = 3 }\n[[axis]]\nkey = \"strategy\"\nall "
        "= "
        "\"strategies\"\n[[axis]]\nkey = \"items\"\nlinear = " +
            items,
        "my.toml");
    RC_ASSERT(different_ids(own) == count_points(own));
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

// --- Derived columns -----------------------------------------------------------------------------------------------

std::map<std::uint64_t, double> results(const std::string& directory, const std::string& column);

const std::vector<std::string>& hostile_expressions() {
  static const std::vector<std::string> all{
      // Ends of the expression, followed by further text.
      "1) AS x FROM points; ATTACH 'evil' AS p; CREATE TABLE p.t(a); --", "1) AS x FROM (SELECT 1",
      "1) FROM points UNION SELECT (1", "1; DROP TABLE points", "1 -- x", "1 /* x */", "1 /* x", "1)", "(1", ")1(",
      "'open", "\"open", "[open", "`open", "'a' || 'it''s", std::string("1\0; DROP TABLE points", 21), "1;", "1, 2",
      // Queries, aggregates and windows.
      "(SELECT 1)", "(VALUES (1))", "EXISTS (SELECT 1)",
      "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)",
      "bytes IN (SELECT number FROM points)", "bytes IN points", "bytes IN [meta]", "bytes IN bytes",
      "bytes IN json_each('[1]')", "count(*) OVER ()", "row_number() OVER (ORDER BY bytes)",
      "sum(bytes) FILTER (WHERE bytes > 1)", "sum(bytes)", "count(*)", "max(bytes)", "min((bytes))", "group_concat(id)",
      // Parameters.
      "?1", "?", ":name", "@name", "$name",
      // Functions that read, write, or take much memory.
      "load_extension('x')", "\"load_extension\"('x')", "[readfile]('/etc/passwd')", "readfile('/etc/passwd')",
      "writefile('evil', 'x')", "edit('x')", "fts3_tokenizer('x')", "zeroblob(1000000000)", "randomblob(9)",
      "hex(zeroblob(1000000000))", "printf('%.*c', 1000000000, 'x')", "format('%1000000000d', 1)",
      "replace('aaaa', 'a', 'aaaaaaaa')", "json_extract(result, '$')", "bytes -> '$'",
      // Names that are no columns of results.
      "result", "arguments", "rowid", "points.result", "main.points.result", "\"no such column\"", "abs",
      // Words and signs of SQL that derived columns may not have.
      "x'41'", "bytes LIKE '%%%%%%'", "bytes COLLATE nocase", "RAISE(ABORT, 'x')", "CURRENT_TIMESTAMP", "PRAGMA x",
      // No grammar.
      "", " ", "bytes bytes", "abs()", "CASE", "CAST(bytes AS bytes", "1 +", "1abc", "pow(2)",
      // Too much.
      std::string(60, '(') + "1" + std::string(60, ')'), std::string(3000, '1'), "1" + std::string(900, '+') + "1"};
  return all;
}

TEST(Derived, IsOneHarmlessExpressionOrRefused) {
  Study ours = study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n[derived]\nx = \"1\"\n");
  for (const std::string& expression : hostile_expressions()) {
    ours.derived[0].expression = expression;
    try {
      check_columns(ours);
      ADD_FAILURE() << "accepted: " << expression;
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find("the derived column 'x' "), 0U) << what;
      EXPECT_NE(what.find("--> my.toml:6:5"), std::string::npos) << what;
    }
  }
}

TEST(Derived, SaysWhatWasMeant) {
  const auto why = [](const std::string& expression) -> std::string {
    Study ours = study(
        "[[axis]]\nkey = \"router.route\"\nvalues = [1]\n[[axis]]\nkey = \"order\"\nvalues = [\"low\"]\n[derived]\nx = "
        "\"1\"\n");
    ours.derived[0].expression = expression;
    try {
      check_columns(ours);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(why("2 * measured_ms").find("did you mean 'measured_us'?"), std::string::npos) << why("2 * measured_ms");
  EXPECT_NE(why("sqr(2)").find("did you mean 'sqrt'?"), std::string::npos) << why("sqr(2)");
  EXPECT_NE(why("router.route").find("[router.route]"), std::string::npos) << why("router.route");
  EXPECT_NE(why("order").find("write [order]"), std::string::npos) << why("order");
  EXPECT_NE(why("1 +").find("syntax error"), std::string::npos) << why("1 +");
  EXPECT_NE(why("pow(2)").find("wrong number of arguments"), std::string::npos) << why("pow(2)");
  EXPECT_NE(why("--1").find("two minus signs"), std::string::npos) << why("--1");
  EXPECT_EQ(why("[order] || \"router.route\" || `id`"), "accepted");
}

TEST(Derived, HasColumnsNumbersTextsOperatorsAndFunctions) {
  const Directory directory;
  // Worked out by hand for bytes = 4, seed = 1, 400 cycles in 10 us.
  const std::vector<std::pair<std::string, double>> all{
      {"2 * measured_us", 20},
      {"measured_us / bytes", 2.5},
      {"Measured_US + [bytes] - \"bytes\" * `seed`", 10},
      {"CASE WHEN bytes >= 4 AND NOT bytes = 5 THEN 1.5e+1 ELSE 0x10 END", 15},
      {"CASE (bytes) WHEN 4 THEN (7) END", 7},
      {"max(bytes, 9) + min(bytes, (3), 5)", 12},
      {"round(sqrt(bytes) + log2(8) + pow(2, 3), 1)", 13},
      {"coalesce(error_percent, predicted_us, -1)", -1},
      {"- (-bytes)", 4},
      {"length('it''s -- no /* comment; (here' || substr(id, 1, 2))", 30},
      {"instr('a;b', ';')", 2},
      {"bytes IN (1, 4) AND bytes BETWEEN (1) AND 5", 1},
      {"iif(error_percent IS NULL, CAST('12' AS INTEGER), 0)", 12},
      {"(bytes << 2) | 1", 17},
      {"\n measured_us\n  * 3 ", 30},
      {"verified IS NOT NULL", 0},
      {"pi() > 3", 1}};
  std::string text = "run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nvalues = [4]\n[derived]\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += "x" + std::to_string(i) + " = \"\"\"" + all[i].first + " \"\"\"\n";
  }
  const Study ours = parse_study(text, "my.toml");
  {
    Store store(directory / "a", ours);
    store.add(points(ours)[0], {.done = true, .wall_s = 0.5, .result = R"({"measured": {"cycles": 400, "us": 10.0}})"});
    store.commit();
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ((results(directory / "a", "x" + std::to_string(i))),
              (std::map<std::uint64_t, double>{{0, all[i].second}}))
        << all[i].first;
  }
}

TEST(Derived, TakesAnyTextWithoutHarm) {
  Study ours = study("[[axis]]\nkey = \"bytes\"\nvalues = [1]\n[derived]\nx = \"1\"\n");
  const std::vector<std::string> words{"(",  ")",  "'",     "\"",  "[",      "]",    "`",      "--",   "/*",  "*/",
                                       ";",  ",",  "bytes", "1",   "SELECT", "FROM", "points", "abs",  "max", "IN",
                                       "AS", "||", "-",     " ",   "\n",     "OVER", "x",      "CASE", "END", "?1",
                                       ".",  "e",  "NULL",  "NOT", "VALUES", "meta", "0x",     "+",    " "};
  const auto accepts = [&](const std::string& text) {
    ours.derived[0].expression = text;
    try {
      check_columns(ours);
    } catch (const InputError&) {
      return false;
    }
    // An accepted expression is one value, in whatever context.
    ours.derived[0].expression = "coalesce((" + text + "), 1)";
    check_columns(ours);
    return true;
  };
  EXPECT_TRUE(rc::check([&] {
    std::string text;
    for (unsigned left = *rc::gen::inRange(0U, 9U); left > 0; --left) text += *rc::gen::elementOf(words);
    accepts(text);
  }));
  for (const char* const text : {"1", "bytes", "abs(bytes)", "-bytes + 1", "CASE bytes WHEN 1 THEN 2 END"})
    EXPECT_TRUE(accepts(text)) << text;
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

TEST(Store, KeepsThePointsOfAStudyThatHasGrown) {
  const Directory directory;
  const std::vector<StudyPoint> before = points(study(three));  // bytes 1, 2, 4
  {
    Store store(directory / "a", study(three));
    store.add(before[0], done(10));
    store.add(before[2], done(30));
    store.commit();
  }
  // In the middle of the axis and at its end: every earlier point gets another number.
  const Study grown = study("[[axis]]\nkey = \"bytes\"\nvalues = [8, 1, 3, 2, 4]\n");
  {
    Store store(directory / "a", grown);
    std::vector<bool> ended(5, false);
    store.ended(ended, false);
    EXPECT_EQ(ended, (std::vector<bool>{false, true, false, false, true}));
    store.add(points(grown)[0], done(80));
    store.commit();
  }
  EXPECT_EQ(results(directory / "a", "bytes"), (std::map<std::uint64_t, double>{{0, 8}, {1, 1}, {4, 4}}));
  EXPECT_EQ(results(directory / "a", "measured_us"), (std::map<std::uint64_t, double>{{0, 80}, {1, 10}, {4, 30}}));
  // A study without one of the points that ran is another study.
  EXPECT_THROW(Store(directory / "a", study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n")), InputError);
  EXPECT_EQ(results(directory / "a", "bytes").size(), 3U);
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
                         " \"UPDATE meta SET value = '1' WHERE key = 'schema'\"")
                            .c_str()),
            0);
  const std::string schema = refused([&] { const Store store(directory / "a", ours); });
  EXPECT_NE(schema.find("has schema 1, and this program has 2"), std::string::npos) << schema;
  EXPECT_NE(schema.find("read it with the version that wrote it"), std::string::npos) << schema;
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

/// Everything that can be read from a store.
std::string everything_in(const std::string& directory) {
  std::string all;
  StoreReader store(directory);
  for (const AxisScale& axis : store.axes()) all += axis.key + axis.unit;
  store.results([&](const auto& names) { all += nlohmann::ordered_json(names).dump(); },
                [&](const auto& row) { all += nlohmann::ordered_json(row).dump(); });
  store.points([&](const nlohmann::ordered_json& point) { all += point.dump(); });
  for (const char* const key : {"schema", "study", "study_hash", "study_text", "points", "program_version"}) {
    all += store.meta(key);
  }
  return all;
}

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A store of one row that is done and one that failed.
void make_store(const std::string& directory, const Study& ours) {
  const std::vector<StudyPoint> all = points(ours);
  Store store(directory, ours);
  store.add(all[0], done(10));
  store.add(all[2], {.error = "no room"});
  store.commit();
}

TEST(Store, NamesThePointOfWhichABitHasChanged) {
  const Directory directory;
  const Study ours = study(three);
  make_store(directory / "a", ours);
  const std::string file = directory / "a/results.sqlite";
  const std::string whole = bytes_of(file);
  for (const std::string& text :
       {std::string(R"("cycles":400)"), std::string(R"({"bytes":4)"), std::string("no room"), std::string("--seed")}) {
    const std::size_t at = whole.find(text);
    ASSERT_NE(at, std::string::npos) << text;
    std::string changed = whole;
    changed[at + text.size() - 1] = static_cast<char>(changed[at + text.size() - 1] ^ 1);
    std::ofstream(file, std::ios::binary) << changed;
    const auto told = [&text](const auto& opened) {
      try {
        opened();
        ADD_FAILURE() << "accepted: " << text;
      } catch (const InputError& error) {
        const std::string what = error.what();
        const bool names = what.find("is damaged: point 0,") != std::string::npos ||
                           what.find("is damaged: point 2,") != std::string::npos;
        EXPECT_TRUE(names) << what;
      }
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
  const std::string whole = bytes_of(file);
  const std::string before = everything_in(directory / "a");
  constexpr unsigned seed = 1;
  std::mt19937 random(seed);
  unsigned found = 0;
  for (int flips = 0; flips < 800; ++flips) {
    std::string changed = whole;
    // Half of the bits are drawn in bytes that are not 0: most of a small file is unused room.
    std::size_t bit = random() % (8 * whole.size());
    while (flips % 2 == 0 && changed[bit / 8] == 0) bit = random() % (8 * whole.size());
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    std::ofstream(file, std::ios::binary) << changed;
    try {
      EXPECT_EQ(everything_in(directory / "a"), before) << "bit " << bit << ", seed " << seed;
    } catch (const InputError&) {
      ++found;
    }
  }
  // The other bits are unused room, counters, and the text of the view, which is made anew.
  EXPECT_GT(found, 150U);
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

TEST(Slurm, TakesNoDirectivesFromTheNameOfAStudyOrADirectory) {
  ArrayJob job{.name = "x\" --mail-user=\"y $(z)\\", .program = "/ecube", .study = "/s.toml", .directory = "/out"};
  for (const std::string& script : {array_script(job), merge_script(job)}) {
    EXPECT_NE(script.find("#SBATCH --job-name=\"x__--mail-user__y___z__"), std::string::npos) << script;
    EXPECT_EQ(script.find("y $(z)"), std::string::npos) << script;
  }
  for (const char* const directory : {"/a\" --x", "/a%j", "/a\\b", "/a\nb"}) {
    job.directory = directory;
    EXPECT_THROW((void)array_script(job), InputError) << directory;
    EXPECT_THROW((void)merge_script(job), InputError) << directory;
  }
}

}  // namespace
}  // namespace ecube
