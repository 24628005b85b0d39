// SPDX-License-Identifier: Apache-2.0
// The rows of figures against the results of runs, and against their page.
#include "testbench/run/figures.h"

#include "testbench/sweep/sweep_manager.h"
#include "tests/golden.h"
#include "tests/test.h"

namespace ecube::figures_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(Figures, AreOnTheirPage) {
  std::string table = "| column | unit | member of the JSON object | better | what it is |\n|---|---|---|---|---|\n";
  for (const Figure& figure : figures()) {
    for (const std::string_view cell : {figure.column, figure.unit, figure.member, figure.better, figure.help}) {
      table.append("| ").append(cell).append(cell.empty() ? "" : " ");
    }
    table += "|\n";
  }
  const std::string file = in_tree("testbench/run/FIGURES.md");
  const std::string page = file_text(file);
  expect_golden(file, page.substr(0, page.find("| column")) + table);
}

TEST(Figures, HaveColumnsOfTheirOwnThatEndInTheirUnit) {
  const std::map<std::string_view, std::string_view> endings{{"cycles", "_cycles"},
                                                             {"us", "_us"},
                                                             {"B", "_bytes"},
                                                             {"%", "_percent"},
                                                             {"messages a node in 1,000 cycles", "_rate"}};
  std::set<std::string_view> names;
  for (const Figure& figure : figures()) {
    EXPECT_TRUE(names.insert(figure.column).second) << figure.column;
    EXPECT_EQ(figure_of(figure.column), &figure);
    for (const auto& [unit, ending] : endings) {
      EXPECT_EQ(figure.column.ends_with(ending), figure.unit == unit) << figure.column << ' ' << unit;
    }
  }
  EXPECT_EQ(figure_of("cycles"), nullptr);
}

/// The members below `json` that are numbers, as "network.circuits"; not those of lists.
void numbers_in(const Json& json, const std::string& name, std::set<std::string>& members) {
  if (json.is_number()) members.insert(name);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) numbers_in(value, std::string(name).append(".").append(key), members);
}

TEST(Figures, AreAllThatRunsOfEveryWorkloadHave) {
  const std::vector<std::vector<std::string>> commands{
      {"exchange", "--dim", "3"},
      {"exchange", "--dim", "3", "--machine", "ncube2", "--ports", "2", "--partition", "2,1"},
      {"exchange", "--dim", "3", "--sizes", "zipf:1"},
      {"exchange", "--dim", "3", "--machine", "ipsc1"},
      {"exchange", "--topology", "mesh:2x4"},
      {"exchange", "--dim", "3", "--ports", "n", "--set", "network.planes=2"},
      {"combine", "--dim", "3", "--items", "20"},
      {"shuffle", "--dim", "3", "--elements", "8", "--cycle", "p2,p1,p0", "--ports", "n"},
      {"shuffle", "--dim", "3", "--elements", "8", "--cycle", "p1,p0", "--extend", "1"},
      {"scan", "--dim", "3"},
      {"barrier", "--dim", "3"},
      {"pingpong", "--dim", "3"},
      {"program", "ring", "--dim", "3"},
      {"traffic", "--dim", "3", "--rate", "5", "--messages", "50", "--fail", "0:1@1s"},
      {"traffic", "--dim", "3", "--rate", "1,50"},
  };
  // Values of options and bounds, which are not results, and where the window of the steady state lay.
  const std::vector<std::string> no_figures{"predicted.parameters.",
                                            "traffic.curve.bounds.",
                                            "traffic.steady_state.warm_up_until_cycle",
                                            "traffic.steady_state.window_until_cycle",
                                            "traffic.steady_state.drained_at_cycle",
                                            "traffic.steady_state.messages",
                                            "traffic.steady_state.batches"};
  std::set<std::string> found;
  Benches benches(3);
  for (const std::vector<std::string>& command : commands) {
    const PointOutcome outcome = run_point(command, benches);
    ASSERT_EQ(outcome.status, 0) << command.front() << ": " << outcome.error;
    for (const char* const part : {"measured", "predicted", "error_percent", "network", "traffic"}) {
      if (outcome.result.contains(part)) numbers_in(outcome.result[part], part, found);
    }
    for (const Figure& figure : figures()) {
      if (value_in(outcome.result, figure).is_boolean()) found.emplace(figure.member);
    }
  }
  std::set<std::string> rows;
  for (const Figure& figure : figures()) rows.emplace(figure.member);
  for (const std::string& member : found) {
    const bool listed = rows.contains(member) || std::any_of(no_figures.begin(), no_figures.end(),
                                                             [&](const auto& one) { return member.starts_with(one); });
    EXPECT_TRUE(listed) << member << " has no row";
  }
  for (const std::string& member : rows) EXPECT_TRUE(found.contains(member)) << member << " is in no result";
}

}  // namespace
}  // namespace ecube::figures_test
