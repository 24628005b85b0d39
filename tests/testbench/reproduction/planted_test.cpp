// SPDX-License-Identifier: Apache-2.0
// Every check of a claim says no of something wrong: of what a run, a schedule or a list of messages might have been,
// and of each row of a table that were printed otherwise.
#include "models/machine/topology.h"
#include "models/presets/presets.h"
#include "testbench/reproduction/claims.h"
#include "testbench/reproduction/equations.h"
#include "testbench/reproduction/judged.h"
#include "testbench/reproduction/results.h"
#include "tests/test.h"

namespace ecube::planted_test {
namespace {

const PublishedResult& result_named(std::string_view id) {
  return *std::ranges::find(published_results(), id, &PublishedResult::id);
}

/// The checks of a result while something is planted.
std::vector<Check> checks_of(TestBench& bench, const PublishedResult& result, const Planted& wrong = {}) {
  planted() = wrong;
  const Machine machine = result.preset.empty() ? Machine{} : resolve(preset_settings(preset(result.preset)));
  std::vector<Check> checks = result.reproduce(bench, machine).checks;
  EXPECT_TRUE(wrong.subjects.empty() || planted().spoilt > 0) << result.id << ": nothing is called " << wrong.subjects;
  planted() = {};
  return checks;
}

/// The statements of the checks that differ.
std::set<std::string> differing(const std::vector<Check>& checks) {
  std::set<std::string> statements;
  for (const Check& check : checks) {
    if (check.state() == CheckState::differs) statements.insert(check.statement);
  }
  return statements;
}

/// What a claim is by one of its results alone.
ClaimVerdict verdict_by(const Claim& claim, std::string_view result, const std::vector<Check>& checks) {
  Claim part = claim;
  std::erase_if(part.deciders, [&](const std::string& decider) {
    return decider != result && !decider.starts_with(std::string(result) + "/");
  });
  return verdict_of(part, {{std::string(result), checks}}, known_differences());
}

/// Results, and what is wrong in them.
std::vector<std::pair<std::string, Planted>> planted_rows() {
  const std::regex pattern("([^#;]+); ([^;]+); ([^;]+)");
  std::vector<std::pair<std::string, Planted>> rows;
  for (const std::string& line : file_lines(in_tree("tests/testbench/reproduction/planted.txt"))) {
    std::smatch match;
    if (!std::regex_match(line, match, pattern)) continue;
    std::istringstream results(match[1]);
    for (std::string one; results >> one;) rows.push_back({one, {.subjects = match[2], .how = match[3]}});
  }
  return rows;
}

/// Plants one of so many rows of the results that run a machine, or of those that do not. Where all are planted, each
/// check has said no, and each claim has turned.
void expect_missed(bool on_machines, unsigned one_of) {
  TestBench bench(reproduction_dim);
  Sample sample(one_of);
  std::map<std::string, std::vector<Check>> right;
  std::map<std::string, std::set<std::string>> said_no;
  std::map<std::string, std::set<std::string>> turned;  // claims by result
  for (const auto& [id, wrong] : planted_rows()) {
    const PublishedResult& result = result_named(id);
    if (result.preset.empty() == on_machines || !sample.takes()) continue;
    if (!right.contains(id)) right[id] = checks_of(bench, result);
    const std::vector<Check> checks = checks_of(bench, result, wrong);
    const std::string name = id + ": " + wrong.subjects + " " + wrong.how + "; " + sample.name();
    // The command ends with status 1.
    EXPECT_FALSE(verdict_of(id, checks, known_differences()).as_on_file()) << name;
    said_no[id].merge(differing(checks));
    for (const Claim& claim : claims()) {
      if (std::ranges::count(results_of(claim), id) == 0) continue;
      const ClaimVerdict before = verdict_by(claim, id, right[id]);
      const ClaimVerdict after = verdict_by(claim, id, checks);
      if (after.state != before.state || after.differ != before.differ) turned[id].insert(claim.id);
    }
  }
  if (!all_cases && one_of * fewer_cases > 1) return;
  for (const auto& [id, checks] : right) {
    for (const Check& check : checks) {
      const bool says_no = check.state() == CheckState::no_number || said_no[id].contains(check.statement);
      EXPECT_TRUE(says_no) << id << " has not said no: " << check.statement;
    }
    for (const Claim& claim : claims()) {
      if (std::ranges::count(results_of(claim), id) == 0) continue;
      // A claim that does not hold, or not always, says no of print; one without a number in print says nothing.
      const ClaimVerdict verdict = verdict_by(claim, id, checks);
      const bool says_no =
          turned[id].contains(claim.id) || !verdict.differ.empty() || verdict.state == ClaimState::undecidable;
      EXPECT_TRUE(says_no) << claim.id << " has not turned with " << id;
    }
  }
}

TEST(PlantedSubjects, AreMissedByEveryCheckOfAResult) { expect_missed(true, 50); }

/// Theory takes no machine: all rows, but for a sample under sanitizers.
TEST(PlantedTheory, IsMissedByEveryCheckOfAResult) { expect_missed(false, 1); }

TEST(PlantedSubjects, AreThoseOfEveryResultThatDecidesAClaim) {
  std::set<std::string_view> results;
  const auto rows = planted_rows();
  for (const auto& [id, wrong] : rows) results.insert(id);
  for (const Claim& claim : claims()) {
    for (const std::string_view id : results_of(claim)) EXPECT_TRUE(results.contains(id)) << claim.id << ' ' << id;
  }
}

/// Runs whose times would mean nothing make no check at all.
TEST(PlantedSubjects, OfDisturbedRunsEndTheResult) {
  TestBench bench(reproduction_dim);
  for (const std::string_view id : {"nicol-direct", "vdg-fig1", "jh-fig1"}) {
    const auto with = [&](const std::string& subjects, const std::string& how) {
      return thrown<std::runtime_error>([&] { return checks_of(bench, result_named(id), {subjects, how}); });
    };
    EXPECT_HAS(with("blocked circuits", "+1"), "had circuits blocked");
    EXPECT_HAS(with("right data", "x0"), "left wrong data");
  }
}

TEST(MeshRounds, AreRefusedForTheirFault) {
  const Topology mesh = *Topology::parse("mesh:6x6");
  const std::vector<Round> right = direct_rounds(mesh);
  EXPECT_EQ(fault_of(right, mesh), "");
  const auto fault = [&](const auto& spoil) {
    std::vector<Round> wrong = right;
    spoil(wrong);
    return fault_of(wrong, mesh);
  };
  const PlannedCircuit first = right.front().front();
  const std::string sender = std::to_string(first.source);
  const std::string pair = sender + " sends to " + std::to_string(first.destination);
  EXPECT_EQ(fault([](auto& rounds) { rounds.front().erase(rounds.front().begin()); }), "1259 of 1260 pairs");
  EXPECT_EQ(fault([](auto& rounds) { rounds.pop_back(); }),
            std::to_string(1260 - right.back().size()) + " of 1260 pairs");
  EXPECT_EQ(fault([&](auto& rounds) { rounds[1].push_back(first); }), "round 2: " + pair + " again");
  EXPECT_EQ(fault([&](auto& rounds) { rounds.push_back({first}); }), "round 55: " + pair + " again");
  EXPECT_EQ(fault([&](auto& rounds) { rounds.front().front().destination = first.source; }),
            "round 1: " + sender + " and " + sender + " are no pair");
  EXPECT_EQ(fault([](auto& rounds) { rounds.front().front().destination = 36; }),
            "round 1: " + sender + " and 36 are no pair");
  // Rounds of one or two circuits, made by hand.
  const auto fault_in = [&](const Round& round) { return fault_of(std::vector<Round>{round}, mesh); };
  EXPECT_EQ(fault_in({{0, 1}, {0, 6}}), "round 1: 0 sends twice");
  EXPECT_EQ(fault_in({{0, 1}, {7, 1}}), "round 1: 1 receives twice");
  EXPECT_EQ(fault_in({{0, 2}, {1, 3}}), "round 1: circuits share a link");
  EXPECT_EQ(fault_in({{0, 2}, {3, 1}}), "2 of 1260 pairs");  // links of both directions
  // Any two rounds of the table run into each other once they are one.
  const std::string joined = fault([](auto& rounds) {
    rounds.front().insert(rounds.front().end(), rounds.back().begin(), rounds.back().end());
    rounds.pop_back();
  });
  EXPECT_HAS(joined, "round 1: ");
}

TEST(PrintedTables, AreMissedRowByRow) {
  TestBench bench(reproduction_dim);
  std::set<std::pair<std::string, std::string>> seen;
  std::map<std::string, std::size_t> rows;  // of each result
  Sample sample(10);
  for (const std::vector<std::string>& row : printed_rows()) {
    const Planted wrong{"row " + std::to_string(rows[row[0]]++) + " of " + row[0] + ",", "digit"};
    // The first of each kind of row, and a sample of the others; only that sample under sanitizers.
    const bool first = seen.emplace(row[0], row[1]).second && !sanitized;
    std::string misprint = row[2];
    spoil(misprint, wrong.how);
    // Words of a check, or where a figure synchronises (*), which is not compared.
    const bool unused = row[1] == "name" || row[1] == "time" || row[2].front() == '*';
    if (unused || (!sample.takes() && !first) || misprint == row[2]) continue;
    bool as_on_file = false;
    try {
      const std::vector<Check> checks = checks_of(bench, result_named(row[0]), wrong);
      as_on_file = verdict_of(row[0], checks, known_differences()).as_on_file();
    } catch (const std::exception&) {  // some misprints cannot be read
    }
    EXPECT_FALSE(as_on_file) << wrong.subjects << " " << row[1] << ": " << row[2] << " is " << misprint << "; "
                             << sample.name();
  }
}

}  // namespace
}  // namespace ecube::planted_test
