// SPDX-License-Identifier: Apache-2.0
// What of a run is to be traced, and where to.
#pragma once

#include <string>
#include <vector>

#include "hw/event_wheel.h"
#include "models/machine.h"

namespace ecube {

/// The cycles from .. until - 1.
struct TraceWindow {
  Cycles from = 0;
  Cycles until = never;

  [[nodiscard]] bool whole() const { return from == 0 && until == never; }
};

/// Which nodes' programs and which outputs of routers are traced.
class TraceSelection {
 public:
  /// Everything, or what one of the `patterns` names: shell patterns (*, ?, [0-7]) for "node5", "node5.router.link2" or
  /// the last parts of such a name; a node's pattern selects all that is in it. InputError for one that matches
  /// nothing.
  TraceSelection(const Machine& machine, unsigned dim, const std::vector<std::string>& patterns);

  [[nodiscard]] unsigned outputs() const { return outputs_; }
  [[nodiscard]] bool program(NodeId node) const { return programs_[node]; }
  [[nodiscard]] bool output(NodeId node, unsigned output) const {
    return selected_[std::size_t{node} * outputs_ + output];
  }
  [[nodiscard]] bool any_output_of(NodeId node) const;
  [[nodiscard]] bool any_of(NodeId node) const { return program(node) || any_output_of(node); }
  [[nodiscard]] bool everything() const { return everything_; }
  /// The part of the outputs that is selected.
  [[nodiscard]] double share() const;

  /// "link2" or "eject0".
  [[nodiscard]] static std::string output_name(unsigned output, unsigned dim);

 private:
  unsigned outputs_;
  bool everything_;
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
  [[nodiscard]] std::string beside(const std::string& ending) const;
};

/// FROM:TO as typed, each a number of cycles or a time, either may be missing. InputError when it is not that.
[[nodiscard]] TraceWindow parse_window(const std::string& text, const Machine& machine);

}  // namespace ecube
