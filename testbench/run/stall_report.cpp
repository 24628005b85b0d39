// SPDX-License-Identifier: Apache-2.0
// How a run ended: the text about a stalled machine, failures, and the exit status.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "models/machine/error.h"
#include "models/machine/quantity.h"
#include "models/machine/spelling.h"
#include "sw/api/barrier.h"
#include "testbench/run/experiment.h"
#include "testbench/system/process.h"
#include "testbench/text/json_text.h"
#include "testbench/trace/wait_chains.h"

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

/// Of failures, of circuits and of the nodes of a chain.
constexpr std::size_t most_named = 8;

Failure read_failure(std::string_view typed, const Machine& machine, const Topology& topology) {
  const char* const output_word = topology.is_plain_cube() ? "dimension" : "output";
  const auto refuse = [&](const std::string& reason) {
    throw InputError(fmt::format("--fail {}: {}", ecube::quoted(typed), reason))
        .valid(fmt::format("NODE:{}@TIME for a link, NODE@TIME for a node, as 1:0@10us; nodes 0 .. {}, "
                           "{}s 0 .. {}, times from 0 us or 0 cycles on; or none alone",
                           topology.is_plain_cube() ? "DIMENSION" : "OUTPUT", topology.nodes() - 1, output_word,
                           topology.outputs() - 1));
  };
  const auto label = [&](std::string_view word, const char* kind, std::uint64_t count) {
    const auto value = whole_number(word);
    if (!value) refuse(fmt::format("{} is no {}", ecube::quoted(word), kind));
    if (*value >= count) refuse(fmt::format("{} has no {} {}", words_of(topology), kind, *value));
    return static_cast<NodeId>(*value);
  };
  const std::size_t sign = typed.find('@');
  const std::string_view where = typed.substr(0, sign);
  const std::size_t colon = where.find(':');
  Failure failure;
  failure.node = label(where.substr(0, colon), "node", topology.nodes());
  if (colon != std::string_view::npos) {
    failure.output = label(where.substr(colon + 1), output_word, topology.outputs());
    if (!topology.exists(failure.node, *failure.output)) {
      const std::string name = topology.output_name(failure.node, *failure.output);
      const bool line = name.starts_with('+') || name.starts_with('-');
      refuse(fmt::format("node {}{} has no link {}", failure.node, line ? " is the end of a line and" : "", name));
    }
  }
  if (sign == std::string_view::npos) return failure;
  const std::string_view word = typed.substr(sign + 1);
  const auto cycles = parse_cycles(word, machine.clock_hz);
  if (!cycles) refuse(fmt::format("time {} {}", ecube::quoted(word), cycles.problem().message));
  failure.from = *cycles;
  return failure;
}

std::string name_of(const Failure& failure) {
  return failure.output ? fmt::format("link {}:{}", failure.node, *failure.output)
                        : fmt::format("node {}", failure.node);
}

bool waits_for_another(const WaitingNode& wait) {
  using For = WaitingNode::For;
  return wait.peer != any_node &&
         (wait.waits_for == For::message || wait.waits_for == For::cut_message || wait.waits_for == For::partner ||
          wait.waits_for == For::synchronisation || wait.waits_for == For::grant);
}

/// The longest chain of nodes of which each waits for the next, among `nodes` in order of label.
std::vector<NodeId> longest_chain(const std::vector<WaitingNode>& nodes) {
  std::vector<std::size_t> next(nodes.size(), nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!waits_for_another(nodes[i])) continue;
    const auto at = std::ranges::lower_bound(nodes, nodes[i].peer, {}, &WaitingNode::node);
    if (at != nodes.end() && at->node == nodes[i].peer) next[i] = static_cast<std::size_t>(at - nodes.begin());
  }
  const std::vector<std::size_t> lengths = chain_lengths(next);
  const auto longest = std::max_element(lengths.begin(), lengths.end());
  std::vector<NodeId> chain;
  if (longest == lengths.end()) return chain;
  auto at = static_cast<std::size_t>(longest - lengths.begin());
  for (std::size_t i = 0; i < *longest; ++i, at = next[at]) chain.push_back(nodes[at].node);
  return chain;
}

