// SPDX-License-Identifier: Apache-2.0
// The command as a user types it: help, pages and objects; the rest is in transcripts/command.txt.
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

TEST(Script, DoctorNamesEveryPackageAndItsVersion) {
  // The host of this test has the packages of the base set.
  const Outcome doctor = expect(shell(ECUBE_ROOT "/ecube doctor --json"), 0);
  const auto json = nlohmann::json::parse(doctor.output, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << doctor.output;
  EXPECT_EQ(json["ready"], true);
  std::size_t listed = 0;
  for (const char* const set : {"base", "view", "report", "package", "test", "extra", "lint", "fuzz"})
    for (const std::string& line : file_lines(std::string(ECUBE_ROOT "/cmake/packages/") + set + ".txt")) {
      if (line.empty() || line[0] == '#') continue;
      EXPECT_EQ(json["packages"][listed]["package"], line.substr(0, line.find(' ')));
      ++listed;
    }
  EXPECT_EQ(json["packages"].size(), listed);
  EXPECT_EQ(WEXITSTATUS(std::system(ECUBE_ROOT "/ecube doctor --jsno 2>/dev/null")), 2);
}

}  // namespace
}  // namespace command_test
