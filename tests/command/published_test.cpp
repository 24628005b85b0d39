// SPDX-License-Identifier: Apache-2.0
// `reproduce`, `validate` and `hull` against the papers, and that they can fail; more in transcripts/best.txt.
#include "tests/command/shell.h"

namespace published_test {
namespace {

TEST(Command, ReproducesEveryPublishedFigureWithDataAndPage) {
  const Directory directory;
  const Outcome outcome = expect(ecube("reproduce all --json --no-pictures -o " + (directory / "out")), 0);
  const auto json = nlohmann::json::parse(outcome.output);
  const auto listed = json_of("reproduce list")["results"];
  ASSERT_GE(listed.size(), 28U);
  ASSERT_EQ(json["results"].size(), listed.size());
  const auto page = data_of(directory / "out/index.html")["results"];
  ASSERT_EQ(page["entries"].size(), listed.size());
  const std::set<std::string> without_panels{
      "bokhari-patterns", "bokhari-choice", "nicol-networks", "nicol-blocks", "jh-bounds", "jh-sequences", "swot"};
  std::map<std::string, std::size_t> states;
  std::map<std::string, std::size_t> checks;  // by the thing they are compared with, and their state
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const auto& result = json["results"][i];
    const auto id = result["id"].get<std::string>();
    EXPECT_EQ(id, listed[i]["id"]);
    EXPECT_EQ(result["pass"], true) << result["verdict"];
    ++states[result["state"]];
    std::set<std::string> statements;
    for (const auto& check : result["checks"]) {
      EXPECT_TRUE(statements.insert(check["statement"]).second) << id << ": " << check["statement"];
      ++checks[check["compared_with"].get<std::string>() + ", " + check["state"].get<std::string>()];
      // A check differs if and only if it is on file. A number that is compared has a tolerance, with its reason.
      EXPECT_EQ(check.contains("known_difference"), check["state"] == "differs") << check;
      if (check.contains("tolerance_percent")) {
        EXPECT_FALSE(check["tolerance_reason"].get<std::string>().empty());
      }
    }
    for (const auto& file : result["files"]) EXPECT_GT(file_text(file.get<std::string>()).size(), 200U) << file;
    // The page has each result with its command, its checks and its panels.
    const auto& entry = page["entries"][i];
    EXPECT_EQ(entry["id"], id);
    EXPECT_TRUE(entry["command"].get<std::string>().ends_with("reproduce " + id)) << entry["command"];
    EXPECT_EQ(entry["checks"], result["checks"]) << id;
    EXPECT_EQ(entry["verdict"], result["verdict"]) << id;
    // Results of theory have checks alone.
    const bool theory = entry["panels"].empty();
    EXPECT_EQ(result["files"].size(), theory ? 0U : 1U) << id;
    EXPECT_EQ(theory, without_panels.count(id) > 0) << id;
    for (const auto& panel : entry["panels"]) {
      const auto& drawn = panel.contains("rows") ? panel["rows"] : panel["series"];
      EXPECT_FALSE(drawn.empty()) << id << ": " << panel["title"];
    }
  }
  const auto& counts = json["counts"];
  EXPECT_EQ(counts["reproduced"], states["reproduced"]);
  EXPECT_EQ(counts["part"], states["part"]);
  EXPECT_EQ(counts["differs"], states["differs"]);
  EXPECT_EQ(counts["not_on_file"], 0);
  EXPECT_EQ(counts["checks"]["print_agrees"], checks["print, agrees"]);
  EXPECT_EQ(counts["checks"]["print_differs"], checks["print, differs"]);
  EXPECT_EQ(counts["checks"]["own_arithmetic_agrees"], checks["own arithmetic, agrees"]);
  EXPECT_EQ(counts["checks"]["own_arithmetic_differs"], 0);
  EXPECT_EQ(counts["checks"]["no_number_in_print"], checks["nothing, no number in print"]);
  EXPECT_EQ(page["good"], true);
  EXPECT_HAS(page["lines"].dump(), "every verdict is the one on file");
  EXPECT_LT(file_text(directory / "out/index.html").size(), 5'000'000U);
  // The page of a later command is about that command's results, not about earlier ones.
  EXPECT_EQ(ecube("reproduce bokhari-table4 --no-pictures --quiet -o " + (directory / "out")).status, 0);
  const auto later = data_of(directory / "out/index.html")["results"];
  ASSERT_EQ(later["entries"].size(), 1U);
  EXPECT_EQ(later["entries"][0]["id"], "bokhari-table4");
}

/// Recomputes the spread of a row of jitter from the lines of validate.csv that differ from its run in the seed alone.
void expect_spread_of_the_lines(const nlohmann::json& row, const std::vector<std::string>& lines) {
  std::string run = row["run"];
  ASSERT_TRUE(run.ends_with(" --seed 1")) << run;
  run.pop_back();
  std::vector<double> errors;
  std::size_t seeds = 0;
  for (const std::string& line : lines) {
    if (line.find("\"" + run) == std::string::npos) continue;
    ++seeds;
    // The fields after the run, which has commas of its own and ends with a quotation mark.
    const std::vector<std::string> values = pieces_of(line.substr(line.rfind('"') + 2), ',');
    ASSERT_EQ(values.size(), 9U) << line;
    if (values[8] == "true") errors.push_back(100 * (std::stod(values[1]) / std::stod(values[0]) - 1));
  }
  EXPECT_GE(seeds, 40U) << run;
  EXPECT_EQ(row["seeds"], seeds) << run;
  EXPECT_EQ(row["stalled"], seeds - errors.size()) << run;
  EXPECT_NEAR(row["stalled_percent"], 100.0 * static_cast<double>(seeds - errors.size()) / static_cast<double>(seeds),
              1e-9);
  ASSERT_FALSE(errors.empty()) << run;
  // The row's value is the error that at least `share` of the sorted errors do not exceed.
  const auto holds = [&](const char* key, double share) {
    const double value = row[key];
    const auto count = static_cast<double>(errors.size());
    const auto below = static_cast<double>(
        std::count_if(errors.begin(), errors.end(), [&](double error) { return error < value - 1e-5; }));
    const auto up_to = static_cast<double>(
        std::count_if(errors.begin(), errors.end(), [&](double error) { return error <= value + 1e-5; }));
    EXPECT_LT(below, share * count) << key << " " << run;
    EXPECT_GE(up_to, share * count) << key << " " << run;
  };
  holds("p5_error_percent", 0.05);
  holds("median_error_percent", 0.5);
  holds("p95_error_percent", 0.95);
}

/// A family for every workload, preset and number of ports, and one for every feature, each with a reason.
void expect_all_families(const nlohmann::json& json) {
  std::set<std::string> names;
  for (const auto& family : json["families"]) {
    EXPECT_TRUE(names.insert(family["name"]).second) << family["name"];
    EXPECT_GT(family["reason"].get<std::string>().size(), 20U) << family["name"];
    EXPECT_FALSE(family["grid"].get<std::string>().empty());
    if (family["name"].get<std::string>().find("sampled") == std::string::npos) continue;
    EXPECT_HAS(family["grid"].get<std::string>(), "seed 1") << family["name"];
  }
  for (const std::string machine :
       {"ideal", "hull", "ipsc860", "ipsc860-nx", "ipsc860-combine", "cm2", "ipsc1", "ipsc2", "ncube2"}) {
    for (const std::string workload : {"exchange", "combine", "shuffle"})
      for (const std::string ports : {"one-port", "2 ports", "n-port"}) {
        std::string name = workload;
        name.append(" ").append(machine).append(" sampled ").append(ports);
        EXPECT_TRUE(names.contains(name)) << name;
      }
  }
  for (const std::string feature :
       {"exchange ideal n-port", "exchange ncube2 n-port", "exchange ncube2 K ports", "exchange ipsc860-nx",
        "exchange ipsc860 step barriers", "exchange ipsc860 programmed transfer", "combine ideal roots",
        "shuffle ideal a2x2", "shuffle ideal a1-pipelined", "shuffle ideal aapc", "shuffle ideal complement",
        "shuffle ideal extension"}) {
    EXPECT_TRUE(names.contains(feature)) << feature;
  }
}

TEST(Command, ValidatesEveryFamilyAndSaysWhatBreaksTheEquations) {
  const Directory directory;
  const Outcome outcome = expect(ecube("validate --json -o " + (directory / "out")), 0);
  const auto json = nlohmann::json::parse(outcome.output);
  std::size_t points = 0;
  for (const auto& family : json["families"]) {
    EXPECT_EQ(family["pass"], true) << family["name"];
    EXPECT_EQ(family["broken_assumptions"], 0);
    EXPECT_EQ(family["points"], family["residuals"].size());
    double worst = 0;
    for (const auto& point : family["residuals"]) {
      const double error = 100 * (point["measured_us"].get<double>() / point["predicted_us"].get<double>() - 1);
      EXPECT_NEAR(point["error_percent"], error, 1e-9);
      worst = std::max(worst, std::abs(error));
    }
    EXPECT_NEAR(std::abs(family["worst_error_percent"].get<double>()), worst, 1e-9);
    EXPECT_LE(worst, family["tolerance_percent"].get<double>());
    points += family["points"].get<std::size_t>();
  }
  expect_all_families(json);
  // Runs of a grid that the command refuses, for packets that do not make up the elements, are left out: no others are.
  EXPECT_EQ(points, 13'179U);
  const std::vector<std::string> lines = file_lines(directory / "out/validate.csv");
  double ordered = 0;
  std::size_t blocked = 0;
  std::size_t lines_of_broken = 0;
  std::size_t half_stalled = 0;
  for (const auto& one : json["broken_assumptions"]) {
    if (one["assumption"].get<std::string>().starts_with("ordered")) {
      ordered = std::max(ordered, one["error_percent"].get<double>());
    }
    blocked += one["blocked_circuits"].get<std::size_t>();
    lines_of_broken += one.value("seeds", std::size_t{1});
    if (!one.contains("seeds")) continue;
    expect_spread_of_the_lines(one, lines);
    if (one["stalled_percent"].get<double>() > 50) ++half_stalled;
  }
  EXPECT_EQ(lines.size(), 1 + points + lines_of_broken);
  EXPECT_GT(half_stalled, 0U);
  EXPECT_GT(ordered, 50);
  EXPECT_GT(blocked, 0U);
}

TEST(Command, MapsWhereTheEquationIsHowFarOff) {
  const Directory directory;
  const auto json = json_of("validate combine --map -o " + (directory / "out"));
  const std::vector<std::string> lines = file_lines(directory / "out/error-map.csv");
  ASSERT_EQ(lines.size(), 1 + json["map"].size());
  EXPECT_FALSE(data_of(directory / "out/error-map.html")["results"]["entries"][0]["panels"].empty());
  EXPECT_FALSE(std::filesystem::exists(directory / "out/validate.csv"));
  std::map<std::string, double> errors;
  std::set<unsigned> dims;
  for (std::size_t i = 0; i < json["map"].size(); ++i) {
    const auto& cell = json["map"][i];
    EXPECT_EQ(cell["equation"], "combine");
    dims.insert(cell["dim"].get<unsigned>());
    EXPECT_HAS(lines[i + 1], cell["bin"].get<std::string>());
    const double error = std::abs(cell["median_error_percent"].get<double>());
    const std::string bin = error <= 1 ? "<= 1 %" : error <= 5 ? "<= 5 %" : error <= 20 ? "<= 20 %" : "> 20 %";
    EXPECT_EQ(cell["bin"], bin) << cell["run"];
    EXPECT_TRUE(cell["jitter_us"] != 0 || error <= 1) << cell["run"];
    std::string key = cell["machine"];
    key.append(" d").append(cell["dim"].dump()).append(" ").append(cell["size"].dump());
    key.append(" ").append(cell["jitter_us"].dump());
    errors[key] = error;
  }
  EXPECT_EQ(dims, (std::set<unsigned>{2, 4, 6, 8}));
  // The same jitter of start-ups is a larger share of the time of a shorter message, and of a faster machine.
  EXPECT_GT(errors.at("ideal d4 1 20.0"), errors.at("ideal d4 4096 20.0"));
  EXPECT_GT(errors.at("ideal d4 1 20.0"), errors.at("ipsc860-nx d4 1 20.0"));
  EXPECT_GT(errors.at("ideal d4 1 100.0"), errors.at("ideal d4 1 5.0"));
  // One run of the map by itself.
  const auto run = json_of("run combine --machine ideal --dim 4 --items 64 --strategy hybrid");
  EXPECT_NEAR(run["error_percent"], errors.at("ideal d4 64 0.0"), 1e-6);
}

TEST(Command, BisectsTheCrossoversOfTheCombineToTheItem) {
  const auto json = json_of("hull combine --machine ipsc860-combine --pad on --dim 5 --measure");
  ASSERT_EQ(json["faces"].size(), 6U);
  for (std::size_t i = 1; i < 6; ++i) {
    // The ripples of uneven halves move a crossover by 2^d items where the times differ in their seventh digit.
    EXPECT_NEAR(json["faces"][i]["measured_items"], json["faces"][i]["from_items"].get<double>(), 32) << i;
    // On both sides of the crossover the faster strategy is the one that the hull names.
    const int items = json["faces"][i]["measured_items"];
    const auto us = [&](std::size_t face, int of) {
      std::string digits;
      for (const auto& digit : json["faces"][face]["strategy"]) digits += digit == 1 ? '1' : '0';
      std::string command = "run combine --machine ipsc860-combine --pad on --dim 5 --payload none --json --strategy ";
      command.append(digits).append(" --items ").append(std::to_string(of));
      return nlohmann::json::parse(ecube(command).output)["measured"]["us"].get<double>();
    };
    EXPECT_LE(us(i, items), us(i - 1, items));
    EXPECT_GT(us(i, items - 1), us(i - 1, items - 1));
  }
}

}  // namespace
}  // namespace published_test
