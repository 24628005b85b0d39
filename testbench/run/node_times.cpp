// SPDX-License-Identifier: Apache-2.0
// Cycles of programs and loops, counted.
#include "testbench/run/node_times.h"

#include <fmt/core.h>

#include <iterator>

namespace ecube {

void NodeTimes::loops(const Operation& operation, const node::LoopTimes& times, Cycles at) {
  nodes_[operation.node].loops.push_back({at, times});
}

void NodeTimes::count_until(Cycles at, NodeId node) {
  NodeState& of = nodes_[node];
  node::LoopTimes begun;
  for (; !of.loops.empty() && of.loops.front().at < at; of.loops.pop_front()) begun += of.loops.front().times;
  if (at <= of.since) return;
  Line& line = lines_[{of.view.phase, node}];
  Cycles cycles = at - of.since;
  of.since = at;
  if (of.view.state == ProgramState::computing) {
    if (begun.total() > cycles) begun = begun.scaled_to(cycles);
    line.loops += begun;
    cycles -= begun.total();
  }
  line.in_state[static_cast<std::size_t>(of.view.state)] += cycles;
}

void NodeTimes::program_changed(Cycles at, NodeId node, const ProgramView& view) {
  const ProgramView& before = nodes_[node].view;
  // Phits that pass after the end of a program change nothing here.
  if (view.state == before.state && view.phase == before.phase) return;
  count_until(at, node);
  nodes_[node].view = view;
}

std::string NodeTimes::table(Cycles cycles) {
  for (NodeId node = 0; node < nodes_.size(); ++node) count_until(cycles, node);
  std::string text = "phase,node,cycles";
  for (const std::string_view name : node::loop_time_names) text += fmt::format(",{}", name);
  for (const std::string_view name : program_state_names) {
    text += fmt::format(",{}", name == "computing" ? "other_work" : name);
  }
  text += "\n";
  const auto out = std::back_inserter(text);
  for (const auto& [key, line] : lines_) {
    Cycles all = line.loops.total();
    for (const Cycles part : line.in_state) all += part;
    fmt::format_to(out, "{},{},{}", key.first, key.second, all);
    for (const Cycles part : line.loops.cycles) fmt::format_to(out, ",{}", part);
    for (const Cycles part : line.in_state) fmt::format_to(out, ",{}", part);
    text += "\n";
  }
  return text;
}

}  // namespace ecube
