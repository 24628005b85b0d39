// SPDX-License-Identifier: Apache-2.0
// What the checks of results say together: every claim of the four papers, what decides it, and its verdict; which
// published numbers a preset was set from, which follow from these, and how far those are off that a run predicts.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/reproduction/results.h"

namespace ecube {

struct Paper {
  char letter;  ///< with which the ids of its claims begin
  std::string_view word;
  std::string_view name;
};
inline constexpr Paper papers[] = {{'B', "bokhari", "Bokhari 1993"},
                                   {'N', "nicol", "Nicol & Bokhari 1994"},
                                   {'V', "van-de-geijn", "van de Geijn 1991"},
                                   {'J', "johnsson-ho", "Johnsson & Ho 1991"}};

/// A row of claims.tsv.
struct Claim {
  std::string id;     ///< the paper's letter and a number: B1
  std::string place;  ///< section, equation, table or figure
  std::string text;
  /// What decides the claim, separated by ";":
  ///   ITEM or ITEM/WORDS  the checks of a result, or those whose statement has these words
  ///   test:SUITE.NAME     a test of the project, which the program cannot run
  ///   outside:REASON      no simulation decides it
  ///   -                   nothing yet
  std::vector<std::string> deciders;

  [[nodiscard]] const Paper& paper() const { return *std::ranges::find(papers, id.front(), &Paper::letter); }
};

/// InputError as table_rows().
[[nodiscard]] std::vector<Claim> parse_claims(std::string_view table);
/// claims.tsv, in the order of the papers.
[[nodiscard]] const std::vector<Claim>& claims();

/// The checks of results by their ids.
using DoneAgain = std::map<std::string, std::vector<Check>, std::less<>>;
/// Whether tests passed, by SUITE.NAME; one with parameters if all of its cases did.
using TestResults = std::map<std::string, bool, std::less<>>;

/// What CTest prints of the tests that it has run.
[[nodiscard]] TestResults parse_ctest(std::string_view printed);
/// The names of these claims' tests.
[[nodiscard]] std::vector<std::string> tests_of(std::span<const Claim* const> claims);

enum class ClaimState : std::uint8_t { holds, condition, no, by_test, undecidable, unchecked };
inline constexpr std::size_t claim_states = 6;

struct ClaimVerdict {
  ClaimState state = ClaimState::unchecked;
  std::size_t agree = 0;      ///< checks
  bool print_agrees = false;  ///< some check that is compared with print
  bool print_differs = false;
  std::vector<std::string> differ;   ///< their statements
  std::vector<std::string> instead;  ///< what each of these reached: a counter-example, or another number
  std::vector<std::string> reasons;  ///< of known differences, of what no simulation decides
};

/// Of the checks that decide the claim: holds when all agree, does not hold when none of those compared with print
/// does, and with a condition between. With `tests` a test counts as a check against print; without, what only a test
/// decides has no computed verdict. InputError where no check has the words, and for a test that has not run.
[[nodiscard]] ClaimVerdict verdict_of(const Claim& claim, const DoneAgain& done, std::span<const KnownDifference> file,
                                      const TestResults* tests = nullptr);

[[nodiscard]] constexpr std::string_view words_of(ClaimState state) {
  return std::array{"holds",     "holds with a condition",    "does not hold",
                    "by a test", "undecidable by simulation", "not yet checked"}[static_cast<std::size_t>(state)];
}
/// The results whose checks decide the claim.
[[nodiscard]] std::set<std::string_view> results_of(const Claim& claim);

/// Only of numbers in print, with a unit or read off a plot; counts have none. predicted: by a run that nothing was set
/// to fit. arithmetic: by equations from what the preset was set from. what-if: of another machine than the preset.
/// Empty: no number, or one that origins.tsv leaves out.
[[nodiscard]] std::string_view origin_of(std::string_view result, const Check& check);

/// How far predictions of runs are off, by paper and preset.
class Predictions {
 public:
  void add(const PublishedResult& result, const std::vector<Check>& checks);
  /// "predicted by runs, Nicol & Bokhari 1994 on ipsc860: 8 numbers, off by 7 % in the median, 16 % at worst (..)", and
  /// how many numbers are no predictions.
  [[nodiscard]] std::vector<std::string> lines() const;
  /// Paper, machine, how many numbers, and how far they are off in the median and at worst.
  [[nodiscard]] nlohmann::ordered_json rows() const;

 private:
  using Off = std::multiset<std::pair<double, std::string>>;  ///< per cent, and which
  std::map<std::pair<std::string, std::string>, Off> off_;    ///< by paper and preset
  std::multiset<std::string, std::less<>> others_;            ///< origins of other numbers
};

}  // namespace ecube
