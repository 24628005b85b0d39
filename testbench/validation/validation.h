// SPDX-License-Identifier: Apache-2.0
// The grid of measured against predicted times, and the errors of the equations where their assumptions fail.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/fit/equation_gaps.h"
#include "testbench/figure/figure.h"
#include "testbench/run/experiment.h"

namespace ecube {

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

struct ValidationFamily {
  std::string name;
  std::string grid;  ///< the varied options
  double tolerance_percent = 0;
  std::string reason;  ///< of the tolerance
  std::vector<ValidationPoint> points{};

  [[nodiscard]] const ValidationPoint& worst() const;
  [[nodiscard]] double rms_percent() const;
  [[nodiscard]] std::size_t broken() const;
  [[nodiscard]] bool pass() const;
};

/// Each run is words after `ecube run`, as "exchange --machine ideal --dim 3", through the same door as a user's.
struct ValidationSetup {
  Benches& benches;                  ///< for up to sampled_validation_dim
  std::vector<std::string> changes;  ///< "key=value", to every machine
  std::uint64_t seed = 1;            ///< of the sampled families

  /// InputError as on the command line.
  [[nodiscard]] std::unique_ptr<Experiment> experiment(const std::string& run) const;
  /// Runs it. `predicted`: the member of the prediction that is compared, as a JSON pointer.
  [[nodiscard]] ValidationPoint point(const std::string& run, const std::string& predicted = "/us") const;
};

struct FamilyPlan {
  std::string name;
  std::function<ValidationFamily(const ValidationSetup& setup)> run;
};

/// A family whose runs are the points of a grid, all in words.
struct GridFamily {
  /// In each of `from`, `from` + `step`, .. validation_dim dimensions; [a|b] stands for a, then b. Names in braces are
  /// listed in validation_grids.cpp.
  struct Lines {
    unsigned from = 1;
    unsigned step = 1;
    std::string run{};
  };

  std::string name;     ///< the workload, a blank, what is particular
  std::string machine;  ///< "--machine ideal"
  std::string axes;     ///< for people
  double tolerance_percent = 0;
  std::string reason{};  ///< of the tolerance
  std::vector<Lines> lines{};
  std::string predicted = "/us";  ///< as of ValidationSetup::point()
};

[[nodiscard]] std::vector<std::string> runs_of(const GridFamily& family);

/// How far runs may be from their equation, in per cent, and why so far.
struct Allowance {
  double percent;
  std::string reason;
};
/// By tolerances.tsv, where a workload runs under these of its conditions.
[[nodiscard]] Allowance tolerance_of(std::string_view workload, const std::set<std::string, std::less<>>& conditions);

/// Largest dimensions: of the families that run every point of a grid, and of those that run a sample.
inline constexpr unsigned validation_dim = 6;
inline constexpr unsigned sampled_validation_dim = 8;

[[nodiscard]] std::vector<FamilyPlan> validation_families();
/// Exchange, combine and shuffle on the machines that their equations describe, and families of one feature each.
[[nodiscard]] std::vector<GridFamily> grid_families();
/// Every collective on vectors by every algorithm on the machines that its equation describes, and the formulas in
/// print where they hold.
[[nodiscard]] std::vector<GridFamily> collective_families();
/// Exchange, combine and shuffle on every preset with one port, with 2 ports, and with one for each dimension, on cubes
/// up to sampled_validation_dim. The drawn runs depend on the seed and on the family's name alone.
[[nodiscard]] std::vector<FamilyPlan> sampled_families();

struct ErrorSpread {
  std::size_t runs = 0;
  std::size_t stalled = 0;  ///< runs that did not finish, which have no error
  /// Of the runs that finished, by nearest rank: the error that 50, 5 and 95 % of them do not exceed. None if none did.
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

struct BrokenAssumption {
  std::string assumption;  ///< which one, and how
  ValidationPoint point;   ///< with jitter, the run of seed 1
  /// With jitter, the runs of seeds 1, 2, .., `point` among them; else none.
  std::vector<ValidationPoint> seeds{};
};

[[nodiscard]] std::vector<BrokenAssumption> break_assumptions(const ValidationSetup& setup);

/// A mapped equation, on a machine. Sizes are of a block, a vector or a node's elements, in `unit`.
struct MappedEquation {
  std::string workload;  ///< exchange, combine or shuffle
  std::string preset;
  std::string unit;
  std::string what;  ///< the algorithm that runs
  std::string run;   ///< its options, the last of which takes the size
  std::vector<std::uint64_t> sizes;
};

/// Exchange, combine and shuffle, each on the ideal machine and on one that was built.
[[nodiscard]] std::span<const MappedEquation> mapped_equations();

/// Dimensions and jitters of the map, and the seeds of a cell: several with jitter, one without.
inline constexpr unsigned map_dims[] = {2, 4, 6, 8};
inline constexpr double map_jitters_us[] = {0, 0.1, 1, 5, 20, 100};
inline constexpr std::uint64_t map_seeds = 5;

/// By the absolute median error: at most 1, 5 or 20 %, or above; stalled where more than half did not finish.
enum class ErrorBin : std::uint8_t { one, five, twenty, above, stalled };

[[nodiscard]] ErrorBin bin_of(const ErrorSpread& spread);
[[nodiscard]] std::string_view words_of(ErrorBin bin);

struct MapCell {
  const MappedEquation* equation = nullptr;
  unsigned dim = 0;
  std::uint64_t size = 0;
  double jitter_us = 0;
  std::string run;  ///< of seed 1
  ErrorSpread spread{};
};

[[nodiscard]] std::vector<MapCell> map_cells(const ValidationSetup& setup, const MappedEquation& equation,
                                             unsigned dim);

[[nodiscard]] Reproduction error_map(const std::vector<MapCell>& cells);

[[nodiscard]] std::string map_text(const std::vector<MapCell>& cells);

}  // namespace ecube
