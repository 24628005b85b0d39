// SPDX-License-Identifier: Apache-2.0
// The list of claims: every row names a check that there is, and its verdict follows from the checks.
#include "testbench/reproduction/claims.h"

#include "models/machine/error.h"
#include "testbench/reproduction/results.h"
#include "tests/test.h"

namespace claims_test {
namespace {

using namespace ecube;

std::set<std::string> registered_tests() {
  std::set<std::string> names;
  const std::regex test(R"(^TEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(in_tree("tests"))) {
    const bool transcript = entry.path().parent_path().filename() == "transcripts";
    if (entry.path().extension() != ".cpp" && !transcript) continue;
    for (const std::string& line : file_lines(entry.path())) {
      if (transcript && line.starts_with("== ")) names.insert(line.substr(3));
      std::smatch match;
      if (line.starts_with("TEST") && std::regex_search(line, match, test)) {
        names.insert(match[1].str() + "." + match[2].str());
      }
    }
  }
  return names;
}

TEST(Claims, AreAllOfTheFourPapersOnce) {
  std::set<std::string> ids;
  std::map<char, unsigned> of_paper;
  for (const Claim& claim : claims()) {
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
    EXPECT_EQ(claim.id.substr(1), std::to_string(++of_paper[claim.id.front()]));
  }
  EXPECT_EQ(of_paper, (std::map<char, unsigned>{{'B', 80}, {'J', 98}, {'N', 69}, {'V', 46}}));
}

TEST(Claims, NameResultsAndTestsThatThereAre) {
  const std::set<std::string> tests = registered_tests();
  std::set<std::string_view> results;
  for (const PublishedResult& result : published_results()) results.insert(result.id);
  for (const Claim& claim : claims()) {
    for (const std::string_view id : results_of(claim)) EXPECT_TRUE(results.contains(id)) << claim.id << ' ' << id;
    for (const std::string& decider : claim.deciders) {
      const bool missing = decider.starts_with("test:") && !tests.contains(decider.substr(5));
      EXPECT_FALSE(missing) << claim.id << ' ' << decider;
    }
  }
}

TEST(Claims, VerdictsFollowFromTheChecks) {
  const auto verdict = [](const std::string& deciders, const std::vector<Check>& checks) {
    const Claim claim = parse_claims("B1\t1\ttext\t" + deciders + "\n").front();
    return std::string(words_of(verdict_of(claim, {{"item", checks}}, {}).state));
  };
  const Check yes = statement_check(print, "yes", true);
  const Check no = statement_check(print, "no", false);
  const Check corrected = statement_check(ours, "corrected", true);
  EXPECT_EQ(verdict("item", {yes, corrected}), "holds");
  EXPECT_EQ(verdict("item", {yes, no}), "holds with a condition");
  EXPECT_EQ(verdict("item", {no, corrected}), "does not hold");
  EXPECT_EQ(verdict("item/yes", {yes, no}), "holds");
  EXPECT_EQ(verdict("item/yes;item/no", {yes, no}), "holds with a condition");
  EXPECT_EQ(verdict("item/curves;test:A.B", {no_number_check("curves")}), "by a test");
  EXPECT_EQ(verdict("item", {no_number_check("curves")}), "undecidable by simulation");
  EXPECT_EQ(verdict("outside:nothing is measurable", {}), "undecidable by simulation");
  EXPECT_EQ(verdict("-", {yes}), "not yet checked");
  EXPECT_HAS(thrown<InputError>([&] { return verdict("item/other", {yes}); }), "B1: no check of item/other");

  const TestResults tests = parse_ctest(
      " 1/4 Test #184: Suite.Passes ......   Passed    0.02 sec\n"
      " 2/4 Test  #7: Cases/Suite.HasCases/0 ..   Passed    0.10 sec\n"
      " 3/4 Test  #8: Cases/Suite.HasCases/1 ..***Failed    0.10 sec\n"
      "\t  8 - Cases/Suite.HasCases/1 (Failed)\n");
  EXPECT_EQ(tests, (TestResults{{"Suite.HasCases", false}, {"Suite.Passes", true}}));
  const auto by_tests = [&](const std::string& deciders) {
    const Claim claim = parse_claims("B1\t1\ttext\t" + deciders + "\n").front();
    return std::string(words_of(verdict_of(claim, {{"item", {yes}}}, {}, &tests).state));
  };
  EXPECT_EQ(by_tests("test:Suite.Passes"), "holds");
  EXPECT_EQ(by_tests("test:Suite.HasCases"), "does not hold");
  EXPECT_EQ(by_tests("item;test:Suite.HasCases"), "holds with a condition");
  EXPECT_HAS(thrown<InputError>([&] { return by_tests("test:Suite.Other"); }), "no test Suite.Other has run");
  EXPECT_HAS(thrown<InputError>([&] { return parse_claims("B1\t1\ttext\n"); }), "4 fields between tabs: B1");
}

}  // namespace
}  // namespace claims_test
