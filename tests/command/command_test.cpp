// SPDX-License-Identifier: Apache-2.0
// Commands as a user types them, where an answer needs code to judge it; all others are in transcripts.
#include <fmt/core.h>
#include <fmt/format.h>

#include "tests/command/shell.h"

namespace command_test {
namespace {

/// Names in `text`, as `Suite.Name`, that are not among `tests`, a line for each.
std::vector<std::string> tests_that_are_missing(const std::string& text, const std::string& tests) {
  const std::regex name(R"(`(\w+)\.([A-Z]\w+)`)");
  std::vector<std::string> missing;
  for (auto found = std::sregex_iterator(text.begin(), text.end(), name); found != std::sregex_iterator(); ++found) {
    // CTest may know a test by a longer name, with the room or the instance before it and the case behind it.
    const std::string test = fmt::format("{}.{}", (*found)[1].str(), (*found)[2].str());
    if (!std::regex_search(tests, std::regex("[ ./]" + test + "[/\n]"))) missing.push_back(test);
  }
  return missing;
}

TEST(Security, EveryInputHasATestThatThereIs) {
  const std::string tests = shell("ctest -N --test-dir " + in_build()).output;
  unsigned inputs = 0;
  for (const std::string& line : file_lines(in_tree("SECURITY.md"))) {
    if (!line.starts_with("| ") || line.starts_with("| input ")) continue;
    ++inputs;
    EXPECT_TRUE(std::regex_search(line, std::regex(R"(\| `\w+\.[A-Z]\w+`[^|]*\|$)"))) << line;
    EXPECT_EQ(tests_that_are_missing(line, tests), std::vector<std::string>()) << line;
  }
  EXPECT_GT(inputs, 10U);
  EXPECT_EQ(tests_that_are_missing("`Security.HasNoSuchTest`", tests).size(), 1U);
  EXPECT_EQ(tests_that_are_missing(file_text(in_tree("hw/event/EARLY.md")), tests), std::vector<std::string>());
}

TEST(Script, DoctorNamesEveryPackageAndItsVersion) {
  // The host of this test has the packages of the base set.
  const auto json = nlohmann::json::parse(expect(shell(in_tree("ecube doctor --json")), 0).output);
  EXPECT_EQ(json["ready"], true);
  std::set<std::string> listed;
  for (const auto& row : json["packages"]) listed.insert(row.value("set", "") + ".txt " + row.value("package", ""));
  for (const auto& file : std::filesystem::directory_iterator(in_tree("cmake/packages")))
    for (const std::string& line : file_lines(file.path())) {
      const std::string package = file.path().filename().string() + ' ' + line.substr(0, line.find(' '));
      if (package.find(".txt ") == std::string::npos || package.ends_with(' ') || package.ends_with('#')) continue;
      EXPECT_EQ(listed.erase(package), 1U) << package;
    }
  EXPECT_TRUE(listed.empty()) << *listed.begin();
  EXPECT_EQ(shell(in_tree("ecube doctor --jsno 2>/dev/null")).status, 2);
}

TEST(Command, PredictsAnExchangeAlikeInEveryCommand) {
  for (const char* const machine :
       {"ideal", "hull", "ipsc860", "ipsc860-nx", "ipsc860-combine", "cm2", "ipsc1", "ipsc2", "ncube2"}) {
    for (int dim = 1; dim <= 6; ++dim) {
      const std::string options =
          " exchange --machine " + std::string(machine) + " --dim " + std::to_string(dim) + " --bytes 40 --json";
      const auto best = nlohmann::json::parse(ecube("best" + options).output);
      const auto predicted = nlohmann::json::parse(ecube("predict" + options + " --partition best").output);
      const auto run = nlohmann::json::parse(ecube("run" + options + " --partition best --payload none").output);
      // On the iPSC/1 the equation leaves out packets: there `best` recommends by measured times.
      EXPECT_EQ(best.contains("leaves_out"), std::string(machine) == "ipsc1") << options;
      auto by_equation = best.contains("leaves_out") ? best["by_equation"] : best["best"];
      // On several ports fewer of them may be faster.
      for (const auto& one : best["candidates"]) {
        if (by_equation["ports"] != best["machine"]["ports"] && one["ports"] == best["machine"]["ports"])
          by_equation = one;
      }
      EXPECT_EQ(by_equation["hops"], "real");
      EXPECT_EQ(by_equation["partition"], predicted["workload"]["partition"]) << options;
      EXPECT_EQ(by_equation["partition"], run["workload"]["partition"]) << options;
      EXPECT_EQ(by_equation["us"], predicted["predicted"]["us"]) << options;
      EXPECT_EQ(by_equation["us"], run["predicted"]["us"]) << options;
      EXPECT_EQ(by_equation["average_distance_us"], predicted["predicted"]["average_distance_us"]) << options;
      EXPECT_LE(best["average_distance"]["us"], by_equation["average_distance_us"]) << options;
    }
  }
}

/// Signs of an answer that is no answer.
void expect_sense(const std::string& arguments) {
  const Outcome outcome = shell("timeout 60 " + ecube_program() + " " + arguments + " 2>&1 </dev/null");
  EXPECT_TRUE(outcome.status == 0 || outcome.status == 2 || outcome.status == 3)
      << arguments << "\nstatus " << outcome.status << "\n"
      << outcome.output;
  for (const char* const foreign : {"(E5", "In file", "kernel/", "bad_alloc", "terminate"}) {
    EXPECT_LACKS(outcome.output, foreign) << arguments;
  }
  EXPECT_FALSE(std::regex_search(outcome.output, std::regex("[ :]-?(nan|inf)\\b"))) << arguments << "\n"
                                                                                    << outcome.output;
  // A total below zero; a start-up that is fitted may be, because it is less the first phit.
  EXPECT_FALSE(outcome.status == 0 && std::regex_search(outcome.output, std::regex("\n(total|steps|us) +-")))
      << arguments << "\n"
      << outcome.output;
}

TEST(Times, AtTheEndsOfTheirRangesGiveSenseOrARefusal) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& line : file_lines(in_tree("models/machine/PARAMETERS.md"))) {
    std::smatch found;
    if (!std::regex_search(line, found, std::regex("^\\| `([a-z_.]+)` \\|[^|]*\\|[^|]*\\| (.*) to ([0-9][^|]*) \\|"))) {
      continue;
    }
    settings.emplace_back(found[1], found[3]);
    if (found[3].str().ends_with(" cycles")) settings.emplace_back(found[1], "100 ms");
  }
  ASSERT_GT(settings.size(), 40U);
  // Which command on which machine: every pair with every setting in turns, so that the test is short.
  const std::vector<std::string> commands{"run exchange --dim 2 --bytes 3",
                                          "run combine --dim 2",
                                          "run shuffle --dim 2",
                                          "run pingpong --dim 2",
                                          "run traffic --dim 2",
                                          "predict exchange",
                                          "predict combine",
                                          "best shuffle --dim 3"};
  const std::vector<std::string> machines{"ideal", "ipsc860", "ipsc1", "ncube2", "cm2"};
  std::size_t turn = 0;
  Sample sample;
  for (const auto& [key, value] : settings)
    for (unsigned i = 0; i < 2; ++i, ++turn) {
      if (!sample.takes()) continue;
      expect_sense(fmt::format("{} --machine {} --set '{}={}'", commands[turn % commands.size()],
                               machines[turn / commands.size() % machines.size()], key, value));
    }
}

/// The fastest of the partitions by runs is the one that the equation has at that block and delay.
TEST(PlanesCommand, HaveTheMapOfBlockAndDelayOnTheirPage) {
  const Directory directory;
  expect(
      ecube("run exchange --dim 4 --bytes 64 --partition 2,2 --set node.startups=overlapped --set node.ports=n --set "
            "plane.retune=1000cycles --set network.planes=3 -o " +
            (directory / "run")),
      0);
  expect(ecube("report " + (directory / "run")), 0);
  const auto map = data_of(directory / "run/report.html")["run"]["hull"]["map"];
  ASSERT_EQ(map["points"].size(), 30U);
  std::set<nlohmann::json> partitions;
  for (const auto& point : map["points"]) {
    nlohmann::json best;
    for (const auto& delay : map["delays"]) {
      if (delay["from_us"] > point["retune_us"].get<double>() * 1.0001) break;
      for (const auto& face : delay["faces"]) {
        if (face["from_bytes"] <= point["bytes"]) best = face["partition"];
      }
    }
    EXPECT_EQ(point["partition"], best) << point;
    partitions.insert(best);
  }
  EXPECT_EQ(partitions.size(), 3U);
}

}  // namespace
}  // namespace command_test
