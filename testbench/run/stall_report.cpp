// SPDX-License-Identifier: Apache-2.0
// The text about a stalled machine.
#include "testbench/run/stall_report.h"

#include <fmt/core.h>

#include <array>
#include <string_view>
#include <vector>

#include "sw/api/barrier.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// The nodes that are not among those that wait.
std::string finished_text(const RunMeasurement& m, NodeId nodes) {
  constexpr std::size_t most_named = 16;
  std::vector<bool> waits(nodes, false);
  for (const WaitingNode& wait : m.waiting) waits[wait.node] = true;
  const std::size_t finished = waits.size() - m.waiting.size();
  std::string names;
  for (std::size_t node = 0; node < waits.size() && finished <= most_named; ++node) {
    if (!waits[node]) names += fmt::format("{} {}", names.empty() ? ":" : ",", node);
  }
  return fmt::format("  {} finished{}\n",
                     finished == 0   ? "no node has"
                     : finished == 1 ? "1 node has"
                                     : grouped(finished) + " nodes have",
                     names);
}

}  // namespace

std::string type_text(std::uint32_t type) {
  const std::uint32_t step = type - barrier_type;
  return step < barrier_types ? fmt::format("barrier, step {}", step) : fmt::format("type {}", type);
}

std::string stall_text(const RunMeasurement& m, const Topology& topology) {
  const unsigned links = topology.outputs();
  std::string text = fmt::format("stalled at cycle {}: nothing can move, {} not finished\n", grouped(m.result.cycles),
                                 m.unfinished == 1 ? "1 node has" : grouped(m.unfinished) + " nodes have");
  for (const WaitingCircuit& circuit : m.blocked) {
    const std::string output = circuit.output < links
                                   ? fmt::format("link {}:{}", circuit.router, circuit.output)
                                   : fmt::format("eject port {}:{}", circuit.router, circuit.output - links);
    text += fmt::format("  {}->{} waits for {}", circuit.waiting.source, circuit.waiting.destination, output);
    if (circuit.held) text += fmt::format(" held by {}->{}", circuit.holder.source, circuit.holder.destination);
    text += "\n";
  }
  if (!m.ring.empty()) {
    text += fmt::format("  {} circuits wait for each other in a ring:", m.ring.size());
    for (const WaitingCircuit& circuit : m.ring) {
      text += fmt::format(" {}->{} for link {}:{}{}", circuit.waiting.source, circuit.waiting.destination,
                          circuit.router, circuit.output, &circuit == &m.ring.back() ? "\n" : ",");
    }
  }
  static constexpr std::array<std::string_view, 12> what{"has nothing under way",
                                                         "waits for a message from",
                                                         "waits for the other half of an exchange with",
                                                         "waits for a port to send to",
                                                         "waits for its circuit to",
                                                         "waits to synchronise with",
                                                         "waits for room, to be granted by",
                                                         "is dead",
                                                         "waits for a message that was cut, from",
                                                         "has asked for a change that needs the ask of",
                                                         "is tuned to, and not tuned to by,",
                                                         "waits for a tuned link to"};
  for (const WaitingNode& wait : m.waiting) {
    text += fmt::format("  node {} {}", wait.node, what[static_cast<std::size_t>(wait.waits_for)]);
    if (wait.waits_for == WaitingNode::For::nothing_any_more) {
      text += fmt::format(", since cycle {}", grouped(wait.since));
    } else if (wait.waits_for != WaitingNode::For::nothing) {
      text += fmt::format(
          " {} ({}, since cycle {})",
          wait.peer == any_node ? std::string("any node") : "node " + std::to_string(wait.peer),
          wait.waits_for >= WaitingNode::For::ask ? fmt::format("plane {}", wait.type) : type_text(wait.type),
          grouped(wait.since));
    }
    text += "\n";
  }
  if (m.unfinished > m.waiting.size()) {
    const std::uint64_t more = m.unfinished - m.waiting.size();
    text += fmt::format("  and {} more node{}\n", grouped(more), more == 1 ? "" : "s");
  } else {
    text += finished_text(m, topology.nodes());
  }
  return text;
}

nlohmann::ordered_json stall_json(const RunMeasurement& m) {
  nlohmann::ordered_json ring = nlohmann::ordered_json::array();
  for (const WaitingCircuit& circuit : m.ring) {
    ring.push_back({{"source", circuit.waiting.source},
                    {"destination", circuit.waiting.destination},
                    {"link", fmt::format("{}:{}", circuit.router, circuit.output)}});
  }
  return {{"cycle", m.result.cycles}, {"nodes", m.unfinished}, {"circuits_in_ring", m.ring.size()}, {"ring", ring}};
}

}  // namespace ecube
