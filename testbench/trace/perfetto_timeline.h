// SPDX-License-Identifier: Apache-2.0
// The machine's changes as slices of a timeline, in the format of Perfetto (ui.perfetto.dev).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "testbench/trace/machine_trace.h"
#include "testbench/trace/trace_file.h"
#include "testbench/trace/trace_request.h"
#include "testbench/trace/waves/wave_writer.h"

namespace ecube {

/// A group of tracks for every node: its program, its inject ports with a slice for every circuit it sends, its links
/// and eject ports with a slice for every circuit that owns them. Time in which a circuit's probe waits is a slice of
/// its own inside, which names the output waited for and its owner; a flow leads from the inject port to the eject
/// port.
class Timeline final : public TraceSink {
 public:
  /// std::runtime_error when the file cannot be made.
  Timeline(const std::string& file, const Topology& topology, const TraceWindow& window,
           const TraceSelection& selection, std::uint64_t clock_hz);

  void link_changed(Cycles at, const OutputId& output, const LinkView& view) override;
  [[nodiscard]] bool follows_holders() const override { return true; }
  void program_changed(Cycles at, NodeId node, const ProgramView& view) override;

  /// Ends all slices at edge `end`, or at the end of the window. std::runtime_error unless everything is in the file.
  void finish(Cycles end);

 private:
  /// The present or next slice of a track, perhaps with another slice inside.
  struct Slice {
    CircuitName circuit{};  ///< number 0: none
    Bytes bytes = 0;
    std::string_view state{};  ///< without a circuit: of a program, or that a link is closing or dark
    ProgramView program{};
    std::optional<Blocking> waits{};  ///< with a slice inside that names the output waited for
    [[nodiscard]] bool same_slice(const Slice& other) const {
      return circuit == other.circuit && state == other.state && program == other.program;
    }
    [[nodiscard]] bool none() const { return circuit.number == 0 && state.empty(); }
  };
  struct Track {
    Slice shown;
    Slice wanted;
    bool selected = false;
  };

  // Tracks of a node: its program, inject ports, then outputs; a place is that of a track in tracks_.
  [[nodiscard]] unsigned output_track(unsigned output) const { return 1 + ports_ + output; }
  [[nodiscard]] std::uint32_t place_of(NodeId node, unsigned number) const { return node * of_node_ + number; }
  [[nodiscard]] std::uint32_t place_of(const OutputId& output) const {
    const bool inject_port = output.output >= outputs_;
    return place_of(output.node, inject_port ? 1 + output.output - outputs_ : output_track(output.output));
  }
  /// The slice of a track from edge `at` on.
  void show(Cycles at, std::uint32_t place, const Slice& slice);
  /// The number behind those of its tracks is that of a node.
  [[nodiscard]] std::uint64_t uuid(std::uint32_t place) const { return std::uint64_t{place} + place / of_node_ + 2; }
  void sync(Cycles at, std::uint32_t place);
  /// Begins the file's slices with the first edge of the window.
  void enter_window(Cycles at);
  struct Name {
    std::uint64_t iid;
    std::string text;  ///< to be written with the next packet; empty when it is in the file
  };
  [[nodiscard]] Name name_of(const CircuitName& circuit);
  [[nodiscard]] Name name_of(const std::string& text);
  void begin(Cycles at, std::uint32_t place, const Slice& slice);
  void begin_inner(Cycles at, std::uint32_t place, const Blocking& blocking);
  void end(Cycles at, std::uint32_t place);

  TraceFile file_;
  TraceWindow window_;
  WaveTime time_;   ///< in ns
  unsigned links_;  ///< of a router
  unsigned outputs_;
  unsigned ports_;
  unsigned of_node_;  ///< tracks of a node
  bool open_ = false;
  std::vector<Track> tracks_;                               ///< [node][track]
  std::uint64_t names_ = 0;                                 ///< interned so far
  std::unordered_map<std::uint64_t, std::uint64_t> pairs_;  ///< iid by source << 32 | destination
  std::unordered_map<std::string, std::uint64_t> texts_;    ///< iid
  struct PairName {
    NodeId destination;
    std::uint64_t iid = 0;  ///< 0: none
  };
  std::vector<PairName> newest_pair_;  ///< [source]: looked up last, and most likely next
};

}  // namespace ecube
