// SPDX-License-Identifier: Apache-2.0
// Computation between library work and phits.
#include "hw/event/processors.h"

#include <algorithm>

namespace ecube::event {

void Processors::reset(const Machine& machine, std::size_t nodes) {
  phit_bytes_ = machine.link.phit_bytes;
  exclusive_ = machine.node.overlap == Overlap::off;
  computing_ = 0;
  nodes_.assign(nodes, Node{});
  moves_.assign(exclusive_ ? nodes : 0, {});
  remembers_ = machine.library.combining == Combining::arriving;
  busy_.assign(remembers_ ? nodes : 0, {});
}

bool Processors::compute(NodeId node, Cycles now, Operation& operation, Cycles cycles) {
  Node& state = nodes_[node];
  cycles_of(operation) = cycles;
  const bool waits = computing(node);
  state.computations.append(operation);
  if (waits) return false;
  ++computing_;
  state.since = now;
  state.begun = now;
  state.left = cycles;
  return true;
}

Operation& Processors::finish(NodeId node, Cycles now) {
  Node& state = nodes_[node];
  Operation& ended = first(node);
  if (remembers_) remember(node, {state.begun, now});
  state.computations.remove(nullptr, ended);
  state.since = now;
  state.begun = now;
  if (computing(node)) {
    state.left = cycles_of(first(node));
  } else {
    --computing_;
  }
  return ended;
}

void Processors::remember(NodeId node, Interval busy) {
  std::vector<Interval>& known = busy_[node];
  if (known.empty() || busy.from > known.back().until || busy.until < known.back().from) {
    known.push_back(busy);
    return;
  }
  known.back() = {std::min(known.back().from, busy.from), std::max(known.back().until, busy.until)};
}

/// Rule 5.3.
Cycles Processors::idle(NodeId node, Cycles from, Cycles until) const {
  std::vector<Interval> taken(busy_[node].begin(), busy_[node].end());
  if (exclusive_) taken.insert(taken.end(), moves_[node].begin(), moves_[node].end());
  if (computing(node)) taken.push_back({nodes_[node].begun, until});
  std::sort(taken.begin(), taken.end(), [](const Interval& a, const Interval& b) { return a.from < b.from; });
  Cycles idle = 0;
  for (const Interval& busy : taken) {
    if (from >= until) break;
    if (busy.from > from) idle += std::min(busy.from, until) - from;
    from = std::max(from, busy.until);
  }
  return from < until ? idle + until - from : idle;
}

Cycles Processors::cycles(const Operation& computation, NodeWork& work, Cycles now) const {
  return computation.work == Work::combine_items ? combining_left(computation, work, now) : work.cycles(computation);
}

/// Rule 5.3: what is left of combining when the messages have been received.
Cycles Processors::combining_left(const Operation& combine, NodeWork& work, Cycles now) const {
  const ArrivedItems& arrived = combine.arrived;
  const Cycles all = work.combine(combine.node, combine.amount, arrived.bytes);
  if (!remembers_ || arrived.since == 0 || combine.amount == 0) return all;
  // The last phit of each message cannot be combined before it has arrived.
  const std::uint64_t item_bytes = arrived.bytes / combine.amount;
  const std::uint64_t items = (phit_bytes_ + item_bytes - 1) / item_bytes * arrived.messages;
  const Cycles last = work.combine(combine.node, items, items * item_bytes);
  const Cycles done = idle(combine.node, arrived.since, now);
  return std::min(all, std::max(last, all > done ? all - done : 0));
}

Cycles Processors::next_end(NodeId node) const {
  Cycles left = nodes_[node].left;
  return walk(node, left, never);
}

void Processors::settle(NodeId node, Cycles now) {
  Node& state = nodes_[node];
  if (now <= state.since) return;
  (void)walk(node, state.left, now);
  state.since = now;
}

/// Rule 5.1.
Cycles Processors::walk(NodeId node, Cycles& left, Cycles limit) const {
  const Node& state = nodes_[node];
  if (left == 0) return state.since;
  Cycles at = std::max(state.since, state.library_until);
  const auto pass = [&](Cycles free_until) {
    const Cycles done = std::min(left, free_until - at);
    left -= done;
    at += done;
  };
  if (exclusive_) {
    for (const Interval& move : moves_[node]) {
      if (move.until <= at) continue;
      if (left == 0 || at >= limit) break;
      if (move.from > at) pass(std::min(move.from, limit));
      if (left == 0 || at >= limit) break;
      at = move.until;
    }
  }
  if (left > 0 && at < limit) pass(limit);
  return at;
}

void Processors::stops(NodeId node, Cycles now, Cycles from, Cycles until) {
  if (computing(node)) settle(node, now);
  std::vector<Interval>& known = moves_[node];
  const auto begun = std::find_if(known.begin(), known.end(),
                                  [from](const Interval& move) { return move.from == from && move.until == never; });
  begun->until = until;
}

}  // namespace ecube::event
