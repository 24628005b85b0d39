// SPDX-License-Identifier: Apache-2.0
// The data that a report shows of one run.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "models/machine/machine.h"
#include "testbench/publication/published_files.h"
#include "testbench/report/table_file.h"

namespace ecube {

/// Calls `read`, which reads the files of a run. InputError when a member is missing or has another type than runs
/// write.
void reading(const std::string& directory, const std::function<void()>& read);

/// The contents of a run directory, all of one run.
struct RunFiles {
  std::string directory;
  PublishedFiles files;
  nlohmann::ordered_json summary;
  nlohmann::ordered_json provenance;
  std::string machine;  ///< resolved.toml
};
/// How much of a run is read: what all runs have, or also every circuit and every change of a program.
enum class RunPart : std::uint8_t { figures, everything };
/// Runs of schema 1 get the members of today. InputError when the directory is no run directory, or has another schema.
[[nodiscard]] RunFiles read_run(const std::string& directory, RunPart part);
/// links.csv, of schema 1 with the columns of today.
[[nodiscard]] TableFile read_links(const PublishedFiles& files, std::size_t most_rows);
/// The machine of a run.
[[nodiscard]] Machine machine_of(const RunFiles& run);

/// The command line that redoes the run.
[[nodiscard]] std::string command_of(const RunFiles& run);

/// What a replay shows of a run: summary, circuits and programs.
[[nodiscard]] nlohmann::ordered_json replay_data(const RunFiles& run);
/// The data of a report page: summary, links, circuits where circuits.csv has them, and for an exchange on pairs the
/// hull of optimality of its machine, measured here while the cube is small.
[[nodiscard]] nlohmann::ordered_json run_data(const RunFiles& run);

}  // namespace ecube