std::string spread_text(const RunMeasurement& m) {
  std::string text;
  if (const std::size_t count = m.failed_circuits.size(); count > 0) {
    const std::vector<std::size_t> rows = chain_lengths(holders_among(m.failed_circuits));
    const auto direct = static_cast<std::uint64_t>(std::count(rows.begin(), rows.end(), 1U));
    text += fmt::format(
        "  {} {} for an output: {} right behind a circuit that was cut or stopped, or at a dead link; the longest row, "
        "one behind the other, has {}\n",
        counted(count, "circuit"), count == 1 ? "waits" : "wait", grouped(direct),
        grouped(*std::max_element(rows.begin(), rows.end())));
  }
  const auto count = [&m](auto... kinds) {
    return grouped(static_cast<std::uint64_t>(std::ranges::count_if(
        m.failed_nodes, [&](const WaitingNode& wait) { return ((wait.waits_for == kinds) || ...); })));
  };
  using For = WaitingNode::For;
  text += fmt::format(
      "  nodes that have not finished: {} dead, {} hanging in a circuit of their own, {} waiting for other nodes\n",
      count(For::nothing_any_more), count(For::circuit, For::port),
      count(For::nothing, For::message, For::cut_message, For::partner, For::synchronisation, For::grant));
  const std::vector<NodeId> chain = longest_chain(m.failed_nodes);
  if (chain.size() < 2) return text;
  return text + fmt::format("  the longest chain of nodes that wait for each other has {}: {}{}\n",
                            grouped(chain.size()),
                            fmt::join(std::span(chain).first(std::min(chain.size(), most_named)), " > "),
                            chain.size() > most_named ? " > ..." : "");
}

/// "tag 5", or what a message of a barrier is for.
std::string tag_text(std::uint32_t tag) {
  const std::uint32_t step = tag - barrier_tag;
  return step < barrier_tags ? fmt::format("barrier, step {}", step) : fmt::format("tag {}", tag);
}

std::string lost_text(const RunStatistics& network, Protocol protocol) {
  if (network.lost == 0) return {};
  const LostMessage& first = network.first_lost.front();
  return fmt::format(
      "lost {} messages: no receive was posted{}\n"
      "  the first: {}->{}, {}, at cycle {}\n",
      grouped(network.lost), protocol == Protocol::forced ? "" : ", and the system buffer was full", first.source,
      first.destination, tag_text(first.tag), grouped(first.at));
}

/// Lines about the circuits that failures have cut and about how far their effect has spread; empty without failures.
std::string cut_text(const RunSetup& setup, const RunMeasurement& m) {
  if (setup.conditions.failures.empty()) return {};
  constexpr std::array<std::string_view, 3> what{"its probe", "its acknowledge", "its tail"};
  std::string text =
      fmt::format("failed: {}\n  {}\n", failures_text(setup.conditions.failures), cut_count_text(m.network.cut));
  for (std::size_t i = 0; i < std::min(most_named, m.network.first_cut.size()); ++i) {
    const CutCircuit& cut = m.network.first_cut[i];
    text +=
        fmt::format("  {}->{} ({}) lost {} on link {}:{} at cycle {}\n", cut.source, cut.destination, tag_text(cut.tag),
                    what[static_cast<std::size_t>(cut.lost)], cut.link.node, cut.link.output, grouped(cut.at));
  }
  if (m.network.cut > most_named) text += fmt::format("  and {} more\n", grouped(m.network.cut - most_named));
  if (m.result.status == RunResult::Status::stalled) text += spread_text(m);
  return text;
}

}  // namespace

