// SPDX-License-Identifier: Apache-2.0
// The processors of all nodes: library work, and computation in the cycles without library work (hw/README.md section
// 5).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "hw/event/operation_list.h"
#include "models/node/node_work.h"

namespace ecube::event {

class Processors {
 public:
  void reset(const Machine& machine, std::size_t nodes);

  /// Rule 4.4: library work of `cycles`, due now; returns the edge at which it ends.
  Cycles serve(NodeId node, Cycles now, Cycles cycles) {
    Node& state = nodes_[node];
    if (!state.computations.empty()) settle(node, now);
    const Cycles begin = state.library_until > now ? state.library_until : now;
    state.library_until = begin + cycles;
    if (remembers_) remember(node, {begin, state.library_until});
    return state.library_until;
  }
  /// The node's interface moves phits in the cycles from .. until - 1, in which the node does not compute. Announced
  /// before the first of these cycles or, when that is not possible, at `from` + 1: the cycle that has passed then had
  /// no computation either. With until = never, stops() tells how long.
  void moves(NodeId node, Cycles now, Cycles from, Cycles until) {
    if (computing_ > 0 && computing(node)) settle(node, std::min(now, from));
    std::vector<Interval>& known = moves_[node];
    auto kept = known.begin();
    for (const Interval& move : known) {
      if (move.until > now) {
        *kept++ = move;
      } else if (remembers_) {
        remember(node, move);
      }
    }
    known.erase(kept, known.end());
    known.push_back({from, until});
    for (auto at = known.end() - 1; at != known.begin() && (at - 1)->from > from; --at) std::swap(*at, *(at - 1));
  }
  void stops(NodeId node, Cycles now, Cycles from, Cycles until);
  /// Computation of `cycles` for `operation`, issued now. True when it is the only computation of its node: then the
  /// caller has to look at next_end(), at the edge that next_end() names.
  bool compute(NodeId node, Cycles now, Operation& operation, Cycles cycles);
  [[nodiscard]] Operation& first(NodeId node) const { return *nodes_[node].computations.head; }
  /// The first computation, which has just begun, takes this many cycles.
  void set_length(NodeId node, Cycles cycles) { nodes_[node].left = cycles; }
  /// The first computation takes `after` cycles in all, not `before` as announced.
  void change_length(NodeId node, Cycles now, Cycles before, Cycles after) {
    settle(node, now);
    nodes_[node].left += after;
    nodes_[node].left -= before;
  }
  /// Library work is served without a gap until here.
  [[nodiscard]] Cycles library_until(NodeId node) const { return nodes_[node].library_until; }
  /// Cycles of a computation that is issued now. Throws what a loop of a detailed node throws when it faults.
  [[nodiscard]] Cycles cycles(const Operation& computation, NodeWork& work, Cycles now) const;
  /// The edge at which the first computation ends as far as is known now; library work to come may put this end off.
  /// `never` while the computation waits for phits whose end is not known.
  [[nodiscard]] Cycles next_end(NodeId node) const;
  /// Takes the first computation, which has ended, out of the queue. The next one begins now.
  Operation& finish(NodeId node, Cycles now);
  /// Whether the first computation waits for phits whose end is not known, so that nothing is announced for it.
  void suspend(NodeId node, bool suspended) { nodes_[node].suspended = suspended; }
  [[nodiscard]] bool suspended(NodeId node) const { return computing_ > 0 && nodes_[node].suspended; }
  /// How many of the past cycles `from` .. `until` - 1 the node could have computed in but did not. Only for machines
  /// that combine while messages arrive.
  [[nodiscard]] Cycles idle(NodeId node, Cycles from, Cycles until) const;
  [[nodiscard]] bool computing(NodeId node) const { return !nodes_[node].computations.empty(); }

 private:
  struct Node {
    Cycles library_until = 0;  ///< library work is served without a gap from now on until here
    Cycles since = 0;          ///< progress of the first computation is accounted for up to here
    Cycles left = 0;           ///< of the first computation
    Cycles begun = 0;          ///< the first computation
    Computations computations;
    bool suspended = false;
  };
  struct Interval {
    Cycles from;
    Cycles until;
  };

  [[nodiscard]] Cycles combining_left(const Operation& combine, NodeWork& work, Cycles now) const;
  void settle(NodeId node, Cycles now);
  void remember(NodeId node, Interval busy);
  /// The edge, not beyond `limit`, at which `left` more cycles of computation are done; `left` becomes the cycles that
  /// are not done.
  Cycles walk(NodeId node, Cycles& left, Cycles limit) const;

  Bytes phit_bytes_ = 1;
  bool exclusive_ = false;  ///< computation waits for phits
  bool remembers_ = false;  ///< busy_ is kept
  NodeId computing_ = 0;    ///< so many nodes compute
  std::vector<Node> nodes_;
  std::vector<std::vector<Interval>> moves_;  ///< in order of `from`; only if exclusive
  std::vector<std::vector<Interval>> busy_;   ///< cycles of library work and computation; only if remembers_
};

}  // namespace ecube::event
