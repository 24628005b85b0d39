// SPDX-License-Identifier: Apache-2.0
// The layout with which GTKWave opens a traced run: on the answer to who waits for whom.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/trace/trace_request.h"
#include "testbench/trace/wait_chains.h"
#include "testbench/trace/waves/wave_writer.h"

namespace ecube {

/// A link to be shown, and its blocked cycles.
struct ShownLink {
  LinkId link;
  Cycles blocked = 0;
};

struct WaveLayout {
  std::string waves;        ///< the waveform file
  std::string link_filter;  ///< files with the names and colours of states
  std::string program_filter;
  std::string core_filter{};  ///< of the memories below
  std::string cache_filter{};
  std::string bus_filter{};
  WaveTime time;
  HierarchyNames names;
  unsigned dim = 0;
  Cycles from = 0;  ///< first and last edge of the waveform
  Cycles until = 0;
  std::vector<ShownLink> links{};  ///< most blocked first
  std::vector<NodeId> programs{};
  std::vector<NodeId> memories{};  ///< of detailed nodes, whose signals are in the waveform
  bool fifos = false;              ///< whose core moves the words of messages through FIFOs
  bool dma = false;                ///< whose DMA moves them beside a loop
  std::vector<Cycles> phases{};    ///< edges at which they begin
  std::optional<Wait> worst{};
};

/// The signal that shows what the memory of a detailed node does (hw/clocked/memory/activity.h).
[[nodiscard]] std::string memory_signal(const HierarchyNames& names, NodeId node);

/// The text of a GTKWave save file. File names in it are without directories: GTKWave has to be started in their
/// directory.
[[nodiscard]] std::string layout_text(const WaveLayout& layout);
/// The texts of the filter files: value, colour, name.
[[nodiscard]] std::string link_filter_text();
[[nodiscard]] std::string program_filter_text();
[[nodiscard]] std::string core_filter_text();
[[nodiscard]] std::string cache_filter_text();
[[nodiscard]] std::string bus_filter_text();

}  // namespace ecube
