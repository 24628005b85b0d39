// SPDX-License-Identifier: Apache-2.0
// The conditions under which a check, a reproduced result and a family of runs fail.
#include "testbench/figure/verdict.h"

#include "testbench/reproduction/results.h"
#include "testbench/validation/validation.h"
#include "tests/test.h"

namespace ecube::verdict_test {
namespace {

constexpr auto print = ComparedWith::print;
constexpr auto ours = ComparedWith::own_arithmetic;
constexpr Tolerance one_percent = {1, "a test"};

TEST(Check, OfANumberAgreesUpToItsToleranceOnEitherSide) {
  EXPECT_EQ(number_check(print, "a", 100, 100.9, one_percent, "us").state(), CheckState::agrees);
  EXPECT_EQ(number_check(print, "a", 100, 99.1, one_percent, "us").state(), CheckState::agrees);
  EXPECT_EQ(number_check(print, "a", 100, 101.1, one_percent, "us").state(), CheckState::differs);
  EXPECT_EQ(number_check(print, "a", 100, 98.9, one_percent, "us").state(), CheckState::differs);
  EXPECT_EQ(number_check(ours, "a", 15, 14, exactly, "").state(), CheckState::differs);
  EXPECT_EQ(number_check(ours, "a", 15, 15, exactly, "").state(), CheckState::agrees);
  const Check below = number_check(print, "a", -200, -203, one_percent, "us");
  EXPECT_EQ(below.state(), CheckState::differs);
  EXPECT_DOUBLE_EQ(*below.distance_percent, -1.5);
  EXPECT_EQ(below.published, "-200 us");
  EXPECT_EQ(below.tolerance->reason, "a test");
}

TEST(Check, OfARangeMeasuresTheDistanceFromItsNearerEnd) {
  EXPECT_EQ(range_check(print, "a", 5, 10, 5, "").state(), CheckState::agrees);
  EXPECT_EQ(range_check(print, "a", 5, 10, 10, "").state(), CheckState::agrees);
  const Check below = range_check(print, "a", 5, 10, 4, "");
  EXPECT_EQ(below.state(), CheckState::differs);
  EXPECT_DOUBLE_EQ(*below.distance_percent, -20);
  EXPECT_DOUBLE_EQ(*range_check(print, "a", 5, 10, 12, "").distance_percent, 20);
  EXPECT_EQ(below.published, "5 to 10");
}

TEST(Check, OfTextAndStatement) {
  EXPECT_EQ(text_check(print, "a", "x y", "x y").state(), CheckState::agrees);
  EXPECT_EQ(text_check(print, "a", "x y", "x").state(), CheckState::differs);
  EXPECT_EQ(statement_check(ours, "a", true).state(), CheckState::agrees);
  EXPECT_EQ(statement_check(ours, "a", false).state(), CheckState::differs);
}

TEST(Check, WithoutAPrintedNumberNeitherAgreesNorDiffers) {
  const Check check = no_number_check("a", "7 us");
  EXPECT_EQ(check.state(), CheckState::no_number);
  EXPECT_EQ(check.compared_with, ComparedWith::nothing);
  EXPECT_EQ(words_of(check.state()), "no number in print");
}

const Check agrees_with_print = statement_check(print, "printed, agrees", true);
const Check differs_from_print = statement_check(print, "printed, differs", false);
const Check agrees_with_own = statement_check(ours, "own, agrees", true);
const Check differs_from_own = statement_check(ours, "own, differs", false);
const Check without_number = no_number_check("no number");

ItemState state(std::initializer_list<Check> checks) { return state_of(std::vector<Check>(checks)); }

TEST(Verdict, AnItemIsReproducedOnlyIfEverythingInPrintIsComparedAndAgrees) {
  EXPECT_EQ(state({agrees_with_print}), ItemState::reproduced);
  EXPECT_EQ(state({agrees_with_print, agrees_with_own}), ItemState::reproduced);
  EXPECT_EQ(state({agrees_with_print, without_number}), ItemState::part);
  EXPECT_EQ(state({agrees_with_print, differs_from_print}), ItemState::part);
  EXPECT_EQ(state({agrees_with_print, differs_from_own}), ItemState::part);
  EXPECT_EQ(state({agrees_with_own}), ItemState::part);
  EXPECT_EQ(state({without_number}), ItemState::part);
  EXPECT_EQ(state({differs_from_print}), ItemState::differs);
  EXPECT_EQ(state({differs_from_print, agrees_with_own, without_number}), ItemState::differs);
  EXPECT_EQ(state({differs_from_own}), ItemState::differs);
}

constexpr std::array<KnownDifference, 3> file = {{{"item", "printed, differs", "", "", "a reason"},
                                                  {"other", "printed, agrees", "1", "2", "another reason"},
                                                  {"moved", "lambda", "85.5 us", "82.5 us", "a third reason"}}};

TEST(Verdict, IsOnFileWhenExactlyTheListedChecksDiffer) {
  const std::array checks = {agrees_with_print, differs_from_print, without_number};
  const Verdict verdict = verdict_of("item", checks, file);
  EXPECT_TRUE(verdict.as_on_file());
  ASSERT_EQ(verdict.known.size(), 1U);
  EXPECT_EQ(verdict.known[0]->reason, "a reason");
  const std::array without_difference = {agrees_with_print};
  EXPECT_TRUE(verdict_of("third", without_difference, file).as_on_file());
}

TEST(Verdict, IsNotOnFileWhenAnotherCheckDiffers) {
  const std::array checks = {differs_from_own, differs_from_print};
  const Verdict verdict = verdict_of("item", checks, file);
  EXPECT_FALSE(verdict.as_on_file());
  EXPECT_EQ(verdict.complaints,
            std::vector<std::string>{"\"own, differs\" differs and is not among the known differences"});
  // The same check in an item without a row.
  const std::array elsewhere = {agrees_with_print, differs_from_print};
  EXPECT_FALSE(verdict_of("third", elsewhere, file).as_on_file());
}

TEST(Verdict, IsNotOnFileWhenAListedDifferenceHasOtherValues) {
  const auto complaints_of = [](double printed, double reached) {
    const std::array checks = {number_check(print, "lambda", printed, reached, one_percent, "us")};
    return verdict_of("moved", checks, file).complaints;
  };
  EXPECT_TRUE(complaints_of(85.5, 82.5).empty());
  const std::string moved = "\"lambda\" is a known difference of 82.5 us from 85.5 us in print, and is now ";
  EXPECT_EQ(complaints_of(86.5, 82.5), std::vector{moved + "82.5 us from 86.5 us"});
  EXPECT_EQ(complaints_of(85.5, 82.525), std::vector{moved + "82.525 us from 85.5 us"});
}

TEST(Verdict, IsNotOnFileWhenAListedCheckAgreesAgain) {
  const std::array checks = {agrees_with_print};
  const Verdict verdict = verdict_of("other", checks, file);
  EXPECT_FALSE(verdict.as_on_file());
  EXPECT_EQ(verdict.complaints,
            std::vector<std::string>{"\"printed, agrees\" is among the known differences and does not differ"});
}

TEST(Verdict, IsNotOnFileWhenAListedCheckIsGone) {
  const std::array checks = {agrees_with_print};
  const Verdict verdict = verdict_of("item", checks, file);
  EXPECT_FALSE(verdict.as_on_file());
  EXPECT_EQ(verdict.complaints,
            std::vector<std::string>{"\"printed, differs\" is among the known differences and is no check"});
}

TEST(Verdict, CountsPrintAndOwnArithmeticApart) {
  VerdictCounts counts;
  const std::array mixed = {agrees_with_print, differs_from_print, agrees_with_own, agrees_with_own, without_number};
  counts.add(verdict_of("item", mixed, file), mixed);
  const std::array whole = {agrees_with_print};
  counts.add(verdict_of("third", whole, file), whole);
  const std::array wrong = {differs_from_own};
  counts.add(verdict_of("third", wrong, file), wrong);
  EXPECT_EQ(lines_of(counts)[0], "3 items: 1 reproduced, 1 reproduced in part, 1 differs");
  EXPECT_EQ(lines_of(counts)[1],
            "checks: of 3 compared with print 2 agree and 1 differ, of 3 compared with own arithmetic 2 agree and 1 "
            "differ, 1 have no number in print");
  EXPECT_EQ(lines_of(counts)[2], "1 of 3 verdicts are not the ones on file");
}

TEST(KnownDifferences, NameItemsThatExistEachCheckOnceAndAReason) {
  std::set<std::string_view> items;
  for (const PublishedResult& result : published_results()) EXPECT_TRUE(items.insert(result.id).second) << result.id;
  std::set<std::pair<std::string_view, std::string_view>> rows;
  for (const KnownDifference& row : known_differences()) {
    EXPECT_TRUE(items.contains(row.item)) << row.item;
    EXPECT_TRUE(rows.emplace(row.item, row.check).second) << row.check;
    EXPECT_GT(row.reason.size(), 30U) << row.check;
  }
}

TEST(Verdict, AFamilyFailsOutsideItsToleranceOrWhereAnAssumptionDidNotHold) {
  const ValidationPoint good = {.run = "", .predicted_us = 100, .measured_us = 99.1};
  const auto family = [](const ValidationPoint& one, const ValidationPoint& other) {
    return ValidationFamily{.name = "", .machine = "", .tolerance_percent = 1, .points = {one, other}};
  };
  EXPECT_TRUE(family(good, good).pass());
  ValidationPoint bad = good;
  bad.measured_us = 98.9;
  EXPECT_FALSE(family(good, bad).pass());
  EXPECT_EQ(family(good, bad).broken(), 0U);
  bad = good;
  bad.blocked_circuits = 1;
  EXPECT_FALSE(family(good, bad).pass());
  bad = good;
  bad.lost_messages = 1;
  EXPECT_FALSE(family(good, bad).pass());
  bad = good;
  bad.verified = false;
  EXPECT_FALSE(family(good, bad).pass());
  bad = good;
  bad.finished = false;
  EXPECT_FALSE(family(good, bad).pass());
}

ValidationPoint with_error(double percent, bool finished = true) {
  return {.run = "", .predicted_us = 100, .measured_us = 100 + percent, .finished = finished};
}

TEST(Verdict, TheSpreadOverSeedsIsOfTheRunsThatFinished) {
  // Errors of 1, 2, .., 40 % in no order: 5 % of 40 runs are 2, half are 20, 95 % are 38.
  std::vector<ValidationPoint> runs;
  for (unsigned i = 0; i < 40; ++i) runs.push_back(with_error(1 + (i * 7) % 40));
  ErrorSpread spread = spread_of(runs);
  EXPECT_EQ(spread.runs, 40U);
  EXPECT_EQ(spread.stalled, 0U);
  EXPECT_NEAR(*spread.low_percent, 2, 1e-9);
  EXPECT_NEAR(*spread.median_percent, 20, 1e-9);
  EXPECT_NEAR(*spread.high_percent, 38, 1e-9);
  // Runs that stalled have no error, however long they took, but count as runs.
  for (unsigned i = 0; i < 10; ++i) runs.push_back(with_error(-99, false));
  spread = spread_of(runs);
  EXPECT_EQ(spread.runs, 50U);
  EXPECT_EQ(spread.stalled, 10U);
  EXPECT_DOUBLE_EQ(spread.stalled_percent(), 20);
  EXPECT_NEAR(*spread.low_percent, 2, 1e-9);
  EXPECT_NEAR(*spread.median_percent, 20, 1e-9);
  const std::vector<ValidationPoint> none = {with_error(1, false), with_error(2, false)};
  EXPECT_FALSE(spread_of(none).median_percent || spread_of(none).low_percent || spread_of(none).high_percent);
  EXPECT_DOUBLE_EQ(spread_of(none).stalled_percent(), 100);
}

TEST(ErrorMap, BinsTheMedianEitherWayAndStalledWhereMostRunsDidNotFinish) {
  const auto bin = [](std::vector<ValidationPoint> runs) { return bin_of(spread_of(runs)).words; };
  EXPECT_EQ(bin({with_error(1)}), "<= 1 %");
  EXPECT_EQ(bin({with_error(-1.01)}), "<= 5 %");
  EXPECT_EQ(bin({with_error(-5)}), "<= 5 %");
  EXPECT_EQ(bin({with_error(5.01)}), "<= 20 %");
  EXPECT_EQ(bin({with_error(20.01)}), "> 20 %");
  EXPECT_EQ(bin({with_error(-90)}), "> 20 %");
  EXPECT_EQ(bin({with_error(0), with_error(2), with_error(90)}), "<= 5 %");
  EXPECT_EQ(bin({with_error(0), with_error(0, false)}), "<= 1 %");
  EXPECT_EQ(bin({with_error(0), with_error(0, false), with_error(0, false)}), "stalled");
  EXPECT_EQ(bin({with_error(0, false)}), "stalled");
}

TEST(ErrorMap, HasAPanelForEachEquationAndDimensionAndOneForTheColours) {
  const MappedEquation equation = mapped_equations({}).front();
  ErrorMap of;
  for (const unsigned dim : {2U, 4U}) {
    of.add(equation, dim, [&](const std::string& run) {
      const bool jitter = run.find("--jitter '0 us'") == std::string::npos;
      return with_error(jitter ? 7 : 0, dim == 2 || !jitter);
    });
  }
  const Panels map = of.picture();
  ASSERT_EQ(map.size(), 3U);
  const auto& first = std::get<Grid>(map[0]);
  EXPECT_EQ(first.columns.size(), equation.sizes.size());
  EXPECT_EQ(first.rows, (std::vector<std::string>{"0", "0.1", "1", "5", "20", "100"}));
  EXPECT_EQ(first.cells[0][0].text, "0.0");
  EXPECT_EQ(first.cells[1][0].text, "+7.0");
  const auto& second = std::get<Grid>(map[1]);
  EXPECT_EQ(second.cells[1][2].text, "stalled");
  // Bins have colours of their own, the same in the panel that explains them.
  const auto& key = std::get<Grid>(map[2]).cells.front();
  std::set<unsigned> colours;
  for (const Cell& cell : key) colours.insert(*cell.colour);
  EXPECT_EQ(colours.size(), 5U);
  EXPECT_EQ(first.cells[0][0].colour, key[0].colour);
  EXPECT_EQ(first.cells[1][0].colour, key[2].colour);
  EXPECT_EQ(second.cells[1][2].colour, key[4].colour);
  const std::string text = map_text(of.cells);
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), 1 + of.cells.size());
}

}  // namespace
}  // namespace ecube::verdict_test
