// SPDX-License-Identifier: Apache-2.0
// A run of a program on a machine: conditions, failures (hw/README.md section 12), end and counts, the same for every
// engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/machine/cube.h"
#include "models/machine/random.h"
#include "models/machine/topology.h"

namespace ecube {

/// A link, or a node with all its links, that is dead from an edge on.
struct Failure {
  NodeId node = 0;
  std::optional<unsigned> output;  ///< of the link that leaves the node; empty for the node itself
  Cycles from = 0;
};

/// The edge from which on `node` is dead, or never.
[[nodiscard]] inline Cycles dead_from(const std::vector<Failure>& failures, NodeId node) {
  Cycles from = never;
  for (const Failure& failure : failures) {
    if (!failure.output && failure.node == node) from = std::min(from, failure.from);
  }
  return from;
}

/// The edge from which on `link` is dead, or never: it fails by itself or with a node at one of its ends.
[[nodiscard]] inline Cycles dead_from(const std::vector<Failure>& failures, const Topology& topology, LinkId link) {
  Cycles from =
      std::min(dead_from(failures, link.node), dead_from(failures, topology.neighbour(link.node, link.output)));
  for (const Failure& failure : failures) {
    if (failure.output == link.output && failure.node == link.node) from = std::min(from, failure.from);
  }
  return from;
}

/// A circuit of which a word or its acknowledge was lost on a dead link.
struct CutCircuit {
  enum class Lost : std::uint8_t { probe, acknowledge, tail };
  NodeId source = 0;
  NodeId destination = 0;
  std::uint32_t tag = 0;
  LinkId link;
  Lost lost = Lost::probe;
  Cycles at = 0;  ///< the edge at which it was driven
};

/// What is late: the start of programs, their start-ups, or both.
enum class Late : std::uint8_t { all, starts, startups };

/// The conditions that vary from run to run besides the machine.
struct RunConditions {
  Cycles jitter = 0;  ///< node starts and start-ups, or one of the two, are longer by a uniform random 0..jitter
  Late late = Late::all;
  std::uint64_t seed = 1;
  bool memo = true;  ///< detailed nodes that begin the same loop in the same state share its result
  std::vector<Failure> failures{};

  /// Rule 4.12: random number `number` of a node: number 0 is for the start of its program, the others for its
  /// start-ups.
  [[nodiscard]] Cycles jitter_of(NodeId node, std::uint64_t number) const {
    if (jitter == 0 || late == (number == 0 ? Late::startups : Late::starts)) return 0;
    return up_to(draw(seed, node, number), jitter);
  }
};

/// How a run ended.
struct RunResult {
  enum class Status : std::uint8_t { finished, stalled, fault, interrupted };
  Status status = Status::finished;
  Cycles cycles = 0;  ///< the cycle in which the last program ended; when stalled, that of the last event
  double us = 0;      ///< the same in time; on the ideal machine it need not be a whole number of cycles
  std::string fault;  ///< the error of a program, when status is fault

