// SPDX-License-Identifier: Apache-2.0
// Runs that break the assumptions of the equations, and how their errors are spread over seeds.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "testbench/validation/validation.h"

namespace ecube {

ErrorSpread spread_of(std::span<const ValidationPoint> runs) {
  ErrorSpread spread{.runs = runs.size()};
  std::vector<double> errors;
  for (const ValidationPoint& run : runs) {
    if (run.finished) errors.push_back(run.error_percent());
  }
  spread.stalled = runs.size() - errors.size();
  if (errors.empty()) return spread;
  std::sort(errors.begin(), errors.end());
  const auto at = [&](std::size_t percent) { return errors[(percent * errors.size() + 99) / 100 - 1]; };
  spread.median_percent = at(50);
  spread.low_percent = at(5);
  spread.high_percent = at(95);
  return spread;
}

namespace {

/// A row of one run without jitter, or of one run for each seed.
BrokenAssumption broken_by(const ValidationSetup& setup, std::string what, const std::string& run, double jitter_us,
                           const std::string& predicted = "/us") {
  BrokenAssumption row{.assumption = std::move(what), .point = {}};
  if (jitter_us == 0) {
    row.point = setup.point(run, predicted);
    return row;
  }
  for (std::uint64_t seed = 1; seed <= jitter_seeds; ++seed) {
    row.seeds.push_back(setup.point(fmt::format("{} --jitter '{} us' --seed {}", run, jitter_us, seed), predicted));
  }
  row.point = row.seeds.front();
  return row;
}

}  // namespace

std::vector<BrokenAssumption> break_assumptions(const ValidationSetup& setup) {
  std::vector<BrokenAssumption> rows;
  const auto add = [&](std::string what, const std::string& run, double jitter_us,
                       const std::string& predicted = "/us") {
    rows.push_back(broken_by(setup, std::move(what), run, jitter_us, predicted));
  };
  const std::array<std::string, 2> exchanges = {"exchange --machine ideal --ports one",
                                                "exchange --machine ipsc860 --ports one"};
  for (const std::string& exchange : exchanges) {
    const std::string synchronised = exchange + " --dim 5 --partition 3,2 --bytes 1000";
    const std::string unsynchronised = synchronised + " --pairwise-sync off";
    add("no pairwise synchronisation", unsynchronised, 0);
    for (const double us : {5.0, 50.0, 500.0}) {
      add(fmt::format("jitter of {} us", us), synchronised, us);
      add(fmt::format("jitter of {} us, no pairwise synchronisation", us), unsynchronised, us);
    }
    const std::string direct = exchange + " --dim 5 --partition 5 --bytes 1000 --schedule ";
    add("ordered schedule: everyone sends to 0, 1, 2, ..", direct + "ordered", 0);
    add("random schedule", direct + "random", 0);
  }
  // The papers' equation has one distance for all messages.
  for (const std::string& exchange : exchanges) {
    for (const char* const partition : {"6", "3,3", "1,1,1,1,1,1"}) {
      add("real distances against the average of d/2 hops",
          fmt::format("{} --dim 6 --partition {} --bytes 1", exchange, partition), 0, "/average_distance_us");
    }
  }
  for (const double us : {50.0, 500.0}) {
    add(fmt::format("jitter of {} us", us), "combine --machine ipsc860-nx --dim 5 --items 1000 --strategy hybrid", us);
  }
  add("jitter of 5 us",
      "shuffle --machine ideal --ports n --dim 5 --elements 32 --packet 1 --algorithm concurrent --cycle "
      "p4,p3,p2,p1,p0,s0",
      5);
  return rows;
}

}  // namespace ecube
