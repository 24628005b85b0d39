// SPDX-License-Identifier: Apache-2.0
// The files that a run leaves in its directory.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "testbench/system/atomic_directory.h"
#include "testbench/trace/trace_request.h"
#include "testbench/trace/wait_chains.h"

namespace ecube {

class Links;

/// A directory for the files of one run. They appear together when publish() is called; until then, and without it, the
/// directory keeps what an earlier run left. Files that no run wrote are left alone.
class RunDirectory {
 public:
  /// InputError as OutputDirectory.
  explicit RunDirectory(std::string path) : files_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return files_.path(); }
  /// Where a file is written before publish().
  [[nodiscard]] std::string file(const std::string& name) const { return files_.file(name); }
  [[nodiscard]] OutputDirectory& files() { return files_; }

  /// The machine, as a file for --machine.
  void write_machine(const Machine& machine) const;
  void write_summary(const nlohmann::ordered_json& summary) const;
  /// A line for each directed link: circuits, bytes, busy and blocked cycles, most waiters (hw/README.md section 6),
  /// the blocked cycles within `window` unless that is the whole run, and the longest wait with its chain.
  void write_links(const Links& links, const WaitChains& contention, const TraceWindow& window) const;
  /// Version, build, seed, arguments and time of the run, and the names of all its files. Written last.
  void write_provenance(std::span<const std::string> arguments, std::uint64_t seed) const;
  /// Puts the files in the place of those of an earlier run, whose other files and report are removed.
  void publish();

 private:
  OutputDirectory files_;
};

}  // namespace ecube
