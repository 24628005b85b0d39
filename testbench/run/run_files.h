// SPDX-License-Identifier: Apache-2.0
// Files that grow as a run goes: circuits.csv, every edge of a circuit, programs.csv, what nodes do, dark.csv, when
// links of planes were dark, node_times.csv, where nodes spend time; and a run as a schedule in GOAL's text.
#pragma once

#include <array>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hw/observed/observer.h"
#include "models/machine/machine.h"
#include "testbench/system/staged_files.h"
#include "testbench/trace/machine_trace.h"

namespace ecube {

/// Writes a line for every circuit, in order of the edge at which its message was received, then of destination and
/// eject port, as soon as no later line can stand before it: the same for every engine.
class CircuitLog final : public Observer {
 public:
  /// std::runtime_error when the file cannot be made.
  CircuitLog(const std::string& file, const Topology& topology);

  void injected(CircuitId id, const CircuitRecord& /*circuit*/) override {
    if (ways_.size() <= id) ways_.resize(id + std::size_t{1});
    ways_[id] = {};
  }
  void granted(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles asked,
               Cycles at) override;
  void established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) override;
  /// Writes the remaining lines. std::runtime_error when the file is incomplete.
  void finish() {
    write_until(std::numeric_limits<Cycles>::max());
    stream_.commit();
  }

 private:
  struct Way {
    std::vector<Cycles> grants;
    Cycles blocked = 0;       ///< waits for links
    Cycles port_blocked = 0;  ///< wait for the eject port
    Cycles ejected = 0;       ///< edge at which it got the eject port
  };

  void write_until(Cycles limit);

  StagedFile stream_;
  Topology topology_;
  std::vector<Way> ways_;           ///< by CircuitId
  std::multiset<Cycles> ejecting_;  ///< Way::ejected of the circuits that have an eject port and are not established
  /// Not written yet, by the edge at which the message was received, destination and eject port.
  std::multimap<std::tuple<Cycles, NodeId, unsigned>, std::string> lines_;
};

/// The largest cube of which each node's time is counted, at the cost of watching every circuit.
inline constexpr unsigned most_timed_dim = 10;
[[nodiscard]] inline bool leaves_node_times(const Machine& machine, unsigned dim) {
  return machine.node.model == NodeModel::detailed && dim <= most_timed_dim;
}

/// Counts each cycle of each node once: by the state of its program (testbench/trace/README.md), and the cycles in
/// which the program computes by what its loops spend them on (hw/node/README.md, N14). A loop that library work or
/// phits interrupt ends later; the cycles between are other work. Where loops take more than the node computed,
/// because a barrier counts first, their shares are scaled.
class NodeTimes final : public Observer, public TraceSink {
 public:
  explicit NodeTimes(std::size_t nodes) : nodes_(nodes) {}

  void loops(const Operation& operation, const node::LoopTimes& times, Cycles at) override {
    nodes_[operation.node].loops.push_back({at, times});
  }
  void program_changed(Cycles at, NodeId node, const ProgramView& view) override;

  /// The table of a run of `cycles` cycles. The lines of a node add up to exactly that many.
  [[nodiscard]] std::string table(Cycles cycles);

 private:
  static constexpr std::size_t states = program_state_names.size();
  struct Line {
    std::array<Cycles, states> in_state{};  ///< computing: other work than loops
    node::LoopTimes loops;
  };
  struct Begun {
    Cycles at;
    node::LoopTimes times;
  };
  struct NodeState {
    Cycles since = 0;
    ProgramView view;
    std::deque<Begun> loops;  ///< begun, and not counted yet
  };
  void count_until(Cycles at, NodeId node);

  std::vector<NodeState> nodes_;
  std::map<std::pair<std::uint32_t, NodeId>, Line> lines_;  ///< by phase and node
};

/// Writes programs.csv, a line for every change of a program: node, edge from which on it holds, state, phase, step
/// (testbench/trace/README.md lists the states), on planes tuning. On planes also dark.csv, a line for every time that
/// a node's link was dark, in order of its end, then of node and plane: node, plane, the mask to which it was tuned,
/// edges from and until, and the one at which the node asked. `until` is empty where a stalled machine left the link
/// dark.
class ProgramLog final : public TraceSink {
 public:
  /// std::runtime_error when a file cannot be made.
  ProgramLog(const StagedFiles& files, unsigned planes);

  void link_changed(Cycles at, const OutputId& output, const LinkView& view) override;
  void program_changed(Cycles at, NodeId node, const ProgramView& view) override;
  void edge_over(Cycles at) override { put(over_, std::to_string(at)); }
  /// std::runtime_error when a file is incomplete.
  void finish();

 private:
  struct Dark {
    Cycles from;
    NodeId mask;
    Cycles asked;
  };
  using DarkLinks = std::map<std::pair<NodeId, unsigned>, Dark>;
  /// Moves the links to dark.csv.
  void put(DarkLinks& links, const std::string& until);

  StagedFile programs_;
  std::optional<StagedFile> dark_;
  unsigned planes_;
  DarkLinks dark_links_;
  DarkLinks over_;  ///< those that this edge has ended
};

/// Writes down what the programs of a run ask for, and what they have waited for before: an operation requires all
/// operations of its node that have ended since the one asked for before it, and irequires that one. The schedule then
/// takes the time of the run where programs only depend on what they wait for.
class GoalRecorder final : public Observer {
 public:
  GoalRecorder(const Machine& machine, NodeId nodes) : clock_hz_(machine.clock_hz), nodes_(nodes) {}

  void issued(const Operation& operation, Cycles at) override;
  void begins(const Operation& operation, Cycles at) override;
  void completed(const Operation& operation, Cycles at) override;

  /// The schedule, when the run has ended. Comments name what GOAL cannot say.
  [[nodiscard]] std::string text(const std::string& title) const;

 private:
  struct UnderWay {
    std::uint32_t label = 0;
    Cycles begun = 0;
  };
  struct Rank {
    std::string lines;
    std::uint32_t labels = 0;
    std::vector<std::uint32_t> ended;  ///< since the operation asked for last
    std::map<const Operation*, UnderWay> under_way;
  };

  double clock_hz_;
  std::vector<Rank> nodes_;
  std::uint64_t rendezvous_ = 0;
  std::uint64_t signals_ = 0;
  std::uint64_t waits_ = 0;
  std::uint64_t tunes_ = 0;
  std::uint64_t ports_ = 0;
  std::uint64_t rounded_ = 0;
};

}  // namespace ecube
