// SPDX-License-Identifier: Apache-2.0
// The grid of measured against predicted times, and the errors of the equations where their assumptions fail.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/fit/deviation.h"
#include "models/presets/settings.h"
#include "testbench/machine/test_bench.h"

namespace ecube {

/// One run beside its equation with parameters fitted on the machine.
struct ValidationPoint {
  std::string run;  ///< the options of the command that ran
  double predicted_us = 0;
  double measured_us = 0;
  std::uint64_t blocked_circuits = 0;  ///< by links
  std::uint64_t port_blocked_circuits = 0;
  std::uint64_t serialised_circuits = 0;
  std::uint64_t lost_messages = 0;
  bool finished = true;
  bool verified = true;  ///< the data, which every run carries

  [[nodiscard]] double error_percent() const { return deviation_percent(measured_us, predicted_us); }
  /// No circuit waited for a link, nothing was lost, all data are in place.
  [[nodiscard]] bool assumptions_held() const {
    return finished && verified && blocked_circuits == 0 && lost_messages == 0;
  }
};

/// Runs of one collective on one machine.
struct ValidationFamily {
  std::string name;
  std::string grid;  ///< the varied options
  double tolerance_percent = 0;
  std::string reason;  ///< of the tolerance
  std::vector<ValidationPoint> points{};

  [[nodiscard]] const ValidationPoint& worst() const;
  [[nodiscard]] double rms_percent() const;
  /// Runs in which an assumption of the equation did not hold.
  [[nodiscard]] std::size_t broken() const;
  [[nodiscard]] bool pass() const;
};

/// The machines on which families run.
struct ValidationSetup {
  TestBench& bench;              ///< elaborated for sampled_validation_dim
  std::vector<Setting> changes;  ///< to every preset
  std::uint64_t seed = 1;        ///< of the sampled families

  /// The preset with the changes. InputError for a change that the preset cannot take.
  [[nodiscard]] Machine machine(std::string_view preset_name) const;
};

/// One family by name, and how to run it.
struct FamilyPlan {
  std::string name;
  std::function<ValidationFamily(const ValidationSetup& setup)> run;
};

/// Largest dimensions: of the families that run every point of a grid, and of those that run a sample.
inline constexpr unsigned validation_dim = 6;
inline constexpr unsigned sampled_validation_dim = 8;

[[nodiscard]] std::vector<FamilyPlan> validation_families();

/// How errors are spread over runs that differ in their seed alone.
struct ErrorSpread {
  std::size_t runs = 0;
  std::size_t stalled = 0;  ///< runs that did not finish, which have no error
  /// Of the runs that finished, by nearest rank: the error that at least half, 5 % and 95 % of them do not exceed, in
  /// percent. None if no run finished.
  std::optional<double> median_percent{};
  std::optional<double> low_percent{};
  std::optional<double> high_percent{};

  [[nodiscard]] double stalled_percent() const {
    return 100.0 * static_cast<double>(stalled) / static_cast<double>(runs);
  }
};

/// `runs` are not empty.
[[nodiscard]] ErrorSpread spread_of(std::span<const ValidationPoint> runs);

/// Seeds 1 .. jitter_seeds of every row that has jitter.
inline constexpr std::uint64_t jitter_seeds = 40;

/// A run that breaks an assumption on purpose.
struct BrokenAssumption {
  std::string assumption;  ///< which one, and how
  ValidationPoint point;   ///< with jitter, the run of seed 1
  /// With jitter, the runs of seeds 1, 2, .., `point` among them; else none.
  std::vector<ValidationPoint> seeds{};
};

[[nodiscard]] std::vector<BrokenAssumption> break_assumptions(const ValidationSetup& setup);

}  // namespace ecube
