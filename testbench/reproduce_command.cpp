// SPDX-License-Identifier: Apache-2.0
// Published results by name.
#include "testbench/reproduce_command.h"

#include <fmt/core.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "testbench/nicol_points.h"
#include "testbench/run_session.h"

namespace ecube {

namespace {

constexpr std::string_view nicol_points = "nicol-points";
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> known = {
    {{nicol_points,
      "Nicol & Bokhari 1994, sections 4 and 5: times and crossings stated for the iPSC/860, d = 5 and 6"}}};

int reproduce_nicol_points(bool json) {
  TestBench bench(6);
  const std::vector<PublishedPoint> points = measure_nicol_points(bench);
  bool pass = true;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  if (!json)
    fmt::print("{:<40} {:>10} {:>10} {:>9}\n", "ipsc860, pairwise synchronisation", "published", "measured",
               "distance");
  for (const PublishedPoint& point : points) {
    pass = pass && point.holds;
    nlohmann::ordered_json row = {{"statement", point.statement}};
    if (point.published) {
      row["published"] = *point.published;
      row["measured"] = *point.measured;
      row["unit"] = point.unit;
      row["distance_percent"] = *point.distance_percent();
    } else {
      row["holds"] = point.holds;
    }
    rows.push_back(row);
    if (json) continue;
    if (point.published) {
      fmt::print("{:<40} {:>10.4g} {:>10.4g} {:>8.0f}%  {}\n", point.statement, *point.published, *point.measured,
                 *point.distance_percent(), point.unit);
    } else {
      fmt::print("{:<40} {:>10} {:>10}\n", point.statement, "", point.holds ? "holds" : "DOES NOT HOLD");
    }
  }
  const std::string verdict =
      pass ? "the order of the partitions is as published; times and crossings differ by the distances shown"
           : "the order of the partitions differs from the published one";
  if (json) {
    const nlohmann::ordered_json object = {{"schema", 1},
                                           {"command", "reproduce"},
                                           {"results",
                                            {{{"id", nicol_points},
                                              {"pass", pass},
                                              {"verdict", verdict},
                                              {"files", nlohmann::ordered_json::array()},
                                              {"points", rows}}}}};
    fmt::print("{}\n", object.dump(2));
  } else {
    fmt::print("\nverdict: {}\n", verdict);
  }
  return pass ? 0 : 1;
}

int run(const std::string& id, bool json) {
  std::vector<std::string_view> ids = {"list", "all"};
  for (const auto& [name, what] : known) ids.push_back(name);
  if (id == "list") {
    for (const auto& [name, what] : known) fmt::print("{:<14} {}\n", name, what);
    return 0;
  }
  if (id == nicol_points || id == "all") return reproduce_nicol_points(json);
  refuse_word("reproduce", id, ids);
}

}  // namespace

void add_reproduce(CLI::App& app, Invocation& invocation) {
  struct Arguments {
    std::string id;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* const command =
      app.add_subcommand("reproduce", "What a paper published, measured again: published beside measured");
  command->add_option("id", arguments->id, "list, all or the name of a result")->required();
  command->add_flag("--json", arguments->json, "One JSON object on standard output");
  command->footer("Examples:\n  ecube reproduce list\n  ecube reproduce nicol-points");
  command->callback([arguments, &invocation] { invocation.status = run(arguments->id, arguments->json); });
}

}  // namespace ecube
