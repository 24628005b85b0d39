// SPDX-License-Identifier: Apache-2.0
// Published results by name.
#include "testbench/reproduce_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "testbench/ipsc1_shuffles.h"
#include "testbench/nicol_points.h"
#include "testbench/run_session.h"

namespace ecube {

namespace {

/// What came of one result.
struct Reproduced {
  bool pass = false;
  std::string verdict;
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
};

Reproduced reproduce_nicol_points(TestBench& bench, bool json) {
  const std::vector<PublishedPoint> points = measure_nicol_points(bench);
  Reproduced result{.pass = true, .verdict = {}};
  if (!json)
    fmt::print("{:<40} {:>10} {:>10} {:>9}\n", "ipsc860, pairwise synchronisation", "published", "measured",
               "distance");
  for (const PublishedPoint& point : points) {
    result.pass = result.pass && point.holds;
    nlohmann::ordered_json row = {{"statement", point.statement}};
    if (point.published) {
      row["published"] = *point.published;
      row["measured"] = *point.measured;
      row["unit"] = point.unit;
      row["distance_percent"] = *point.distance_percent();
    } else {
      row["holds"] = point.holds;
    }
    result.points.push_back(row);
    if (json) continue;
    if (point.published) {
      fmt::print("{:<40} {:>10.4g} {:>10.4g} {:>8.0f}%  {}\n", point.statement, *point.published, *point.measured,
                 *point.distance_percent(), point.unit);
    } else {
      fmt::print("{:<40} {:>10} {:>10}\n", point.statement, "", point.holds ? "holds" : "DOES NOT HOLD");
    }
  }
  result.verdict =
      result.pass ? "the order of the partitions is as published; times and crossings differ by the distances shown"
                  : "the order of the partitions differs from the published one";
  return result;
}

Reproduced reproduce_figure_11(TestBench& bench, bool json) {
  const Ipsc1Shuffles measured = measure_ipsc1_shuffles(bench);
  Reproduced result{.pass = true, .verdict = {}};
  if (!json) {
    fmt::print("ipsc1, shuffle of all dimensions of a 5-cube, one port, times in ms\n\n");
    fmt::print("{:>7} {:>10} {:>10} {:>10} {:>10}   route / better of A1, A2\n", "bytes", "route", "two AAPCs", "A1",
               "A2");
  }
  double least = measured.sizes.front().ratio();
  double most = least;
  for (const Ipsc1Shuffle& size : measured.sizes) {
    least = std::min(least, size.ratio());
    most = std::max(most, size.ratio());
    result.points.push_back(
        {{"bytes", size.bytes},
         {"route_ms", size.route_ms},
         {"two_aapcs_ms", size.two_aapcs_ms > 0 ? nlohmann::ordered_json(size.two_aapcs_ms) : nlohmann::ordered_json()},
         {"a1_ms", size.a1_ms},
         {"a2_ms", size.a2_ms},
         {"ratio", size.ratio()}});
    if (json) continue;
    fmt::print("{:>7} {:>10.3f} {:>10} {:>10.3f} {:>10.3f}   {:.2f}\n", grouped(size.bytes), size.route_ms,
               size.two_aapcs_ms > 0 ? fmt::format("{:.3f}", size.two_aapcs_ms) : "-", size.a1_ms, size.a2_ms,
               size.ratio());
  }
  const bool crossing = measured.a1_from_bytes >= 100 && measured.a1_from_bytes < 1000;
  result.pass = least > 1 && crossing;
  result.verdict = fmt::format(
      "agrees: A2 is faster up to {} bytes and A1 above (published: a few hundred), and both beat the router at every "
      "size. Differs: the router takes {:.1f} to {:.1f} times as long, published 5 to 10. A message goes over 4 hops "
      "at "
      "most, each of one start-up, where A2 has 5 start-ups and A1 sends 6 halves; whatever else forwarding cost on "
      "the "
      "machine is not in its published figures. For 5 times at {} bytes a forwarded packet would have to take {:.1f} "
      "ms "
      "instead of {:.1f}",
      measured.a1_from_bytes, least, most, measured.forward_at_bytes, measured.forward_for_5_ms, measured.forward_ms);
  if (!result.pass) result.verdict = "the order of the algorithms differs from the published one";
  return result;
}

struct Result {
  std::string_view id;
  std::string_view what;
  Reproduced (*reproduce)(TestBench& bench, bool json);
};

constexpr std::array<Result, 2> known = {{
    {"nicol-points", "Nicol & Bokhari 1994, sections 4 and 5: times and crossings stated for the iPSC/860, d = 5 and 6",
     reproduce_nicol_points},
    {"jh-fig11", "Johnsson & Ho 1991, section 5: shuffles on an iPSC/1 5-cube by A1, A2, two AAPCs and its router",
     reproduce_figure_11},
}};

int run(const std::string& id, bool json) {
  std::vector<std::string_view> ids = {"list", "all"};
  for (const Result& result : known) ids.push_back(result.id);
  if (id == "list") {
    for (const Result& result : known) fmt::print("{:<14} {}\n", result.id, result.what);
    return 0;
  }
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) refuse_word("reproduce", id, ids);
  TestBench bench(6);
  bool pass = true;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const Result& result : known) {
    if (id != "all" && id != result.id) continue;
    const Reproduced reproduced = result.reproduce(bench, json);
    pass = pass && reproduced.pass;
    if (!json) fmt::print("\nverdict: {}\n", reproduced.verdict);
    if (!json && id == "all" && &result != &known.back()) fmt::print("\n");
    results.push_back({{"id", result.id},
                       {"pass", reproduced.pass},
                       {"verdict", reproduced.verdict},
                       {"files", nlohmann::ordered_json::array()},
                       {"points", reproduced.points}});
  }
  if (json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"schema", 1}, {"command", "reproduce"}, {"results", results}}).dump(2));
  }
  return pass ? 0 : 1;
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
  command->footer(
      "Examples:\n  ecube reproduce list\n  ecube reproduce nicol-points\n  ecube reproduce jh-fig11 --json");
  command->callback([arguments, &invocation] { invocation.status = run(arguments->id, arguments->json); });
}

}  // namespace ecube
