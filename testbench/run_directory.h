// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: the files of a run directory.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "hw/cube.h"
#include "testbench/trace/contention_log.h"
#include "testbench/trace/trace_request.h"

namespace ecube {

/// A directory for the files of one run; files of an earlier run in it are replaced, others are left alone.
class RunDirectory {
 public:
  /// Makes the directory, with its parents, and makes sure that files can be made in it. InputError when not.
  explicit RunDirectory(std::string path);
  /// Removes again what the constructor made, if nothing was written.
  void abandon();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

  /// The machine, as a file for --machine.
  void write_machine(const Machine& machine) const;
  void write_summary(const nlohmann::ordered_json& summary) const;
  /// A line for each directed link: circuits, bytes, busy and blocked cycles, most waiters (hw/README.md section 6),
  /// the blocked cycles within `window` unless that is the whole run, and the longest wait with its chain.
  void write_links(const Cube& cube, const ContentionLog& contention, const TraceWindow& window) const;
  /// Version, build, seed, arguments and time of the run.
  void write_provenance(std::span<const std::string> arguments, std::uint64_t seed) const;

 private:
  void write(const std::string& name, const std::string& text) const;

  std::string path_;
  std::string first_made_;  ///< the topmost directory made; empty when all existed
};

}  // namespace ecube
