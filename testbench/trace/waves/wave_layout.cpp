// SPDX-License-Identifier: Apache-2.0
// GTKWave save files.
#include "testbench/trace/waves/wave_layout.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <type_traits>

#include "hw/clocked/memory/node_memory.h"
#include "models/machine/error.h"
#include "testbench/text/regular_expression.h"
#include "testbench/trace/machine_trace.h"

namespace ecube {

namespace {

// Flags of a trace, as GTKWave writes them.
constexpr const char* plain = "@24\n";       // decimal, right-justified
constexpr const char* filtered = "@2024\n";  // the same, translated by a filter file
constexpr const char* as_text = "@22\n";
constexpr const char* comment = "@200\n";
// Before and behind the rows of a group: an open one, and one that is shown as a line.
constexpr std::pair<const char*, const char*> open_group{"@800200\n", "@1000200\n"};
constexpr std::pair<const char*, const char*> closed_group{"@c00200\n", "@1401200\n"};

constexpr std::size_t most_markers = 25;  // A .. Y; Z is the worst wait

/// Places in wave_filters(true).
enum class Filter : std::uint8_t { links, programs, cores, caches, buses };

/// The line that gives the next signal a filter file of the waveform.
std::string filter_line(const std::string& waves, Filter filter) {
  const auto place = static_cast<std::size_t>(filter);
  return fmt::format("^{} {}{}\n", place + 1, std::filesystem::path(waves).stem().string(),
                     wave_filters(true)[place].ending);
}

std::string dumpfile_line(const std::string& waves) {
  return fmt::format("[dumpfile] \"{}\"\n", std::filesystem::path(waves).filename().string());
}

template <std::size_t count>
std::string filter_text(const std::array<std::string_view, count>& names,
                        const std::type_identity_t<std::array<std::string_view, count>>& colours) {
  std::string result;
  for (std::size_t value = 0; value < count; ++value) {
    result += colours[value].empty() ? fmt::format("{} {}\n", value, names[value])
                                     : fmt::format("{} ?{}?{}\n", value, colours[value], names[value]);
  }
  return result;
}

/// Core, cache, bus and write buffers of a detailed node, and what moves words of messages beside a loop.
void add_memory(std::string& result, const WaveLayout& layout, NodeId node) {
  const std::string signal = memory_signal(layout.names, node);
  const auto state = [&](Filter filter, const char* leaf) {
    result += filtered + filter_line(layout.waves, filter);
    result += fmt::format("+{{  {} {}}} {}.{}_code[2:0]\n", leaf, node, signal, leaf);
  };
  state(Filter::cores, "core");
  state(Filter::caches, "cache");
  state(Filter::buses, "bus");
  const auto count = [&](const char* label, const char* leaf) {
    result += plain + fmt::format("+{{  {} {}}} {}.{}[7:0]\n", label, node, signal, leaf);
  };
  count("write buffers taken", "writes");
  if (layout.fifos) count("FIFO words", "fifo");
  if (layout.dma) count("DMA words waiting", "dma");
}

void add_link(std::string& result, const WaveLayout& layout, LinkId link, Cycles blocked) {
  const auto& [node, output] = link;
  const std::string scope = scope_of(layout.names, layout.topology, link);
  const std::string name = link_name(layout.topology, link);
  result += filtered + filter_line(layout.waves, Filter::links);
  result += fmt::format("+{{link {}:{}{} to {}}} {}.state_code[2:0]\n", node, output,
                        name.empty() ? "" : ", " + name + ",", layout.topology.neighbour(node, output), scope);
  result += as_text;
  result += fmt::format("+{{owner}} {}.owner\n", scope);
  if (blocked > 0) result += plain + fmt::format("+{{waiting}} {}.waiting[7:0]\n", scope);
}

/// The lines before those of the signals: the window, the zoom and the markers.
std::string window_text(const WaveLayout& layout) {
  // In the width of the window: the worst wait with half as much before and behind it, or the whole run.
  Cycles from = layout.from;
  Cycles until = layout.until;
  if (layout.worst) {
    const Cycles around = layout.worst->cycles() / 2;
    from = std::max(from, layout.worst->from - std::min(layout.worst->from, around));
    until = std::max(from, std::min(until, layout.worst->until + around));
  }
  std::string result = fmt::format("[*] ecube\n{}[timestart] {}\n[size] 1600 900\n[pos] -1 -1\n",
                                   dumpfile_line(layout.waves), layout.time.of(from));
  constexpr double wave_pixels = 940;
  constexpr double frame_pixels = 200;  // 2^-zoom units of time are as wide
  const double units = std::max(1.0, static_cast<double>(layout.time.of(until) - layout.time.of(from)));
  std::vector<std::string> markers(26, "-1");
  std::string marker_names;
  for (std::size_t phase = 0; phase < std::min(layout.phases.size(), most_markers); ++phase) {
    if (layout.phases[phase] == never) continue;
    markers[phase] = std::to_string(layout.time.of(layout.phases[phase]));
    marker_names += fmt::format("[markername] {}p{}\n", static_cast<char>('A' + phase), phase + 1);
  }
  if (layout.worst) markers[25] = std::to_string(layout.time.of(layout.worst->from));
  fmt::format_to(std::back_inserter(result), "*{:.6f} {}", -std::log2(units * frame_pixels / wave_pixels), markers[25]);
  for (const std::string& marker : markers) result += " " + marker;
  result += "\n" + marker_names;
  if (layout.worst) result += "[markername] Zworst\n";
  return result + "[sst_width] 180\n[signals_width] 440\n[sst_expanded] 0\n";
}

}  // namespace

std::vector<WaveFilter> wave_filters(bool of_memories) {
  using clocked::bus_activity_names;
  using clocked::cache_activity_names;
  using clocked::core_activity_names;
  std::vector<WaveFilter> filters{
      {".links.filter",
       filter_text(link_state_names, {"", "SteelBlue", "Red", "DarkOrange", "ForestGreen", "DimGray", "SaddleBrown"})},
      {".programs.filter",
       filter_text(program_state_names, {"", "DimGray", "SteelBlue", "ForestGreen", "DarkOrchid", "SaddleBrown", ""})}};
  if (!of_memories) return filters;
  filters.push_back(
      {".cores.filter", filter_text(core_activity_names, {"", "ForestGreen", "DarkOrange", "Red", "SteelBlue"})});
  filters.push_back(
      {".caches.filter", filter_text(cache_activity_names, {"", "DarkOrchid", "Red", "DarkOrange", "SaddleBrown"})});
  // Red is for whoever waits for somebody else: nobody does for a page.
  filters.push_back(
      {".buses.filter", filter_text(bus_activity_names, {"", "SteelBlue", "ForestGreen", "DarkOrange", "DarkOrchid"})});
  return filters;
}

std::string layout_text(const WaveLayout& layout) {
  std::string result = window_text(layout);
  if (layout.worst) {
    result += comment;
    fmt::format_to(std::back_inserter(result), "-Z: {} waits {:.6g} us\n", layout.worst->waiter.text(),
                   static_cast<double>(layout.time.of(layout.worst->until) - layout.time.of(layout.worst->from)) *
                       std::pow(10.0, layout.time.exponent + 6));
    result += comment;
    fmt::format_to(std::back_inserter(result), "-   for {}\n",
                   text_of(layout.worst->output, layout.topology.outputs()));
  }
  // Links that somebody waits for come first, and the programs then are one line that opens.
  const auto add_links = [&](bool contended) {
    for (const auto& [link, blocked] : layout.links) {
      if ((blocked > 0) == contended) add_link(result, layout, link, blocked);
    }
  };
  add_links(true);
  const bool waits = !layout.links.empty() && layout.links.front().second > 0;
  const auto& [begin, end] = waits ? closed_group : open_group;
  if (!layout.programs.empty()) result += fmt::format("{}-programs\n", begin);
  for (const NodeId node : layout.programs) {
    result += filtered + filter_line(layout.waves, Filter::programs);
    result += fmt::format("+{{program {}}} {}_code[2:0]\n", node, layout.names.program(node));
    if (std::find(layout.memories.begin(), layout.memories.end(), node) != layout.memories.end()) {
      add_memory(result, layout, node);
    }
  }
  if (!layout.programs.empty()) result += fmt::format("{}-programs\n", end);
  add_links(false);
  return result;
}

std::string remade_layout(const std::string& text, const std::string& file, const std::string& waves) {
  // The lines of layout_text() that name no file, in its order: the window, the zoom with all markers, the signals.
  static const RegularExpression known(
      R"(^(\[\*\] ecube|\[timestart\] [0-9]{1,20}|\[size\] 1600 900|\[pos\] -1 -1|)"
      R"(\*-?[0-9]{1,3}\.[0-9]{6}( (-1|[0-9]{1,20})){27}|\[markername\] ([A-Y]p[0-9]{1,2}|Zworst)|)"
      R"(\[sst_width\] 180|\[signals_width\] 440|\[sst_expanded\] 0|@(22|24|200|2024|800200|1000200|c00200|1401200)|)"
      R"(-[A-Za-z0-9 :.>#+-]{1,100}|\+\{[A-Za-z0-9 :,+-]{1,80}\} [A-Za-z0-9_.+-]{1,200}(\[[0-9]:0\])?)$)");
  static const RegularExpression filter(R"(^\^[1-5] .*$)");
  constexpr std::size_t longest = 700;  // 28 numbers of at most 20 digits, and more than any other line
  std::string result;
  std::istringstream lines(text);
  std::string line;
  for (std::uint32_t number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with("[dumpfile] ")) {
      result += dumpfile_line(waves);
    } else if (line.size() <= longest && filter.is_in(line)) {
      result += filter_line(waves, static_cast<Filter>(line[1] - '1'));
    } else if (line.size() <= longest && known.is_in(line)) {
      result += line + "\n";
    } else {
      throw InputError("this is no line of a layout that ecube writes, and GTKWave would run programs that it names")
          .at({.where = file, .line = number, .column = 1, .text = line})
          .hint("view opens the layouts of ecube run ... --trace alone, as they were written");
    }
  }
  return result;
}

}  // namespace ecube
