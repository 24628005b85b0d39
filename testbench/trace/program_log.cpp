// SPDX-License-Identifier: Apache-2.0
// Changes of programs as lines of a table.
#include "testbench/trace/program_log.h"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

namespace ecube {

ProgramLog::ProgramLog(const std::string& file) : stream_(file), file_(file) {
  stream_.put("node,from,state,phase,step\n");
}

void ProgramLog::program_changed(Cycles at, NodeId node, const ProgramView& view) {
  stream_.put(fmt::format("{},{},{},{},{}\n", node, at, program_state_names[static_cast<std::size_t>(view.state)],
                          view.phase, view.step));
}

namespace {
void close(TraceFile& stream, const std::string& file) {
  if (!stream.close()) throw std::runtime_error(file + " is incomplete: is the disk full?");
}
}  // namespace

void ProgramLog::finish() { close(stream_, file_); }

DarkLog::DarkLog(const std::string& file, unsigned planes) : stream_(file), file_(file), planes_(planes) {
  stream_.put("node,plane,mask,from,until\n");
}

void DarkLog::link_changed(Cycles at, const OutputId& output, const LinkView& view) {
  if (output.output >= planes_) return;
  const std::pair link(output.router, output.output);
  if (view.state == LinkState::dark) {
    dark_.try_emplace(link, Dark{.from = at, .mask = view.tuned_to, .over = false});
  } else if (const auto dark = dark_.find(link); dark != dark_.end()) {
    dark->second.over = any_over_ = true;
  }
}

void DarkLog::edge_over(Cycles at) {
  if (!std::exchange(any_over_, false)) return;
  std::erase_if(dark_, [&](const auto& one) {
    const auto& [link, dark] = one;
    if (dark.over) {
      stream_.put(fmt::format("{},{},{},{},{}\n", link.first, link.second, dark.mask, dark.from, at));
    }
    return dark.over;
  });
}

void DarkLog::finish() {
  for (const auto& [link, dark] : dark_) {
    stream_.put(fmt::format("{},{},{},{},\n", link.first, link.second, dark.mask, dark.from));
  }
  close(stream_, file_);
}

}  // namespace ecube
