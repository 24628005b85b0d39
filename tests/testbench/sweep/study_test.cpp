// SPDX-License-Identifier: Apache-2.0
// Studies: their files, their points, and the units of their axes.
#include <rapidcheck.h>

#include "models/exchange/partition.h"
#include "tests/test.h"
#include "tests/testbench/sweep/studies.h"

namespace ecube::study_test {
namespace {

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

TEST(Study, HasOnePointForAllSpellingsOfAValue) {
  const auto id = [](const std::string& text) { return points(study(text))[0].id; };
  EXPECT_EQ(id("[workload]\nbytes = \"1KB\"\n"), id("[workload]\nbytes = 1024\n"));
  EXPECT_NE(id("[workload]\nbytes = \"1KB\"\n"), id("[workload]\nbytes = 1000\n"));
  // At 40 MHz.
  const std::string route = id("[set]\n\"router.route\" = \"1 us\"\n");
  EXPECT_EQ(id("[set]\n\"router.route\" = \"1000 ns\"\n"), route);
  EXPECT_EQ(id("[set]\n\"router.route\" = \"40 cycles\"\n"), route);
  EXPECT_NE(id("[set]\n\"router.route\" = \"41 cycles\"\n"), route);
  // At a clock of the study's own, a time is not so many cycles.
  for (const std::string clock :
       {"[set]\nclock = \"20 MHz\"\n", "[[axis]]\nkey = \"clock\"\nvalues = [\"20 MHz\"]\n"}) {
    const auto at_route = [&](const std::string& value) {
      std::string text = clock;
      text += "[[axis]]\nkey = \"router.route\"\nvalues = [\"";
      text += value;
      text += "\"]\n";
      return id(text);
    };
    EXPECT_NE(at_route("1 us"), at_route("40 cycles")) << clock;
  }
}

TEST(Study, KnowsFilesOfMessagesAndSizesByWhatIsInThem) {
  for (const auto& [workload, first, second] :
       {std::array{"run = \"traffic\"\n[workload]\npattern = \"m.txt\"\n", "0 1 8 0\n", "0 1 9 0\n"},
        std::array{"run = \"traffic\"\n[workload]\npattern = \"m.txt\"\n", "0 1 8 0 as a\n0 2 8 9 after a\n",
                   "0 1 8 0 as a\n0 2 8 7 after a\n"},
        std::array{"run = \"exchange\"\n[[axis]]\nkey = \"sizes\"\nvalues = [\"m.txt\"]\n", "0 1 8\n", "0 1 9\n"},
        std::array{"run = \"goal\"\n[[axis]]\nkey = \"file\"\nvalues = [\"m.txt\"]\n",
                   "num_ranks 1\nrank 0 {\ncalc 8\n}\n", "num_ranks 1\nrank 0 {\ncalc 9\n}\n"}}) {
    SCOPED_TRACE(workload);
    const Directory directory;
    std::ofstream(directory / "s.toml") << workload;
    const auto id = [&](const char* text) {
      std::ofstream(directory / "m.txt") << text;
      return points(read_study(directory / "s.toml")).at(0).id;
    };
    const std::string before = id(first);
    EXPECT_NE(id(second), before);
    EXPECT_EQ(id(first), before);
    std::ofstream(directory / "n.txt") << first;
    const std::string other = std::string(workload).replace(std::string(workload).find("m.txt"), 1, "n");
    EXPECT_NE(points(parse_study(other, directory / "s.toml")).at(0).id, before) << "another file is another place";
  }
}

TEST(Study, HasRoutersWithTheSameContentsAtTwoPlacesOfAnAxis) {
  const Directory directory;
  for (const char* const name : {"a.sv", "b.sv"}) std::ofstream(directory / name) << "module ecube_router; endmodule\n";
  const std::vector<StudyPoint> both =
      points(parse_study("run = \"exchange\"\n[[axis]]\nkey = \"router\"\nvalues = [\"a.sv\", \"b.sv\"]\n",
                         directory / "s.toml", CodeInStudies::allowed));
  EXPECT_NE(both.at(0).id, both.at(1).id);
}

TEST(Study, IsTheSameInAnotherDirectoryWithTheSameFiles) {
  const Directory here;
  const Directory there;
  for (const char* const text : {"run = \"exchange\"\n[workload]\nrouter = \"a.sv\"\nsizes = \"m.txt\"\n",
                                 "run = \"exchange\"\n[[axis]]\nkey = \"router\"\nvalues = [\"a.sv\", \"b.sv\"]\n",
                                 "run = \"exchange\"\n[[axis]]\nkey = \"sizes\"\nvalues = [\"m.txt\"]\n",
                                 "run = \"goal\"\n[workload]\nfile = \"m.txt\"\n"}) {
    std::vector<Study> both;
    for (const Directory* const directory : {&here, &there}) {
      for (const char* const name : {"a.sv", "b.sv"})
        std::ofstream(*directory / name) << "module ecube_router; endmodule\n";
      std::ofstream(*directory / "m.txt") << "0 1 8\n";
      both.push_back(parse_study(text, *directory / "s.toml", CodeInStudies::allowed));
    }
    EXPECT_EQ(study_hash(both[0]), study_hash(both[1])) << text;
    const std::vector<StudyPoint> first = points(both[0]);
    const std::vector<StudyPoint> second = points(both[1]);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(first[i].id, second[i].id) << text;
      EXPECT_NE(first[i].arguments, second[i].arguments) << "a run is told where the file is";
      for (const StudyValue& one : first[i].axis) EXPECT_EQ(one.value.find('/'), std::string::npos) << one.value;
    }
    std::ofstream(there / "m.txt") << "0 1 9\n";
    std::ofstream(there / "b.sv") << "module ecube_router; endmodule // another\n";
    EXPECT_NE(study_hash(parse_study(text, there / "s.toml", CodeInStudies::allowed)), study_hash(both[0])) << text;
  }
}

TEST(Study, TakesAFileWhoseNameIsAWordWhereADirectoryIsNamed) {
  const Directory directory;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory / "");
  std::ofstream("uniform") << "0 1 8\n";
  const Study study = parse_study("run = \"exchange\"\n[workload]\nsizes = \"./uniform\"\n", "s.toml");
  std::filesystem::current_path(before);
  EXPECT_EQ(study.fixed.at(0).value, "./uniform");
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

}  // namespace
}  // namespace ecube::study_test
