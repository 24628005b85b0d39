// SPDX-License-Identifier: Apache-2.0
// Settings at the ends of their ranges, which are never answered with nonsense or a crash; other limits are in
// transcripts/limits.txt.
#include <fmt/core.h>

#include "tests/command/shell.h"

namespace limits_test {
namespace {

/// Signs of an answer that is no answer.
void expect_sense(const std::string& arguments) {
  const Outcome outcome = shell("timeout 60 " ECUBE_PROGRAM " " + arguments + " 2>&1 </dev/null");
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
  for (const std::string& line : file_lines(ECUBE_ROOT "/models/machine/PARAMETERS.md")) {
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

}  // namespace
}  // namespace limits_test
