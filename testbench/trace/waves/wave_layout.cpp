// SPDX-License-Identifier: Apache-2.0
// GTKWave save files.
#include "testbench/trace/waves/wave_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include "hw/clocked/memory/activity.h"
#include "testbench/trace/machine_trace.h"

namespace ecube {

namespace {

// Flags of a trace, as GTKWave writes them.
constexpr const char* plain = "@24\n";       // decimal, right-justified
constexpr const char* filtered = "@2024\n";  // the same, translated by a filter file
constexpr const char* text = "@22\n";
constexpr const char* comment = "@200\n";

constexpr std::size_t most_markers = 25;  // A .. Y; Z is the worst wait

std::string filter(std::span<const std::string_view> names, std::span<const std::string_view> colours) {
  std::string result;
  for (std::size_t value = 0; value < names.size(); ++value) {
    result += colours[value].empty() ? fmt::format("{} {}\n", value, names[value])
                                     : fmt::format("{} ?{}?{}\n", value, colours[value], names[value]);
  }
  return result;
}

/// Core, cache, bus and write buffers of a detailed node, and what moves words of messages beside a loop.
void add_memory(std::string& result, const WaveLayout& layout, NodeId node) {
  const std::string signal = memory_signal(layout.names, node);
  const auto state = [&](unsigned number, const std::string& file, const char* leaf) {
    result += filtered;
    result += fmt::format("^{} {}\n", number, std::filesystem::path(file).filename().string());
    result += fmt::format("+{{  {} {}}} {}.{}_code[2:0]\n", leaf, node, signal, leaf);
  };
  state(3, layout.core_filter, "core");
  state(4, layout.cache_filter, "cache");
  state(5, layout.bus_filter, "bus");
  const auto count = [&](const char* label, const char* leaf) {
    result += plain + fmt::format("+{{  {} {}}} {}.{}[7:0]\n", label, node, signal, leaf);
  };
  count("write buffers taken", "writes");
  if (layout.fifos) count("FIFO words", "fifo");
  if (layout.dma) count("DMA words waiting", "dma");
}

}  // namespace

std::string memory_signal(const HierarchyNames& names, NodeId node) {
  const std::string program = names.program(node);
  return program.substr(0, program.rfind('.')) + ".memory_activity";
}

std::string link_filter_text() {
  constexpr std::array<std::string_view, link_state_names.size()> colours{"", "SteelBlue", "Red", "DarkOrange",
                                                                          "ForestGreen"};
  return filter(link_state_names, colours);
}

std::string program_filter_text() {
  constexpr std::array<std::string_view, program_state_names.size()> colours{
      "", "DimGray", "SteelBlue", "ForestGreen", "DarkOrchid", "SaddleBrown", ""};
  return filter(program_state_names, colours);
}

std::string core_filter_text() {
  constexpr std::array<std::string_view, clocked::core_activity_names.size()> colours{"", "ForestGreen", "DarkOrange",
                                                                                      "Red", "SteelBlue"};
  return filter(clocked::core_activity_names, colours);
}

std::string cache_filter_text() {
  constexpr std::array<std::string_view, clocked::cache_activity_names.size()> colours{"", "DarkOrchid", "Red",
                                                                                       "DarkOrange", "SaddleBrown"};
  return filter(clocked::cache_activity_names, colours);
}

std::string bus_filter_text() {
  // Red is for whoever waits for somebody else: nobody does for a page.
  constexpr std::array<std::string_view, clocked::bus_activity_names.size()> colours{"", "SteelBlue", "ForestGreen",
                                                                                     "DarkOrange", "DarkOrchid"};
  return filter(clocked::bus_activity_names, colours);
}

std::string layout_text(const WaveLayout& layout) {
  const auto bare = [](const std::string& file) { return std::filesystem::path(file).filename().string(); };
  std::string result = fmt::format("[*] ecube\n[dumpfile] \"{}\"\n[timestart] {}\n[size] 1600 900\n[pos] -1 -1\n",
                                   bare(layout.waves), layout.time.of(layout.from));
  // The whole run in the width of the window; the primary marker at the beginning of the worst wait.
  constexpr double wave_pixels = 940;
  constexpr double frame_pixels = 200;  // 2^-zoom units of time are as wide
  const double units = std::max(1.0, static_cast<double>(layout.time.of(layout.until) - layout.time.of(layout.from)));
  std::vector<std::string> markers(26, "-1");
  for (std::size_t phase = 0; phase < std::min(layout.phases.size(), most_markers); ++phase) {
    if (layout.phases[phase] == never) continue;
    markers[phase] = std::to_string(layout.time.of(layout.phases[phase]));
  }
  std::string primary = "-1";
  if (layout.worst) {
    primary = std::to_string(layout.time.of(layout.worst->from));
    markers[25] = primary;
  }
  fmt::format_to(std::back_inserter(result), "*{:.6f} {}", -std::log2(units * frame_pixels / wave_pixels), primary);
  for (const std::string& marker : markers) result += " " + marker;
  result += "\n";
  for (std::size_t phase = 0; phase < std::min(layout.phases.size(), most_markers); ++phase) {
    if (layout.phases[phase] != never) {
      fmt::format_to(std::back_inserter(result), "[markername] {}p{}\n", static_cast<char>('A' + phase), phase + 1);
    }
  }
  if (layout.worst) result += "[markername] Zworst\n";
  result += "[sst_width] 180\n[signals_width] 440\n[sst_expanded] 0\n";

  if (layout.worst) {
    result += comment;
    fmt::format_to(std::back_inserter(result), "-Z: {} waits {:.6g} us\n", layout.worst->waiter.text(),
                   static_cast<double>(layout.time.of(layout.worst->until) - layout.time.of(layout.worst->from)) *
                       std::pow(10.0, layout.time.exponent + 6));
    result += comment;
    fmt::format_to(std::back_inserter(result), "-   for {}\n", text_of(layout.worst->output, layout.dim));
  }
  // Programs first: what nodes do is what the links are there for.
  for (const NodeId node : layout.programs) {
    result += filtered;
    result += fmt::format("^2 {}\n", bare(layout.program_filter));
    result += fmt::format("+{{program {}}} {}_code[2:0]\n", node, layout.names.program(node));
    if (std::find(layout.memories.begin(), layout.memories.end(), node) != layout.memories.end()) {
      add_memory(result, layout, node);
    }
  }
  for (const ShownLink& shown : layout.links) {
    const std::string scope = layout.names.output(shown.link.node, shown.link.dimension, layout.dim);
    result += filtered;
    result += fmt::format("^1 {}\n", bare(layout.link_filter));
    result += fmt::format("+{{link {}:{} to {}}} {}.state_code[2:0]\n", shown.link.node, shown.link.dimension,
                          neighbour(shown.link.node, shown.link.dimension), scope);
    result += text;
    result += fmt::format("+{{owner}} {}.owner\n", scope);
    if (shown.blocked > 0) result += plain + fmt::format("+{{waiting}} {}.waiting[7:0]\n", scope);
  }
  return result;
}

}  // namespace ecube