  RunResult() = default;
  /// Of a run that a fault has ended, if there is a text about one, or else an interruption, or else its own end.
  RunResult(std::string what, bool interrupted, bool complete)
      : status(!what.empty() ? Status::fault
               : interrupted ? Status::interrupted
               : complete    ? Status::finished
                             : Status::stalled),
        fault(std::move(what)) {}
};

/// A node that has not finished, and one operation that it waits for.
struct WaitingNode {
  /// nothing_any_more: the node is dead, since the edge `since`. cut_message: its message was lost on a dead link at
  /// the edge `since`.
  enum class For : std::uint8_t {
    nothing,
    message,
    partner,
    port,
    circuit,
    synchronisation,
    grant,
    nothing_any_more,
    cut_message,
    ask,  ///< the peer has not asked for a change of the plane `tag`, for which the node has asked
    end,  ///< the peer is not tuned to the node, which is tuned to the peer on the plane `tag`
    link  ///< a send by the plane `tag`, which has no link to the peer
  };
  NodeId node = 0;
  For waits_for = For::nothing;
  NodeId peer = 0;
  std::uint32_t tag = 0;
  Cycles since = 0;
};

/// A forced message without a receive, or an unforced one without a receive and without room.
struct LostMessage {
  NodeId source = 0;
  NodeId destination = 0;
  std::uint32_t tag = 0;
  Cycles at = 0;
};

/// Counts of blocked circuits; waits for links and waits for ports are never added up.
struct BlockedStatistics {
  std::uint64_t circuits = 0;
  Cycles cycles = 0;
};

/// Planes that are tuned, for all planes and nodes together. A node-cycle in which some half of a node closes or is
/// dark is exposed if one of the node's sends waits for a plane while no circuit of its own moves phits, else hidden.
struct PlaneStatistics {
  std::uint64_t changes = 0;
  Cycles closing = 0;  ///< from the edge of asking until the half is dark
  Cycles dark = 0;     ///< until the link is up
  Cycles exposed = 0;
  Cycles hidden = 0;
  friend bool operator==(const PlaneStatistics&, const PlaneStatistics&) = default;
};

/// Counts of a run, for all nodes together (hw/README.md section 6). The ideal machine has messages in the place of
/// circuits, and none of them is ever blocked or lost.
struct RunStatistics {
  std::uint64_t circuits = 0;
  Bytes payload_bytes = 0;
  BlockedStatistics link_blocked;
  BlockedStatistics port_blocked;
  BlockedStatistics serialised;    ///< accepted only when the destination had stopped sending
  Bytes most_stored = 0;           ///< on a node at any time, of packets to be sent on and messages not yet received
  std::uint64_t most_packets = 0;  ///< of a message that is stored and forwarded
  std::uint64_t control_circuits = 0;  ///< of the circuits: synchronisation messages, reservations, grants
  std::vector<BlockedStatistics> link_blocked_by_label;
  std::uint64_t lost = 0;
  std::vector<LostMessage> first_lost;  ///< at most 16
  std::uint64_t cut = 0;                ///< circuits that lost their probe, acknowledge or tail on a dead link
  std::vector<CutCircuit> first_cut;    ///< at most 16, in order of edge
  PlaneStatistics planes;

  /// The waits for links of messages with this label.
  BlockedStatistics& blocked_by(std::uint16_t label) {
    if (link_blocked_by_label.size() <= label) link_blocked_by_label.resize(label + std::size_t{1});
    return link_blocked_by_label[label];
  }
  void add_cut(const CutCircuit& circuit) {
    ++cut;
    const auto order = [](const CutCircuit& a, const CutCircuit& b) {
      return std::tie(a.at, a.link.node, a.link.output, a.lost) < std::tie(b.at, b.link.node, b.link.output, b.lost);
    };
    first_cut.insert(std::upper_bound(first_cut.begin(), first_cut.end(), circuit, order), circuit);
    if (first_cut.size() > 16) first_cut.pop_back();
  }
};

/// The fault of a program that ended with an error.
[[nodiscard]] std::string escaped(NodeId node, const std::exception_ptr& error);

/// How a run ends: the programs that have ended, and the fault that ends the run before they have. `Time` is that at
/// which programs end.
template <class Time>
class ProgramEnds {
 public:
  void reset(std::size_t nodes) {
    *this = {};
    ended_.assign(nodes, false);
    unfinished_ = static_cast<NodeId>(nodes);
  }
  void program_ended(NodeId node, Time now) {
    ended_[node] = true;
    --unfinished_;
    if (now > last_finish_) last_finish_ = now;
  }
  [[nodiscard]] bool has_ended(NodeId node) const { return ended_[node]; }
  [[nodiscard]] NodeId unfinished() const { return unfinished_; }
  [[nodiscard]] Time last_finish() const { return last_finish_; }

  /// A loop faults, or an error escapes a program.
  void fails(NodeId node, const std::exception_ptr& error) {
    if (failed()) return;
    error_ = error;
    fault_ = escaped(node, error_);
  }
  [[nodiscard]] bool failed() const { return error_ != nullptr; }
  /// A program is at fault now.
  void faults(std::string what) {
    if (fault_.empty()) fault_ = std::move(what);
  }
  /// The same at edge `at`, which may be to come. Of several faults of an edge, that of the lowest node counts.
  void faults_at(Cycles at, NodeId node, std::string what) {
    if (std::pair(at, node) >= coming_) return;
    coming_ = {at, node};
    what_comes_ = std::move(what);
  }
  /// The edge of a fault that may be to come, or never.
  [[nodiscard]] Cycles next_fault() const { return coming_.first; }
  /// All work of edge `now` has been done.
  void reach(Cycles now) {
    if (coming_.first <= now) [[unlikely]]
      faults(what_comes_);
  }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] std::exception_ptr error() const { return error_; }

 private:
  std::vector<bool> ended_;  ///< [node]
  NodeId unfinished_ = 0;
  Time last_finish_{};
  std::string fault_;
  std::exception_ptr error_;
  std::pair<Cycles, NodeId> coming_{never, 0};
  std::string what_comes_;
};

}  // namespace ecube
