// SPDX-License-Identifier: Apache-2.0
// The command as a user types it: the output, files and endings of runs.
#include <fmt/format.h>

#include "tests/command/shell.h"

namespace command_test {
namespace {

TEST(Readme, HasTheTableOfMachineParametersAsTheProgramHasIt) {
  EXPECT_EQ(ecube("machines --options --markdown").output, file_text(ECUBE_ROOT "/models/machine/PARAMETERS.md"));
}

TEST(Command, StartsPhasesByClocksAndSaysWhatIsLate) {
  const std::string run =
      "run exchange --machine ipsc860 --dim 4 --partition 1,1,1,1 --pairwise-sync off --set library.barrier=clock "
      "--jitter '1 ms'";
  expect(ecube(run, true), 3, {"more than library.slack, 0 us", "lost"});
  const auto whole = json_of(run + " --set library.slack='2 ms'");
  EXPECT_EQ(whole["workload"]["barrier"], "clock");
  EXPECT_EQ(whole["predicted"]["terms"]["barrier_us"], 8000.0);
  EXPECT_EQ(whole["clock"]["slack_us"], 2000.0);
  EXPECT_EQ(whole["clock"]["starts"], 64);
  EXPECT_EQ(whole["clock"]["late_starts"], 0);
  EXPECT_LT(whole["clock"]["last_after_start_us"], 0);
  EXPECT_EQ(whole["verified"], true);
  const auto predicted = nlohmann::json::parse(ecube("predict exchange --machine ipsc860 --dim 4 --partition 1,1,1,1 "
                                                     "--set library.barrier=clock --set library.slack='2 ms' "
                                                     "--pairwise-sync off --json")
                                                   .output);
  EXPECT_EQ(predicted["predicted"]["us"], whole["predicted"]["us"]);
  // The output reports an option without effect.
  EXPECT_HAS(ecube("run exchange --dim 3 --set library.slack='1 us'").output, "library.slack: no effect");
  EXPECT_HAS(ecube("hull exchange --dim 3 --set library.slack='1 us'").output, "library.slack: no effect");
}

TEST(Command, PrintsTheSameBytesEveryTime) {
  const std::string command = "run exchange --dim 5 --schedule random --jitter '50 cycles' --seed 7";
  const Outcome outcome = expect(ecube(command), 0, {"data verified"});
  EXPECT_EQ(outcome.output, ecube(command).output);
}

TEST(Command, LostForcedMessagesEndWithStatus3) {
  const Outcome outcome =
      ecube("run exchange --dim 4 --set library.protocol=forced --pairwise-sync off --jitter '5000 cycles'", true);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_HAS(outcome.output, "lost");
  EXPECT_HAS(outcome.output, "the first: ");
}

TEST(Command, RunsAProgramByName) {
  const Outcome outcome = expect(ecube("run program ring --dim 3"), 0);
  EXPECT_HAS(outcome.output, "circuits  56,");  // 8 nodes send 7 times each
}

TEST(Command, AStalledMachineNamesWhoWaitsForWhat) {
  expect(ecube("run program deadlock --dim 2", true), 3,
         {"stalled at cycle 0", "node 2 waits for a message from node 3"});
}

TEST(Command, NextIsSomethingThatTheUserHasNotDoneYet) {
  const Directory directory;
  const std::string run = "run exchange --dim 3 --bytes 8 ";
  EXPECT_HAS(ecube(run).output, "--partition best");
  EXPECT_HAS(ecube(run + "--partition best").output, "hull exchange --machine ideal --dim 3\n");
  EXPECT_HAS(ecube(run + "--circuits -o " + directory / "seen").output, "report " + directory / "seen");
}

TEST(Command, HelpFitsTheTerminalAndLeavesMachineParametersToTheirList) {
  for (const char* const words : {"",
                                  "run ",
                                  "best ",
                                  "run exchange ",
                                  "run combine ",
                                  "run shuffle ",
                                  "run traffic ",
                                  "run gather ",
                                  "run program ",
                                  "best exchange ",
                                  "best shuffle ",
                                  "hull exchange ",
                                  "check ",
                                  "check exchange ",
                                  "sweep ",
                                  "sweep submit ",
                                  "reproduce ",
                                  "validate ",
                                  "calibrate ",
                                  "lesson ",
                                  "report ",
                                  "view ",
                                  "verify-router "}) {
    const std::string help = ecube(words + std::string("--help")).output;
    EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 45) << words;
    for (const std::string& text : {help, ecube(words + std::string("--help all")).output}) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << words << "--help: " << line;
    }
    EXPECT_LACKS(help, "\nlink.phit ") << words;  // as the list begins a line
  }
  EXPECT_HAS(ecube("run exchange --help").output, "ecube machines --options");
  EXPECT_LACKS(ecube("run exchange --help").output, "--trace-filter TEXT");
  EXPECT_HAS(ecube("run exchange --help").output, "tracing: --trace, --trace-window, --trace-filter");
  EXPECT_HAS(ecube("run exchange --help all").output, "--trace-filter TEXT");
  // An example that does not fit goes on in the next line as in a shell.
  EXPECT_HAS(ecube("run exchange --help").output, "--sizes zipf:1.1 \\\n      --partition best\n");
}

