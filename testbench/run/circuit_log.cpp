// SPDX-License-Identifier: Apache-2.0
// Circuits and changes of programs as lines of a table.
#include "testbench/run/circuit_log.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ecube {

CircuitLog::CircuitLog(const std::string& file, const Topology& topology) : stream_(file), topology_(topology) {
  stream_.put(
      "source,destination,phase,tag,bytes,hops,probe,grants,first_data,tail,sender_ready,receiver_ready,"
      "blocked_cycles,port_blocked_cycles,inject_port\n");
}

void CircuitLog::injected(CircuitId id, const CircuitRecord&) {
  if (ways_.size() <= id) ways_.resize(id + std::size_t{1});
  ways_[id] = {};
}

void CircuitLog::granted(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned, Cycles asked, Cycles at) {
  // Later lines belong to circuits that have an eject port now, or get one at this edge or later.
  write_until(ejecting_.empty() ? at : std::min(at, *ejecting_.begin()));
  Way& way = ways_[id];
  way.grants.push_back(at);
  (router == circuit.destination ? way.port_blocked : way.blocked) += at - asked;
  if (router == circuit.destination &&
      way.grants.size() == topology_.hops(circuit.source, circuit.destination) + std::size_t{1}) {
    way.ejected = at;
    ejecting_.insert(at);
  }
}

void CircuitLog::established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) {
  const Way& way = ways_[id];
  if (const auto ejecting = ejecting_.find(way.ejected); ejecting != ejecting_.end()) ejecting_.erase(ejecting);
  lines_.push(
      {edges.receiver_ready, circuit.destination, circuit.eject_port,
       fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", circuit.source, circuit.destination, circuit.label,
                   circuit.tag, circuit.bytes, topology_.hops(circuit.source, circuit.destination), circuit.probe,
                   fmt::join(way.grants, " "), edges.data, edges.tail, edges.sender_ready, edges.receiver_ready,
                   way.blocked, way.port_blocked, circuit.inject_port)});
}

void CircuitLog::write_until(Cycles limit) {
  for (; !lines_.empty() && lines_.top().received < limit; lines_.pop()) stream_.put(lines_.top().text);
}

void CircuitLog::finish() {
  write_until(std::numeric_limits<Cycles>::max());
  stream_.finish();
}

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

ProgramLog::ProgramLog(const StagedFiles& files, unsigned planes)
    : programs_(files.file("programs.csv")), planes_(planes) {
  programs_.put("node,from,state,phase,step\n");
  if (planes != 0) dark_.emplace(files.file("dark.csv")).put("node,plane,mask,from,until\n");
}

void ProgramLog::program_changed(Cycles at, NodeId node, const ProgramView& view) {
  programs_.put(fmt::format("{},{},{},{},{}\n", node, at, program_state_names[static_cast<std::size_t>(view.state)],
                            view.phase, view.step));
}

void ProgramLog::link_changed(Cycles at, const OutputId& output, const LinkView& view) {
  if (output.output >= planes_) return;
  const std::pair link(output.router, output.output);
  if (view.state == LinkState::dark) {
    dark_links_.try_emplace(link, Dark{.from = at, .mask = view.tuned_to, .over = false});
  } else if (const auto dark = dark_links_.find(link); dark != dark_links_.end()) {
    dark->second.over = any_over_ = true;
  }
}

void ProgramLog::edge_over(Cycles at) {
  if (!std::exchange(any_over_, false)) return;
  std::erase_if(dark_links_, [&](const auto& one) {
    const auto& [link, dark] = one;
    if (dark.over) dark_->put(fmt::format("{},{},{},{},{}\n", link.first, link.second, dark.mask, dark.from, at));
    return dark.over;
  });
}

void ProgramLog::finish() {
  programs_.finish();
  for (const auto& [link, dark] : dark_links_) {
    dark_->put(fmt::format("{},{},{},{},\n", link.first, link.second, dark.mask, dark.from));
  }
  if (dark_) dark_->finish();
}

}  // namespace ecube
