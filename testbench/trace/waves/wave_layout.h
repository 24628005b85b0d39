// SPDX-License-Identifier: Apache-2.0
// The layout with which GTKWave opens a traced run: on the answer to who waits for whom.
#pragma once

#include "testbench/trace/wait_chains.h"
#include "testbench/trace/waves/wave_writer.h"

namespace ecube {

struct WaveLayout {
  std::string waves;  ///< the waveform file
  WaveTime time;
  HierarchyNames names;
  Topology topology = Topology::cube(1);
  Cycles from = 0;  ///< first and last edge of the waveform
  Cycles until = 0;
  /// Links with their blocked cycles: the worst wait's chain, then most blocked first.
  std::vector<std::pair<LinkId, Cycles>> links{};
  std::vector<NodeId> programs{};
  std::vector<NodeId> memories{};  ///< of detailed nodes, whose signals are in the waveform
  bool fifos = false;              ///< whose core moves the words of messages through FIFOs
  bool dma = false;                ///< whose DMA moves them beside a loop
  std::vector<Cycles> phases{};    ///< edges at which they begin
  std::optional<Wait> worst{};
};

inline constexpr std::string_view memory_activity = ".memory_activity";
/// The signal that shows what the memory of a detailed node does (hw/clocked/memory/node_memory.h).
[[nodiscard]] inline std::string memory_signal(const HierarchyNames& names, NodeId node) {
  return names.node(node).append(memory_activity);
}

/// The text of a GTKWave save file. File names in it are without directories: GTKWave has to be started in their
/// directory.
[[nodiscard]] std::string layout_text(const WaveLayout& layout);

/// A layout that layout_text() wrote, for a waveform of another name. GTKWave runs programs that a layout names, so a
/// layout of a stranger is made anew, of its numbers and of words of a few plain characters; a line of any other kind
/// is an InputError that names `file`.
[[nodiscard]] std::string remade_layout(const std::string& text, const std::string& file, const std::string& waves);

/// A file beside the waveform with the names and colours of states. Layouts know it by its place in the list, from 1.
struct WaveFilter {
  std::string ending;  ///< in the place of .fst or .vcd
  std::string text;
};
/// Those of every layout, or also those for a layout with memories.
[[nodiscard]] std::vector<WaveFilter> wave_filters(bool of_memories);

}  // namespace ecube
