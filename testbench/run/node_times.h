// SPDX-License-Identifier: Apache-2.0
// node_times.csv: where the time of every detailed node went, phase by phase.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "testbench/trace/machine_trace.h"

namespace ecube {

/// Counts each cycle of each node once: by the state of its program (testbench/trace/README.md), and the cycles in
/// which the program computes by what its loops spend them on (hw/node/README.md, N14). A loop that library work or
/// phits interrupt ends later; the cycles between are other work. Where loops take more than the node computed,
/// because a barrier counts first, their shares are scaled.
/// The largest cube of which each node's time is counted, at the cost of watching every circuit.
inline constexpr unsigned most_timed_dim = 10;
[[nodiscard]] inline bool leaves_node_times(const Machine& machine, unsigned dim) {
  return machine.node.model == NodeModel::detailed && dim <= most_timed_dim;
}

class NodeTimes final : public Observer, public TraceSink {
 public:
  explicit NodeTimes(std::size_t nodes) : nodes_(nodes) {}

  void loops(const Operation& operation, const node::LoopTimes& times, Cycles at) override;
  void link_changed(Cycles, const OutputId&, const LinkView&) override {}
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

}  // namespace ecube
