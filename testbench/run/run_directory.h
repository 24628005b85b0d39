// SPDX-License-Identifier: Apache-2.0
// The files that a run leaves in its directory.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "testbench/publication/publication.h"
#include "testbench/trace/trace_request.h"
#include "testbench/trace/wait_chains.h"

namespace ecube {

class Links;

/// A directory for the files of one run. They appear together when publish() is called; until then, and without it, the
/// directory keeps what an earlier run left. Files that no run wrote are left alone.
class RunDirectory {
 public:
  /// InputError as Publication.
  explicit RunDirectory(const std::string& path) : publication_(path) {}

  [[nodiscard]] const std::string& path() const { return files().directory().path(); }
  [[nodiscard]] const StagedFiles& files() const { return publication_.files(); }
  [[nodiscard]] const Publication& publication() const { return publication_; }
  /// As Publication: the files that the run is going to write.
  void claim(std::vector<std::string> names, bool replace) { publication_.claim(std::move(names), replace); }

  /// The machine, as a file for --machine.
  void write_machine(const Machine& machine) const;
  void write_summary(const nlohmann::ordered_json& summary) const;
  /// A line for each directed link: circuits, bytes, busy and blocked cycles, most waiters (hw/README.md section 6),
  /// the blocked cycles within `window` unless that is the whole run, and the longest wait with its chain.
  void write_links(const Links& links, const WaitChains& contention, const TraceWindow& window) const;
  /// Puts the files in the place of those of an earlier run, with version, build, seed, arguments and time of this one.
  void publish(std::span<const std::string> arguments, std::uint64_t seed);

 private:
  Publication publication_;
};

}  // namespace ecube