std::string stall_text(const RunMeasurement& m, const Topology& topology) {
  const unsigned links = topology.outputs();
  std::string text = fmt::format("stalled at cycle {}: nothing can move, {} not finished\n", grouped(m.result.cycles),
                                 m.unfinished == 1 ? "1 node has" : grouped(m.unfinished) + " nodes have");
  for (const WaitingCircuit& circuit : m.blocked) {
    text += fmt::format("  {}->{} waits for {}", circuit.waiting.source, circuit.waiting.destination,
                        text_of(OutputId{circuit.router, circuit.output}, links));
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
      text +=
          fmt::format(" {} ({}, since cycle {})",
                      wait.peer == any_node ? std::string("any node") : "node " + std::to_string(wait.peer),
                      wait.waits_for >= WaitingNode::For::ask ? fmt::format("plane {}", wait.tag) : tag_text(wait.tag),
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
  const auto ring = json_list(m.ring, [](const WaitingCircuit& circuit) -> nlohmann::ordered_json {
    return {{"source", circuit.waiting.source},
            {"destination", circuit.waiting.destination},
            {"link", fmt::format("{}:{}", circuit.router, circuit.output)}};
  });
  return {{"cycle", m.result.cycles}, {"nodes", m.unfinished}, {"circuits_in_ring", m.ring.size()}, {"ring", ring}};
}

std::vector<Failure> parse_failures(const std::vector<std::string>& typed, const Machine& machine,
                                    const Topology& topology) {
  std::vector<Failure> failures;
  if (typed.size() == 1 && typed.front() == "none") return failures;
  for (const std::string& option : typed) {
    for (const std::string_view one : split(option, ',')) {
      const Failure failure = read_failure(trimmed(one), machine, topology);
      const bool twice = std::any_of(failures.begin(), failures.end(), [&](const Failure& other) {
        return other.node == failure.node && other.output == failure.output;
      });
      if (twice) {
        throw InputError(fmt::format("--fail names {} twice", name_of(failure)))
            .hint("a link or a node that is dead stays dead: give the earlier time alone");
      }
      failures.push_back(failure);
    }
  }
  return failures;
}

std::string failures_text(const std::vector<Failure>& failures) {
  std::string text;
  for (std::size_t i = 0; i < std::min(failures.size(), most_named); ++i) {
    text += fmt::format("{}{} from cycle {} on", i > 0 ? ", " : "", name_of(failures[i]), grouped(failures[i].from));
  }
  if (failures.size() > most_named) text += fmt::format(", and {} more", grouped(failures.size() - most_named));
  return text;
}

std::string cut_count_text(std::uint64_t cut) {
  return fmt::format("{} {} cut", counted(cut, "circuit"), cut == 1 ? "was" : "were");
}

nlohmann::ordered_json failures_json(const RunSetup& setup) {
  return json_list(setup.conditions.failures, [&](const Failure& failure) -> nlohmann::ordered_json {
    nlohmann::ordered_json name;
    if (failure.output) name = setup.topology().output_name(failure.node, *failure.output);
    return {{"node", failure.node},
            {"output", json_or_null(failure.output)},
            {"name", name},
            {"from_cycle", failure.from},
            {"from_us", setup.machine.us(static_cast<double>(failure.from))}};
  });
}

RunEnd end_of(const Experiment& experiment) {
  const RunMeasurement& m = experiment.measurement();
  RunEnd end{.problems = lost_text(m.network, experiment.setup().machine.library.protocol)};
  switch (m.result.status) {
    case RunResult::Status::finished:
      if (m.network.cut > 0) end.problems += cut_text(experiment.setup(), m);
      end.status = m.network.lost > 0 || m.network.cut > 0 ? 3 : experiment.verified() == false ? 1 : 0;
      break;
    case RunResult::Status::fault:
      // A message that is too long names the cycle of its arrival, which may be known ahead of the machine's time.
      end.problems += m.escaped_error
                          ? fmt::format("stopped at cycle {}: {}\n", grouped(m.result.cycles), m.result.fault)
                          : fmt::format("stopped: {}\n", m.result.fault);
      end.status = m.escaped_error && m.network.lost == 0 ? 1 : 3;
      break;
    case RunResult::Status::interrupted:
      end.problems += fmt::format("interrupted at cycle {}, after {} messages; nothing was written\n",
                                  grouped(m.result.cycles), grouped(m.network.circuits));
      end.status = interrupted_status;
      break;
    case RunResult::Status::stalled:
      end.problems += stall_text(m, experiment.setup().topology()) + cut_text(experiment.setup(), m);
      end.status = 3;
      break;
  }
  return end;
}

}  // namespace ecube
