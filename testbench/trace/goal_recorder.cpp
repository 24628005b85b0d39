// SPDX-License-Identifier: Apache-2.0
// Lines of a schedule: empty calculations bN and oN begin and end an operation, pN_0, pN_1 .. between them are its
// messages or its work.
#include "testbench/trace/goal_recorder.h"

#include <fmt/core.h>

#include <cmath>
#include <iterator>

namespace ecube {

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
  const auto found = rank.under_way.find(&operation);
  if (found == rank.under_way.end()) return;
  const std::uint32_t label = found->second.label;
  const Cycles begun = found->second.begun;
  rank.under_way.erase(found);
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
      const double ns = static_cast<double>(at - begun) * 1e9 / clock_hz_;
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
