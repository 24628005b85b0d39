// SPDX-License-Identifier: Apache-2.0
// The command as a user types it: help, pages and objects; the rest is in transcripts/command.txt.
#include <fmt/format.h>

#include "tests/command/shell.h"

namespace command_test {
namespace {

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

TEST(Command, CarriesNothingButOneObjectOnStandardOutputWithJson) {
  for (const std::string& arguments : commands(true)) {
    const nlohmann::json json = json_of(arguments);
    ASSERT_TRUE(json.is_object()) << arguments;
    EXPECT_EQ(json["schema"], 2) << arguments;
  }
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

}  // namespace
}  // namespace command_test