TEST(Command, HelpFitsNarrowAndWideTerminals) {
  for (const std::size_t columns : {std::size_t{60}, std::size_t{100}}) {
    for (const char* const words : {"", "run exchange", "view", "report"}) {
      std::string command = "script -qec 'stty cols " + std::to_string(columns);
      command.append("; " ECUBE_PROGRAM " ").append(words).append(" --help' /dev/null < /dev/null");
      std::istringstream lines(shell(command).output);
      std::size_t widest = 0;
      for (std::string line; std::getline(lines, line) && line.substr(0, 7) != "Example";) {
        line.erase(line.find_last_not_of('\r') + 1);
        widest = std::max(widest, line.size());
        EXPECT_LE(line.size(), columns) << words << " --help: " << line;
      }
      // And the width is used.
      EXPECT_GT(widest, columns == 60 ? 50U : 75U) << words;
    }
  }
}

TEST(Command, HelpAndPagesSayWhatIsCode) {
  const auto in_one_line = [](const std::string& text) {
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;) line += word + " ";
    return line;
  };
  const std::string rights = "runs with your rights";
  for (const char* const words : {"verify-router", "run exchange", "run program", "explain program"}) {
    const std::string help = in_one_line(ecube(words + std::string(" --help all")).output);
    EXPECT_HAS(help, rights) << words;
  }
  for (const char* const words : {"verify-router", "run exchange"}) {
    const std::string help = in_one_line(ecube(words + std::string(" --help all")).output);
    EXPECT_HAS(help, "$system, $c and DPI") << words;
  }
  for (const char* const page : {"/testbench/router/README.md", "/sw/program/README.md"}) {
    const std::string text = in_one_line(file_text(ECUBE_ROOT + std::string(page)));
    EXPECT_HAS(text, "with your rights") << page;
    EXPECT_HAS(text, "mistakes, not malice") << page;
  }
}

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
  const std::string tests = shell("ctest --test-dir " ECUBE_BUILD " -N").output;
  std::istringstream page(file_text(ECUBE_ROOT "/SECURITY.md"));
  unsigned inputs = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ") || line.starts_with("| input ")) continue;
    ++inputs;
    EXPECT_TRUE(std::regex_search(line, std::regex(R"(\| `\w+\.[A-Z]\w+`[^|]*\|$)"))) << line;
    EXPECT_EQ(tests_that_are_missing(line, tests), std::vector<std::string>()) << line;
  }
  EXPECT_GT(inputs, 10U);
  EXPECT_EQ(tests_that_are_missing("`Security.HasNoSuchTest`", tests).size(), 1U);
  EXPECT_EQ(tests_that_are_missing(file_text(ECUBE_ROOT "/hw/event/EARLY.md"), tests), std::vector<std::string>());
}

