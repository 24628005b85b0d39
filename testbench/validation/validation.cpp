// SPDX-License-Identifier: Apache-2.0
// From words to a run beside its equation, and from grids to families.
#include "testbench/validation/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "models/machine/error.h"
#include "testbench/text/csv.h"
#include "testbench/workloads/workload_list.h"

namespace ecube {

// Assumption, run, jitter in us, and the member of the prediction that is compared. The papers' equation has one
// distance for all messages.
extern const char* const broken_table;

namespace {

/// Words with blanks between them; a word may have blanks of its own in single quotes.
std::vector<std::string> words_in(const std::string& run) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char letter : run) {
    if (letter == '\'') {
      quoted = !quoted;
    } else if (letter == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  return words;
}

std::string workload_of(const std::string& family) { return family.substr(0, family.find(' ')); }

ValidationFamily run_grid(const ValidationSetup& setup, const GridFamily& grid) {
  ValidationFamily family{
      .name = grid.name, .grid = grid.axes, .tolerance_percent = grid.tolerance_percent, .reason = grid.reason};
  (void)setup.experiment(workload_of(grid.name) + " " + grid.machine);  // refuses changes that the machine cannot take
  std::exception_ptr refused;
  for (const std::string& run : runs_of(grid)) {
    try {
      family.points.push_back(setup.point(run, grid.predicted));
    } catch (const InputError&) {
      refused = std::current_exception();  // packets that do not make up the elements
    }
  }
  if (family.points.empty()) std::rethrow_exception(refused);
  return family;
}

BrokenAssumption broken_by(const ValidationSetup& setup, const std::string& what, const std::string& run,
                           const std::string& jitter_us, const std::string& predicted) {
  BrokenAssumption row{.assumption = what, .point = {}};
  if (jitter_us == "0") {
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

const ValidationPoint& ValidationFamily::worst() const {
  return *std::max_element(points.begin(), points.end(), [](const ValidationPoint& a, const ValidationPoint& b) {
    return std::abs(a.error_percent()) < std::abs(b.error_percent());
  });
}

double ValidationFamily::rms_percent() const {
  double sum = 0;
  for (const ValidationPoint& point : points) sum += point.error_percent() * point.error_percent();
  return std::sqrt(sum / static_cast<double>(points.size()));
}

std::size_t ValidationFamily::broken() const {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const ValidationPoint& one) { return !one.assumptions_held(); }));
}

bool ValidationFamily::pass() const { return std::abs(worst().error_percent()) <= tolerance_percent && broken() == 0; }

std::unique_ptr<Experiment> ValidationSetup::experiment(const std::string& run) const {
  std::vector<std::string> words = words_in(run);
  for (const std::string& change : changes) words.insert(words.end(), {"--set", change});
  words.emplace_back("--quiet");
  return run_request(words)->experiment(benches);
}

ValidationPoint ValidationSetup::point(const std::string& run, const std::string& predicted) const {
  const std::unique_ptr<Experiment> one = experiment(run);
  one->run();
  const RunMeasurement& measured = one->measurement();
  return {.run = run,
          .predicted_us = one->report().predicted.at(nlohmann::ordered_json::json_pointer(predicted)),
          .measured_us = measured.result.us,
          .blocked_circuits = measured.network.link_blocked.circuits,
          .port_blocked_circuits = measured.network.port_blocked.circuits,
          .serialised_circuits = measured.network.serialised.circuits,
          .lost_messages = measured.network.lost,
          .finished = measured.result.status == RunResult::Status::finished,
          .verified = one->verified() == true};
}

std::vector<FamilyPlan> validation_families() {
  std::vector<FamilyPlan> plans;
  for (const auto& families : {grid_families(), collective_families()}) {
    for (const GridFamily& grid : families) {
      plans.push_back({grid.name, [grid](const ValidationSetup& setup) { return run_grid(setup, grid); }});
    }
  }
  for (auto& plan : sampled_families()) plans.push_back(std::move(plan));
  return plans;
}

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

std::vector<BrokenAssumption> break_assumptions(const ValidationSetup& setup) {
  std::vector<BrokenAssumption> rows;
  for (const std::vector<std::string>& row : table_rows(broken_table, 4)) {
    rows.push_back(broken_by(setup, row[0], row[1], row[2], row[3]));
  }
  return rows;
}

}  // namespace ecube
