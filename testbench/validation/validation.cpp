// SPDX-License-Identifier: Apache-2.0
// From words to a run beside its equation, and from grids to families.
#include "testbench/validation/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "models/machine/error.h"
#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"
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

}  // namespace

void ValidationFamily::run(ValidationSetup& setup) {
  const std::string begin = workload() + " " + machine;
  const Machine changed = setup.experiment(begin)->setup().machine;  // refuses changes that the machine cannot take
  std::exception_ptr refused;
  for (const std::string& one : draw ? draw(*this, changed, setup.seed()) : grid_runs(*this)) {
    try {
      points.push_back(setup.point(fmt::format("{} {}", begin, one), predicted));
    } catch (const InputError&) {
      if (draw) throw;
      refused = std::current_exception();  // packets that do not make up the elements
    }
  }
  if (points.empty()) std::rethrow_exception(refused);
}

const ValidationPoint& ValidationFamily::worst() const {
  return *std::ranges::max_element(points, {},
                                   [](const ValidationPoint& one) { return std::abs(one.error_percent()); });
}

double ValidationFamily::rms_percent() const {
  double sum = 0;
  for (const ValidationPoint& point : points) sum += point.error_percent() * point.error_percent();
  return std::sqrt(sum / static_cast<double>(points.size()));
}

std::size_t ValidationFamily::broken() const {
  return points.size() - static_cast<std::size_t>(std::ranges::count_if(points, &ValidationPoint::assumptions_held));
}

bool ValidationFamily::pass() const { return std::abs(worst().error_percent()) <= tolerance_percent && broken() == 0; }

ValidationSetup::ValidationSetup(const ValidateArguments& arguments)
    : changes_(arguments.set),
      seed_(static_cast<std::uint64_t>(in_range("--seed", arguments.seed, 0, std::int64_t{1} << 62))) {}

std::unique_ptr<Experiment> ValidationSetup::experiment(const std::string& run) {
  std::vector<std::string> words = words_in(run);
  for (const std::string& change : changes_) words.insert(words.end(), {"--set", change});
  words.emplace_back("--quiet");
  return run_request(words)->experiment(benches_);
}

ValidationPoint ValidationSetup::point(const std::string& run, const std::string& predicted) {
  const std::unique_ptr<Experiment> one = experiment(run);
  one->run();
  const RunMeasurement& measured = one->measurement();
  return {.run = run,
          .predicted_us = one->report().predicted.at(Json::json_pointer(predicted)),
          .measured_us = measured.result.us,
          .blocked_circuits = measured.network.link_blocked.circuits,
          .port_blocked_circuits = measured.network.port_blocked.circuits,
          .serialised_circuits = measured.network.serialised.circuits,
          .lost_messages = measured.network.lost,
          .finished = measured.result.status == RunResult::Status::finished,
          .verified = one->verified() == true};
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

void add_spread(Json& json, const ErrorSpread& spread) {
  json["seeds"] = spread.runs;
  json["stalled"] = spread.stalled;
  json["stalled_percent"] = spread.stalled_percent();
  json["median_error_percent"] = json_or_null(spread.median_percent);
  json["p5_error_percent"] = json_or_null(spread.low_percent);
  json["p95_error_percent"] = json_or_null(spread.high_percent);
}

std::vector<BrokenAssumption> break_assumptions(ValidationSetup& setup) {
  std::vector<BrokenAssumption> broken;
  for (const std::vector<std::string>& row : table_rows(broken_table, 4)) {
    BrokenAssumption& one = broken.emplace_back(BrokenAssumption{.assumption = row[0]});
    if (row[2] == "0") one.points.push_back(setup.point(row[1], row[3]));
    for (std::uint64_t seed = 1; row[2] != "0" && seed <= jitter_seeds; ++seed) {
      one.points.push_back(setup.point(fmt::format("{} --jitter '{} us' --seed {}", row[1], row[2], seed), row[3]));
    }
  }
  return broken;
}

}  // namespace ecube