TEST(RunDirectory, HoldsTheMachineTheSummaryTheLinksAndTheCircuits) {
  const Directory directory;
  const std::string arguments = "run exchange --machine hull --dim 3 --bytes 5 --schedule random --circuits -o ";
  ASSERT_EQ(ecube(arguments + directory / "a/b").status, 0);
  EXPECT_EQ(directory.files("a/b"), (std::vector<std::string>{"circuits.csv", "links.csv", "programs.csv",
                                                              "provenance.json", "resolved.toml", "summary.json"}));
  const std::vector<std::string> links = file_lines(directory / "a/b/links.csv");
  ASSERT_EQ(links.size(), 1U + 8 * 3);
  EXPECT_EQ(
      links[0],
      "node,output,name,to,circuits,bytes,busy_cycles,blocked_cycles,most_waiters,longest_wait_cycles,longest_wait");
  // Direct: each of the 2^d d links is on the way of 2^(d-1) of the circuits.
  EXPECT_EQ(links[1].substr(0, 17), "0,0,dim 0,1,4,20,");
  EXPECT_EQ(file_lines(directory / "a/b/circuits.csv").size(), 1U + 8 * 7);
  EXPECT_HAS(file_text(directory / "a/b/summary.json"), "\"schedule\": \"random\"");
  // The resolved machine gives the same run again.
  expect(ecube("run exchange --dim 3 --bytes 5 --schedule random --circuits --machine " +
               directory / "a/b/resolved.toml" + " -o " + directory / "c"),
         0);
  for (const char* const name : {"circuits.csv", "links.csv", "resolved.toml"}) {
    EXPECT_EQ(file_text(directory / "a/b/" + name), file_text(directory / "c/" + name)) << name;
  }
  // Without --circuits, the circuits of the earlier run do not stay beside the new figures.
  EXPECT_EQ(ecube("run exchange --dim 3 --replace -o " + directory / "c").status, 0);
  EXPECT_EQ(directory.files("c").size(), 4U);
}

TEST(RunDirectory, IsNotLeftBehindByARunThatDoesNotFinish) {
  const Directory directory;
  EXPECT_EQ(ecube("run program deadlock --dim 2 --circuits -o " + directory / "a/b").status, 3);
  EXPECT_TRUE(directory.files().empty());
}

TEST(Command, CarriesNothingButOneObjectOnStandardOutputWithJson) {
  for (const std::string& arguments : commands(true)) {
    const nlohmann::json json = json_of(arguments);
    ASSERT_TRUE(json.is_object()) << arguments;
    EXPECT_EQ(json["schema"], 2) << arguments;
  }
}

TEST(Command, ExchangesInStagesOnSeveralPortsAndSaysSo) {
  const auto several = json_of("run exchange --dim 4 --partition 2,2 --ports n");
  EXPECT_EQ(several["workload"]["ports"], "n");
  EXPECT_EQ(several["workload"]["pair_masks"], "on");
  EXPECT_EQ(several["phases"].size(), 0U);
  ASSERT_EQ(several["stages"].size(), 2U);
  EXPECT_EQ(several["stages"][1]["parts"][0]["phase"], 2);
  EXPECT_EQ(several["stages"][1]["parts"][0]["bytes"], 8);
  EXPECT_EQ(several["stages"][1]["steps"], 2);
  EXPECT_EQ(several["predicted"]["terms"]["serialised_us"], 0);
  EXPECT_NEAR(several["error_percent"].get<double>(), 0, 1e-6);
  EXPECT_EQ(several["verified"], true);
  EXPECT_EQ(several["network"]["blocked_circuits"], 0);

  const auto one = json_of("run exchange --dim 4 --partition 2,2");
  EXPECT_EQ(one["workload"]["ports"], "one");
  EXPECT_TRUE(one["workload"]["pair_masks"].is_null());
  EXPECT_EQ(one["phases"].size(), 2U);
  EXPECT_FALSE(one.contains("stages"));

  // The nCUBE-2 has n ports, whose start-ups its processor serves one after the other.
  const auto ncube2 = json_of("run exchange --machine ncube2 --dim 4 --partition 2,2");
  EXPECT_EQ(ncube2["workload"]["ports"], "n");
  EXPECT_GT(ncube2["predicted"]["terms"]["serialised_us"], 0);
  EXPECT_NEAR(ncube2["error_percent"].get<double>(), 0, 1e-6);
  const auto on_one = json_of("run exchange --machine ncube2 --ports one --dim 4");
  EXPECT_EQ(on_one["workload"]["ports"], "one");

  const auto says = [](const std::string& arguments, const std::string& words) {
    expect(ecube(arguments), 0, {words});
  };
  says("run exchange --ports n --schedule shift --dim 3", "--schedule shift uses one at a time");
  says("run exchange --dim 3 --pair-masks off", "--pair-masks off: no effect");
  says("predict exchange --dim 3 --pair-masks off", "--pair-masks off: no effect");
  says("best exchange --dim 3 --pair-masks on", "--pair-masks on: no effect");
  says("hull exchange --dim 3 --pair-masks on", "--pair-masks on: no effect");
  const auto checked = json_of("check exchange --dim 4 --pair-masks off");
  EXPECT_EQ(checked["ports"], "one");
  EXPECT_TRUE(checked["pair_masks"].is_null());
  says("check exchange --dim 6 --ports n --partition 3,3", "a directed link, an inject port or an eject port");
}

