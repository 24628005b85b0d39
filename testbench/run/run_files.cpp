// SPDX-License-Identifier: Apache-2.0
// Circuits and changes of programs as lines of a table. Lines of a schedule: empty calculations bN and oN begin and end
// an operation, pN_0, pN_1 .. between them are its messages or its work.
#include "testbench/run/run_files.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace ecube {

CircuitLog::CircuitLog(const std::string& file, const Topology& topology) : stream_(file), topology_(topology) {
  stream_.put(
      "source,destination,phase,tag,bytes,hops,probe,grants,first_data,tail,sender_ready,receiver_ready,"
      "blocked_cycles,port_blocked_cycles,inject_port\n");
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
  lines_.emplace(
      std::tuple(edges.receiver_ready, circuit.destination, circuit.eject_port),
      fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", circuit.source, circuit.destination, circuit.label,
                  circuit.tag, circuit.bytes, topology_.hops(circuit.source, circuit.destination), circuit.probe,
                  fmt::join(way.grants, " "), edges.data, edges.tail, edges.sender_ready, edges.receiver_ready,
                  way.blocked, way.port_blocked, circuit.inject_port));
}

void CircuitLog::write_until(Cycles limit) {
  const auto end = lines_.lower_bound({limit, 0, 0});
  for (auto line = lines_.begin(); line != end; line = lines_.erase(line)) stream_.put(line->second);
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
  auto names = program_state_names;
  names[static_cast<std::size_t>(ProgramState::computing)] = "other_work";
  std::string text =
      fmt::format("phase,node,cycles,{},{}\n", fmt::join(node::loop_time_names, ","), fmt::join(names, ","));
  for (const auto& [key, line] : lines_) {
    const Cycles all = std::accumulate(line.in_state.begin(), line.in_state.end(), line.loops.total());
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", key.first, key.second, all,
                   fmt::join(line.loops.cycles, ","), fmt::join(line.in_state, ","));
  }
  return text;
}

ProgramLog::ProgramLog(const StagedFiles& files, unsigned planes)
    : programs_(files.file("programs.csv")), planes_(planes) {
  programs_.put(fmt::format("node,from,state,phase,step{}\n", planes != 0 ? ",tuning" : ""));
  if (planes != 0) dark_.emplace(files.file("dark.csv")).put("node,plane,mask,from,until,asked\n");
}

void ProgramLog::program_changed(Cycles at, NodeId node, const ProgramView& view) {
  const std::string_view tuning = tuning_state_names[static_cast<std::size_t>(view.tuning)];
  programs_.put(fmt::format("{},{},{},{},{}{}{}\n", node, at, program_state_names[static_cast<std::size_t>(view.state)],
                            view.phase, view.step, planes_ != 0 ? "," : "", planes_ != 0 ? tuning : ""));
}

void ProgramLog::link_changed(Cycles at, const OutputId& output, const LinkView& view) {
  if (output.output >= planes_) return;
  const std::pair link(output.node, output.output);
  if (view.state == LinkState::dark) {
    dark_links_.try_emplace(link, Dark{.from = at, .mask = view.tuned_to, .asked = view.asked});
  } else {
    over_.insert(dark_links_.extract(link));
  }
}

void ProgramLog::put(DarkLinks& links, const std::string& until) {
  for (const auto& [link, dark] : links) {
    dark_->put(fmt::format("{},{},{},{},{},{}\n", link.first, link.second, dark.mask, dark.from, until, dark.asked));
  }
  links.clear();
}

void ProgramLog::finish() {
  programs_.commit();
  put(dark_links_, "");
  if (dark_) dark_->commit();
}

void GoalRecorder::issued(const Operation& operation, Cycles at) {
  Rank& rank = nodes_[operation.node];
  const std::uint32_t label = rank.labels++;
  rank.under_way[&operation] = {label, at};
  if (operation.sync == PairwiseSync::on) ++rendezvous_;
  if (operation.port != automatic_port) ++ports_;
  if (operation.signal) ++signals_;
  auto line = std::back_inserter(rank.lines);
  fmt::format_to(line, "b{}: calc 0\n", label);
  if (label > 0) fmt::format_to(line, "b{} irequires b{}\n", label, label - 1);
  for (const std::uint32_t before : rank.ended) fmt::format_to(line, "b{} requires o{}\n", label, before);
  rank.ended.clear();
}

void GoalRecorder::begins(const Operation& operation, Cycles at) {
  const auto found = nodes_[operation.node].under_way.find(&operation);
  if (found != nodes_[operation.node].under_way.end()) found->second.begun = at;
}

void GoalRecorder::completed(const Operation& operation, Cycles at) {
  Rank& rank = nodes_[operation.node];
  const auto ended = rank.under_way.extract(&operation);
  if (ended.empty()) return;
  const std::uint32_t label = ended.mapped().label;
  rank.ended.push_back(label);
  auto line = std::back_inserter(rank.lines);
  std::uint32_t parts = 0;
  const auto part = [&](const std::string& text) {
    fmt::format_to(line, "p{0}_{1}: {2}\np{0}_{1} requires b{0}\n", label, parts, text);
    ++parts;
  };
  const auto sends = [&] {
    part(fmt::format("send {}b to {} tag {}", operation.bytes, operation.peer, operation.tag));
  };
  const auto receives = [&](NodeId from, Bytes bytes) {
    part(fmt::format("recv {}b from {} tag {}", bytes, from, operation.tag));
  };
  switch (operation.kind) {
    case OperationKind::send:
      sends();
      break;
    case OperationKind::exchange:
      receives(operation.peer, operation.received_bytes);
      sends();
      break;
    case OperationKind::receive:
      receives(operation.received_from, operation.received_bytes);
      break;
    case OperationKind::receive_counted:  // sources are not known: programs that are recorded do without
      break;
    case OperationKind::receive_each:
      for (std::uint32_t i = 0; i < operation.sources.size(); ++i) {
        const NodeId from = operation.sources.member(operation.node, i);
        if (from != operation.node) receives(from, operation.room);
      }
      break;
    case OperationKind::compute: {
      if (operation.work == Work::until) ++waits_;
      if (operation.work == Work::tune) ++tunes_;
      const double ns = static_cast<double>(at - ended.mapped().begun) * 1e9 / clock_hz_;
      if (std::abs(ns - std::round(ns)) > 1e-6) ++rounded_;
      part(fmt::format("calc {}", std::llround(ns)));
      break;
    }
  }
  fmt::format_to(line, "o{}: calc 0\n", label);
  for (std::uint32_t i = 0; i < parts; ++i) fmt::format_to(line, "o{0} requires p{0}_{1}\n", label, i);
}

std::string GoalRecorder::text(const std::string& title) const {
  std::string text = fmt::format("// {}\n", title);
  const auto note = [&text](std::uint64_t count, std::string_view what) {
    if (count > 0) fmt::format_to(std::back_inserter(text), "// not in this schedule: {} {}\n", count, what);
  };
  note(rendezvous_,
       "operations that wait for their partner to begin (rendezvous, with a protocol by messages without bytes)");
  note(signals_, "signals of barriers, which are messages here");
  note(waits_, "waits until a cycle of the clock, which are calculations here");
  note(tunes_, "tunings of planes, which are calculations here");
  note(ports_, "inject ports that the program has named");
  note(rounded_, "times that are no whole nanoseconds");
  fmt::format_to(std::back_inserter(text), "num_ranks {}\n", nodes_.size());
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    fmt::format_to(std::back_inserter(text), "rank {} {{\n{}}}\n", node, nodes_[node].lines);
  }
  return text;
}

}  // namespace ecube
