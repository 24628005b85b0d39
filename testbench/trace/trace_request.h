// SPDX-License-Identifier: Apache-2.0
// The traced parts of a run, and the file of the trace.
#pragma once

#include <fnmatch.h>

#include <functional>

#include "hw/event/event_wheel.h"
#include "models/machine/hierarchy_names.h"
#include "models/machine/machine.h"

namespace ecube {

/// The cycles from .. until - 1.
struct TraceWindow {
  Cycles from = 0;
  Cycles until = never;

  [[nodiscard]] bool whole() const { return from == 0 && until == never; }
};

/// A shell pattern (*, ?, [0-7]) for this name, whose parts have dots between them, or for its last parts.
[[nodiscard]] inline bool is_name_of(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0 || fnmatch(("*." + pattern).c_str(), name.c_str(), 0) == 0;
}

/// The name of a link where the network is no cube, as "+x"; empty on cubes, whose links have the numbers of
/// dimensions, and for eject ports.
[[nodiscard]] inline std::string link_name(const Topology& topology, LinkId output) {
  const bool named = !topology.is_cube() && output.output < topology.outputs();
  return named ? topology.output_name(output.node, output.output) : std::string();
}
/// The output in a waveform: "cube.node5.router.link2", where links have names "cube.node5.router.link2_+y".
[[nodiscard]] inline std::string scope_of(const HierarchyNames& names, const Topology& topology, LinkId output) {
  std::string name = link_name(topology, output);
  std::ranges::replace(name, ' ', '_');
  return names.output(output.node, output.output, topology.outputs()) + (name.empty() ? "" : "_") + name;
}
/// A pattern may give a link by its number, by its name ("node5.router.+y"), or as a waveform does.
[[nodiscard]] bool is_name_of(const std::string& pattern, const HierarchyNames& names, const Topology& topology,
                              LinkId output);

/// Which nodes' programs and which outputs of routers are traced. Links that do not exist are not.
class TraceSelection {
 public:
  /// Whether a pattern names something that is traced besides programs and outputs.
  using Elsewhere = std::function<bool(const std::string& pattern)>;

  /// Everything, or the parts that one of the `patterns` names: "node5", "node5.router.link2" or the last parts of such
  /// a name; a node's pattern selects all parts of the node. InputError for a pattern that matches nothing here or
  /// `elsewhere`.
  TraceSelection(const Machine& machine, const Topology& topology, const HierarchyNames& names,
                 const std::vector<std::string>& patterns, const Elsewhere& elsewhere = {});

  [[nodiscard]] unsigned outputs() const { return outputs_; }
  [[nodiscard]] bool program(NodeId node) const { return programs_[node]; }
  [[nodiscard]] bool output(NodeId node, unsigned output) const {
    return selected_[std::size_t{node} * outputs_ + output];
  }
  /// The part of the outputs that exist that is selected.
  [[nodiscard]] double share() const {
    return static_cast<double>(std::ranges::count(selected_, true)) / static_cast<double>(existing_);
  }

 private:
  unsigned outputs_;
  std::uint64_t existing_;  ///< outputs of all routers
  std::vector<bool> programs_;
  std::vector<bool> selected_;  ///< [node][output]
};

enum class WaveFormat : std::uint8_t { none, fst, vcd };

/// The waveform file of a run, checked.
struct TraceRequest {
  WaveFormat format = WaveFormat::none;
  std::string file;  ///< with its directory
  TraceWindow window{};
  std::vector<std::string> patterns{};

  [[nodiscard]] bool wanted() const { return format != WaveFormat::none; }
  /// The file with another ending in the place of .fst or .vcd.
  [[nodiscard]] std::string beside(const std::string& ending) const { return file.substr(0, file.size() - 4) + ending; }
  [[nodiscard]] std::string directory() const;
  /// All files that a trace may write.
  [[nodiscard]] std::vector<std::string> files() const;
};

/// FROM:TO as typed, each a number of cycles or a time; either may be missing. InputError for any other text.
[[nodiscard]] TraceWindow parse_window(const std::string& text, const Machine& machine);

}  // namespace ecube
