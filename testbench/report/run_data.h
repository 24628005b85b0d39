// SPDX-License-Identifier: Apache-2.0
// The files of runs, and the data that reports show of them, on pages and in a picture that moves.
#pragma once

#include <fstream>

#include "models/machine/machine.h"
#include "models/machine/topology.h"
#include "testbench/publication/published_files.h"
#include "testbench/run/progress_line.h"
#include "testbench/text/json_text.h"

namespace ecube {

/// Calls `read`, which reads the files of a run. InputError when a member is missing or has another type than runs
/// write.
void reading(const std::string& directory, const std::function<void()>& read);

/// The contents of a run directory, all of one run.
struct RunFiles {
  std::string directory;
  PublishedFiles files;
  Json summary;
  Json provenance;
  std::string machine;  ///< resolved.toml
};
/// How much of a run is read: what all runs have, or also every circuit and every change of a program.
enum class RunPart : std::uint8_t { figures, everything };
/// Runs of schema 1 get the members of today. InputError when the directory is no run directory, or has another schema.
[[nodiscard]] RunFiles read_run(const std::string& directory, RunPart part);

/// A CSV file of a run (RFC 4180), row by row: some are larger than a page. links.csv of schema 1 has the columns of
/// today.
class TableReader {
 public:
  /// InputError when the file cannot be read or a line is longer than 1 MiB.
  TableReader(const PublishedFiles& files, const std::string& name);
  /// The next row; false after the last. InputError when it has another number of fields than the first.
  [[nodiscard]] bool next(std::vector<std::string>& row);
  /// The place of a column. InputError when there is none.
  [[nodiscard]] std::size_t column(std::string_view name) const;
  /// The whole number that a row has in a column. InputError when there is no such column or no whole number.
  [[nodiscard]] std::uint64_t number(const std::vector<std::string>& row, std::string_view name) const;

  std::vector<std::string> columns;

 private:
  static constexpr std::streamsize longest_line = std::streamsize{1} << 20;

  [[nodiscard]] bool next_line();

  std::string file_;
  std::ifstream stream_;
  std::string buffer_ = std::string(static_cast<std::size_t>(longest_line), '\0');
  std::size_t line_ = 0;
  ProgressLine progress_{false};
};

[[nodiscard]] Machine machine_of(const RunFiles& run);

/// The command line that redoes the run.
[[nodiscard]] std::string command_of(const RunFiles& run);

/// The data of a report page: summary, links, circuits where circuits.csv has them, and for an exchange on pairs the
/// hull of optimality of its machine, measured here while the cube is small.
[[nodiscard]] Json run_data(const RunFiles& run);

/// [node]: its place, in units of a link, y downwards. Dimension 0 lies along x, dimension 1 upwards, a third one of
/// two nodes slants as in a cube, and others repeat the picture to the right and above, in turn: a mesh is a grid. The
/// nodes of a dimension whose links would lie upon one another are on a bow.
[[nodiscard]] std::vector<std::pair<double, double>> places_of(const Topology& topology);

/// "outputs": their names, "links": [node, output, node], "places": [x, y], and "paths": of each circuit its links, as
/// node * outputs + output, and "planes", how many. On planes the links are those that circuits of the page have taken,
/// or to which a plane was tuned. `circuits`, `dark`: those of the page, or null.
[[nodiscard]] Json network_data(const Topology& topology, const Json& circuits, const Json& dark);

/// Summary, circuits and programs of a run, and its network where that is no plain cube.
[[nodiscard]] Json replay_data(const RunFiles& run);

/// The cubes of the runs side by side on one clock, as an SVG whose links change colour at the edges at which their
/// circuits do (the rules of the replay): idle, held, with data, held by a circuit that waits further on. Each run has
/// the name of its directory. InputError for a run without circuits.csv or with more circuits than a page has, for
/// worms and packets, which hold links by other rules, and for more than 4 dimensions.
[[nodiscard]] std::string moving_picture(const std::vector<RunFiles>& runs);

/// What the terminal, `compare --json` and pages show of two runs, as JSON:
/// - "parameters" of the machine and options of the workload that differ: "key", "first", "second";
/// - "terms", the figures of either: "name", "unit", "member" (its place in the JSON of a run, as "predicted.us"),
///   "first", "second", "change_percent";
/// - "same_links": whether the runs have the same links, so that links can be compared;
/// - "changed_links": how many differ; and "links": those that changed most, by blocked cycles, then by busy cycles.
/// A value that a run does not have is null. InputError when a file of a run cannot be read.
[[nodiscard]] Json compare(const RunFiles& first, const RunFiles& second);

}  // namespace ecube
