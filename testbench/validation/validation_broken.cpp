// SPDX-License-Identifier: Apache-2.0
// Runs that break the assumptions of the equations, and how their errors are spread over seeds.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "testbench/validation/validation_points.h"

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

/// The most that `--jitter` adds to node starts and start-ups, in cycles of the machine.
Cycles jitter_cycles(const Machine& machine, double us) {
  return static_cast<Cycles>(std::lround(us * 1e-6 * machine.clock_hz));
}

/// A row of one run without jitter, or of one run for each seed. `run` takes RunConditions.
template <class Run>
BrokenAssumption broken_by(std::string what, const Machine& machine, double jitter_us, const Run& run) {
  BrokenAssumption row{.assumption = std::move(what), .point = {}};
  const Cycles jitter = jitter_cycles(machine, jitter_us);
  for (std::uint64_t seed = 1; seed <= (jitter > 0 ? jitter_seeds : 1); ++seed) {
    ValidationPoint point = run(RunConditions{.jitter = jitter, .seed = seed});
    point.run += fmt::format(" --machine {}", machine.name);
    if (jitter > 0) point.run += fmt::format(" --jitter '{} cycles' --seed {}", jitter, seed);
    row.seeds.push_back(std::move(point));
  }
  row.point = row.seeds.front();
  if (jitter == 0) row.seeds.clear();
  return row;
}

void break_exchange(TestBench& bench, const Machine& machine, std::vector<BrokenAssumption>& rows) {
  constexpr Bytes bytes = 1000;
  const auto add = [&](std::string what, const ExchangePoint& point, double jitter_us) {
    rows.push_back(broken_by(std::move(what), machine, jitter_us, [&](const RunConditions& conditions) {
      ExchangePoint one = point;
      one.conditions = conditions;
      return exchange_point(bench, machine, one);
    }));
  };
  const ExchangePoint synchronised = ExchangePoint::of(Partition({3, 2}), bytes);
  ExchangePoint unsynchronised = synchronised;
  unsynchronised.workload.sync = PairwiseSync::off;
  add("no pairwise synchronisation", unsynchronised, 0);
  for (const double us : {5.0, 50.0, 500.0}) {
    add(fmt::format("jitter of {:.0f} us", us), synchronised, us);
    add(fmt::format("jitter of {:.0f} us, no pairwise synchronisation", us), unsynchronised, us);
  }
  ExchangePoint direct = ExchangePoint::of(Partition::direct(5), bytes);
  direct.workload.schedule = Schedule::ordered;
  add("ordered schedule: everyone sends to 0, 1, 2, ..", direct, 0);
  direct.workload.schedule = Schedule::random;
  add("random schedule", direct, 0);
}

/// The papers' equation has one distance for all messages.
void break_distance(TestBench& bench, const Machine& machine, std::vector<BrokenAssumption>& rows) {
  for (const Partition& partition : {Partition::direct(6), Partition({3, 3}), Partition::standard(6)}) {
    rows.push_back(
        broken_by("real distances against the average of d/2 hops", machine, 0, [&](const RunConditions& /*none*/) {
          return exchange_point(bench, machine, ExchangePoint::of(partition, 1), ValidationDistance::average);
        }));
  }
}

}  // namespace

std::vector<BrokenAssumption> break_assumptions(const ValidationSetup& setup) {
  TestBench& bench = setup.bench;
  std::vector<BrokenAssumption> rows;
  const std::array both = {setup.machine("ideal"), setup.machine("ipsc860")};
  for (const Machine& machine : both) break_exchange(bench, machine, rows);
  for (const Machine& machine : both) break_distance(bench, machine, rows);
  const Machine nx = setup.machine("ipsc860-nx");
  for (const double us : {50.0, 500.0}) {
    rows.push_back(broken_by(fmt::format("jitter of {:.0f} us", us), nx, us, [&](const RunConditions& conditions) {
      return combine_point(bench, nx, {.dim = 5, .items = 1000, .version = "hybrid", .conditions = conditions});
    }));
  }
  ShuffleWorkload workload;
  workload.permutation = DimensionPermutation({shuffle_cycle(0, 5, 0)}, {});
  workload.elements = 32;
  workload.ports.engines = Ports::n;
  rows.push_back(broken_by("jitter of 5 us", both.front(), 5, [&](const RunConditions& conditions) {
    return shuffle_point(bench, both.front(), {5, workload, conditions});
  }));
  return rows;
}

}  // namespace ecube