TEST(Command, CountsTheElementsThatItVerified) {
  // 64 elements on each of 16 of the 64 nodes.
  EXPECT_HAS(ecube("run shuffle --dim 6 --extend 2 --elements 64").output, "data verified: 1,024 elements");
}

TEST(Command, SaysWhatStartUpsThatQueueCost) {
  const auto json = json_of("run shuffle --machine ncube2 --dim 5 --elements 64 --cycle p4,p3,p2,p1,p0,s0 --packet 4");
  EXPECT_GT(json["predicted"]["terms"]["queued_startup_us"].get<double>(), 4000);
  EXPECT_LT(std::abs(json["error_percent"].get<double>()), 2);
  // With a protocol the equation only estimates queued start-ups, and the output has its error.
  const Outcome outcome = ecube("run shuffle --machine ipsc860 --ports n --dim 4 --elements 64");
  EXPECT_HAS(outcome.output, "an estimate");
}

TEST(Command, RoutesShufflesWithoutAPrediction) {
  const auto json = json_of("run shuffle --dim 4 --algorithm route --machine ipsc1");
  EXPECT_TRUE(json["predicted"].is_null());
  EXPECT_TRUE(json["error_percent"].is_null());
  EXPECT_EQ(json["verified"], true);
  EXPECT_GT(json["network"]["most_stored_bytes"].get<int>(), 0);
}

TEST(Command, CombinesOnTheLibraryOfCsendAndCrecv) {
  const auto json = json_of("run combine --machine ipsc860 --dim 3 --items 64");
  EXPECT_EQ(json["machine"]["name"], "ipsc860-nx");
  EXPECT_EQ(json["verified"], true);
  EXPECT_LT(std::abs(json["error_percent"].get<double>()), 2);
}

TEST(Script, DoctorNamesEveryPackageAndItsVersion) {
  FILE* const pipe = popen(ECUBE_ROOT "/ecube doctor --json", "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) output += buffer.data();
  EXPECT_EQ(WEXITSTATUS(pclose(pipe)), 0);  // the host of this test has the packages of the base set
  const auto json = nlohmann::json::parse(output, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << output;
  EXPECT_EQ(json["ready"], true);
  std::size_t listed = 0;
  for (const char* const set : {"base", "view", "report", "package", "test", "extra", "lint", "fuzz"}) {
    for (const std::string& line : file_lines(std::string(ECUBE_ROOT "/cmake/packages/") + set + ".txt")) {
      if (line.empty() || line[0] == '#') continue;
      EXPECT_EQ(json["packages"][listed]["package"], line.substr(0, line.find(' ')));
      ++listed;
    }
  }
  EXPECT_EQ(json["packages"].size(), listed);
  EXPECT_EQ(WEXITSTATUS(std::system(ECUBE_ROOT "/ecube doctor --jsno 2>/dev/null")), 2);
}

TEST(Rtl, LeavesTheSameCircuitsAndLinksAsTheEventEngine) {
  const Directory event;
  const Directory rtl;
  const std::string run = "run traffic --dim 3 --rate 40 --messages 100 --circuits --quiet -o ";
  ASSERT_EQ(ecube(run + (event / "run") + " --engine event").status, 0);
  ASSERT_EQ(ecube(run + (rtl / "run") + " --engine rtl").status, 0);
  for (const char* const file : {"run/circuits.csv", "run/links.csv"}) {
    const std::string expected = file_text(event / file);
    EXPECT_GT(expected.size(), 500U);
    EXPECT_EQ(file_text(rtl / file), expected) << file;
  }
}

TEST(Rtl, WritesItsSignals) {
  const Directory directory;
  const std::string file = directory / "x.fst";
  const Outcome outcome = expect(ecube("run traffic --dim 3 --messages 5 --engine rtl --trace " + file), 0);
  EXPECT_GT(std::filesystem::file_size(file), 1000U);
  std::ifstream stream(file, std::ios::binary);
  EXPECT_EQ(stream.get(), 0);  // an FST file begins with its header block
  const Outcome same = ecube("run traffic --dim 3 --messages 5 --engine rtl");
  const std::string figures = same.output.substr(0, same.output.find("next: "));
  ASSERT_LT(figures.size(), same.output.size());
  EXPECT_TRUE(outcome.output.starts_with(figures)) << outcome.output;
  EXPECT_NE(outcome.output.find("\ncontention\n", figures.size()), std::string::npos);
}

}  // namespace
}  // namespace command_test
