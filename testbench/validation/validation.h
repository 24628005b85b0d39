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

struct ValidateArguments {
  std::vector<std::string> families;
  std::vector<std::string> set;  ///< "key=value", to every machine
  std::int64_t seed = 1;         ///< of the sampled families
  std::string directory;
  bool map = false;
  bool json = false;
  bool quiet = false;
  bool no_color = false;
};

/// Largest dimensions: of the families that run every point of a grid, and of those that run a sample.
inline constexpr unsigned validation_dim = 6;
inline constexpr unsigned sampled_validation_dim = 8;

/// Each run is words after `ecube run`, as "exchange --machine ideal --dim 3", through the same door as a user's.
class ValidationSetup {
 public:
  /// InputError for a seed out of range.
  explicit ValidationSetup(const ValidateArguments& arguments);

  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  /// InputError as on the command line.
  [[nodiscard]] std::unique_ptr<Experiment> experiment(const std::string& run);
  /// Runs it. `predicted`: the member of the prediction that is compared, as a JSON pointer.
  [[nodiscard]] ValidationPoint point(const std::string& run, const std::string& predicted = "/us");

 private:
  Benches benches_{sampled_validation_dim};
  std::vector<std::string> changes_;
  std::uint64_t seed_;
};

/// Runs of a workload on a machine, which their equation describes within a tolerance.
struct ValidationFamily {
  /// In each of `from`, `from` + `step`, .. validation_dim dimensions; [a|b] stands for a, then b. Names in braces are
  /// listed in validation.cpp.
  struct Lines {
    unsigned from = 1;
    unsigned step = 1;
    std::string run{};
  };

  std::string name;     ///< the workload, a blank, what is particular
  std::string machine;  ///< "--machine ideal"
  std::string grid{};   ///< the varied options, for people
  double tolerance_percent = 0;
  std::string reason{};  ///< of the tolerance
  std::vector<Lines> lines{};
  std::string predicted = "/us";  ///< as of ValidationSetup::point()
  /// Of a sample: its runs on a machine, drawn by a seed and by the family's name alone; sets grid and tolerance.
  std::function<std::vector<std::string>(ValidationFamily& family, const Machine& machine, std::uint64_t seed)> draw{};
  std::vector<ValidationPoint> points{};

  [[nodiscard]] std::string workload() const { return name.substr(0, name.find(' ')); }
  /// The tolerance by tolerances.tsv, where the workload runs under these of its conditions.
  void set_tolerance(const std::set<std::string, std::less<>>& conditions);
  void run(ValidationSetup& setup);

  // Of the points, once it has run.
  [[nodiscard]] const ValidationPoint& worst() const;
  [[nodiscard]] double rms_percent() const;
  [[nodiscard]] std::size_t broken() const;
  [[nodiscard]] bool pass() const;
};

/// Exchange, combine and shuffle on the machines that their equations describe, and families of one feature each; every
/// collective on vectors by every algorithm, and the formulas in print where they hold; then the samples.
[[nodiscard]] std::vector<ValidationFamily> validation_families();
/// Exchange, combine and shuffle on every preset with one port, with 2 ports, and with one for each dimension, on cubes
/// up to sampled_validation_dim.
[[nodiscard]] std::vector<ValidationFamily> sampled_families();

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
void add_spread(nlohmann::ordered_json& json, const ErrorSpread& spread);

/// Seeds 1 .. jitter_seeds of every row that has jitter.
inline constexpr std::uint64_t jitter_seeds = 40;

struct BrokenAssumption {
  std::string assumption;                 ///< which one, and how
  std::vector<ValidationPoint> points{};  ///< one run, or with jitter those of seeds 1, 2, ..

  [[nodiscard]] bool has_jitter() const { return points.size() > 1; }
};

[[nodiscard]] std::vector<BrokenAssumption> break_assumptions(ValidationSetup& setup);

/// A mapped equation, on a machine. Sizes are of a block, a vector or a node's elements, in `unit`.
struct MappedEquation {
  std::string workload;
  std::string preset;
  std::string unit;
  std::string what;  ///< the algorithm that runs
  std::string run;   ///< its options, the last of which takes the size
  std::vector<std::uint64_t> sizes;
};

/// Of these workloads (exchange, combine or shuffle), or of all: each on the ideal machine and on one that was built.
[[nodiscard]] std::vector<MappedEquation> mapped_equations(const std::vector<std::string>& workloads);

/// Cells of the map by their absolute median error, and in a colour of the palette. In the last bin are those of which
/// more than half did not finish.
struct ErrorBin {
  std::string_view words;
  unsigned colour;
  double most_percent = 0;
};
[[nodiscard]] const ErrorBin& bin_of(const ErrorSpread& spread);

struct MapCell {
  const MappedEquation* equation = nullptr;
  unsigned dim = 0;
  std::uint64_t size = 0;
  double jitter_us = 0;
  std::string run;  ///< of seed 1
  ErrorSpread spread{};
};

struct ErrorMap {
  std::vector<MapCell> cells{};
  std::vector<Grid> grids{};  ///< of an equation in one dimension

  /// Adds a grid, whose runs `point` does.
  void add(const MappedEquation& equation, unsigned dim,
           const std::function<ValidationPoint(const std::string& run)>& point);
  /// The grids, and their colours explained.
  [[nodiscard]] Panels picture() const;
};

[[nodiscard]] std::string map_text(const std::vector<MapCell>& cells);

/// `validate --map`: how far equations are off over size, dimension and jitter. The exit status.
int run_error_map(const ValidateArguments& arguments);

}  // namespace ecube
