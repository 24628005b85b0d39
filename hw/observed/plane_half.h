// SPDX-License-Identifier: Apache-2.0
// A plane's half in the words of the specification (hw/README.md section 14), what its node waits for, and for what
// part of their time nodes stand still because planes are tuned.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "hw/observed/observer.h"
#include "models/contract/run.h"
#include "models/machine/machine.h"

namespace ecube {

/// A node's end of a link on a plane. Who changes it, and when, each engine finds for itself, and each has lists of its
/// own for the tunes and sends that its program asks for.
struct PlaneHalf {
  NodeId mask = 0;           ///< to which it is tuned, or will be when it is dark no more; 0 before its first tune
  NodeId wanted = 0;         ///< the mask for which it has asked, until it closes
  bool dark = false;         ///< until its link is up
  bool changes_mask = true;  ///< or that of another half that closes with it
  Cycles asked_at = 0;
  Cycles closed_at = 0;
  Cycles ready = 0;          ///< not dark from this edge on, if the other end is not
  Cycles up = never;         ///< the link is up from this edge on
  std::uint64_t called = 0;  ///< sends by the plane
  std::uint64_t left = 0;

  [[nodiscard]] bool changes() const { return wanted != 0 || dark; }
  /// Rule 14.2, for a tune that was called after so many sends, if all circuits that have left are those of `left`.
  [[nodiscard]] bool begins_tune(std::uint64_t after) const { return after == left && !changes(); }
  void ask(NodeId for_mask, Cycles now) {
    wanted = for_mask;
    asked_at = now;
  }
  void close(Cycles now, Cycles retune) {
    mask = std::exchange(wanted, 0);
    dark = true;
    closed_at = now;
    ready = now + (changes_mask ? retune : 1);
    up = never;
  }
};

/// What the node waits for of its planes; `half_of(node, plane)`, which knows the first send that waits for its link.
[[nodiscard]] std::optional<WaitingNode> waiting_for_planes(NodeId node, std::size_t planes, PlaneScope scope,
                                                            const auto& half_of) {
  using For = WaitingNode::For;
  for (unsigned plane = 0; plane < planes; ++plane) {
    const auto& own = half_of(node, plane);
    if (!own.changes()) continue;
    NodeId peer = node ^ own.mask;
    if (!own.dark && scope == PlaneScope::plane) {
      for (peer = 0; half_of(peer, plane).wanted != 0;) ++peer;
    }
    return WaitingNode{node, own.dark ? For::end : For::ask, peer, plane, own.asked_at};
  }
  for (unsigned plane = 0; plane < planes; ++plane) {
    const auto& own = half_of(node, plane);
    if (!own.waiting.empty()) return WaitingNode{node, For::link, own.first_waiting().peer, plane, own.waits_since()};
  }
  return std::nullopt;
}

/// Told edge by edge what begins and ends at a node, that of an edge in any order. Tells an observer of it, and when
/// halves close and are dark.
class PlaneTimes {
 public:
  void observe(Observer* observer) { observer_ = observer; }
  void reset(std::size_t nodes) {
    nodes_.assign(nodes, {});
    totals_ = {};
  }
  void begins(NodeId node, PlaneCount what, Cycles at) {
    count(what, node, true, at);
    ++until(at, node).begun[what];
  }
  void ends(NodeId node, PlaneCount what, Cycles at) {
    count(what, node, false, at);
    OfNode& of = until(at, node);
    if (--of.open[what] > 0 || what == plane_waits) return;
    totals_.hidden += std::exchange(of.all, 0) - of.exposed;
    totals_.exposed += std::exchange(of.exposed, 0);
  }
  /// At edge `now` it is known when a circuit of the node will move phits. Circuits are told in the order of their
  /// first.
  void moves(NodeId node, Cycles from, Cycles to, Cycles now) {
    count(plane_circuits, node, true, from);
    count(plane_circuits, node, false, to);
    std::vector<Interval>& moves = until(now, node).moves;
    std::erase_if(moves, [now](const Interval& one) { return one.to <= now; });
    if (!moves.empty()) from = std::max(from, moves.back().to);
    if (from < to) moves.push_back({from, to});
  }
  /// The half has asked.
  void asked(NodeId node, unsigned plane, const auto& half) {
    begins(node, plane_changes, half.asked_at);
    tell(HalfState::closing, node, plane, half.wanted, half.asked_at);
  }
  /// The half has closed.
  void closed(NodeId node, unsigned plane, const auto& half) {
    if (half.changes_mask) tell(HalfState::dark, node, plane, half.mask, half.closed_at);
  }
  /// The link of a half that was dark comes up.
  void changed(NodeId node, unsigned plane, const auto& half) {
    if (!half.dark) return;
    tell(HalfState::up, node, plane, half.mask, half.up);
    if (!half.changes_mask) return;
    ++totals_.changes;
    totals_.closing += half.closed_at - half.asked_at;
    totals_.dark += half.up - half.closed_at;
  }
  [[nodiscard]] const PlaneStatistics& totals() const { return totals_; }

 private:
  struct Interval {
    Cycles from;
    Cycles to;
  };
  struct OfNode {
    Cycles since = 0;
    std::array<int, 2> open{};    ///< begun before `since`
    std::array<int, 2> begun{};   ///< at `since`
    std::vector<Interval> moves;  ///< to come, under way, or over
    // Of tunes that are not complete:
    Cycles all = 0;
    Cycles exposed = 0;
  };
  void count(PlaneCount what, NodeId node, bool more, Cycles at) {
    if (observer_ != nullptr) observer_->plane_count(what, node, more, at);
  }
  void tell(HalfState state, NodeId node, unsigned plane, NodeId mask, Cycles at) {
    if (observer_ != nullptr) observer_->half_is(state, node, plane, mask, at);
  }
  /// The node, what went on before edge `at` being counted. At an edge, what ends comes before what begins.
  OfNode& until(Cycles at, NodeId node) {
    OfNode& of = nodes_[node];
    if (at == of.since) return of;
    for (const PlaneCount what : {plane_changes, plane_waits}) of.open[what] += std::exchange(of.begun[what], 0);
    if (of.open[plane_changes] > 0) {
      of.all += at - of.since;
      if (of.open[plane_waits] > 0) of.exposed += at - of.since - moving(of.moves, of.since, at);
    }
    of.since = at;
    return of;
  }

  [[nodiscard]] static Cycles moving(const std::vector<Interval>& moves, Cycles from, Cycles to) {
    Cycles sum = 0;
    for (const Interval& one : moves) {
      if (one.from < to && one.to > from) sum += std::min(one.to, to) - std::max(one.from, from);
    }
    return sum;
  }

  std::vector<OfNode> nodes_;
  PlaneStatistics totals_;
  Observer* observer_ = nullptr;
};

}  // namespace ecube
