// SPDX-License-Identifier: Apache-2.0
// Each row of printed.tsv is compared with something: with a wrong one its result has another verdict.
#include <cctype>

#include "models/presets/presets.h"
#include "testbench/reproduction/results.h"
#include "tests/test.h"

namespace ecube::printed_test {
namespace {

/// The text with its first digit raised by one, round from 9 to 0; the same where there is no digit.
std::string misprint(std::string text) {
  const auto digit = std::find_if(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (digit != text.end()) *digit = *digit == '9' ? '0' : static_cast<char>(*digit + 1);
  return text;
}

/// Every check of a result in words, with the values of one that differs, as known differences have them; or the error
/// with which the result ends.
std::string said_of(TestBench& bench, const PublishedResult& result) {
  std::string said;
  try {
    const Machine machine = result.preset.empty() ? Machine{} : resolve(preset_settings(preset(result.preset)));
    for (const Check& check : result.reproduce(bench, machine).checks) {
      said +=
          check.statement + (check.agrees ? " agrees" : " differs, " + check.published + " " + check.reached) + "\n";
    }
  } catch (const std::exception& error) {
    said = error.what();
  }
  return said;
}

TEST(PrintedTables, AreMissedRowByRow) {
  TestBench bench(reproduction_dim);
  std::string of;
  std::string right;
  std::set<std::pair<std::string, std::string>> seen;
  Sample sample(10);
  for (std::vector<std::string>& row : printed_rows()) {
    // The first of each kind of row, and a sample of the others; only that sample under sanitizers.
    const bool first = seen.emplace(row[0], row[1]).second && !sanitized;
    if (row[1] == "name" || (!sample.takes() && !first) || misprint(row[2]) == row[2]) continue;
    const PublishedResult& result = *std::ranges::find(published_results(), row[0], &PublishedResult::id);
    if (std::exchange(of, row[0]) != row[0]) right = said_of(bench, result);
    const std::string printed = std::exchange(row[2], misprint(row[2]));
    EXPECT_NE(said_of(bench, result), right)
        << row[0] << ", " << row[1] << ": " << printed << " is " << row[2] << "; " << sample.name();
    row[2] = printed;
  }
}

}  // namespace
}  // namespace ecube::printed_test
