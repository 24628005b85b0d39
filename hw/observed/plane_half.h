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

/// What a program asks of a half. `Asked`: what an engine has for an operation that a program asks for.
template <class Asked>
struct PlaneTune {
  Asked* asked;
  NodeId mask;
  std::uint64_t after;  ///< so many sends that were called before
};
template <class Asked>
struct PlaneWait {
  Asked* send;
  NodeId peer;
  Cycles since;
};

/// A node's end of a link on a plane, and what its program asks of it. Who changes it, and when, each engine finds for
/// itself. `Tunes` and `Waits`: what is asked, in order; engines may have lists of their own.
template <class Asked, class Tunes = std::vector<PlaneTune<Asked>>, class Waits = std::vector<PlaneWait<Asked>>>
struct PlaneHalf {
  using Waiting = PlaneWait<Asked>;

  NodeId mask = 0;           ///< to which it is tuned, or will be when it is dark no more; 0 before its first tune
  NodeId wanted = 0;         ///< the mask for which it has asked, until it closes
  bool dark = false;         ///< until its link is up
  bool changes_mask = true;  ///< or that of another half that closes with it
  Cycles asked_at = 0;
  Cycles closed_at = 0;
  Cycles ready = 0;          ///< not dark from this edge on, if the other end is not
  Cycles up = never;         ///< the link is up from this edge on
  Tunes tunes;               ///< in order of call; the first may be under way
  Waits waiting;             ///< sends, for the link
  std::uint64_t called = 0;  ///< sends by the plane
  std::uint64_t left = 0;

  [[nodiscard]] bool changes() const { return wanted != 0 || dark; }
  /// Rule 14.2, if all circuits that have left are those of `left`.
  [[nodiscard]] bool begins_tune() const { return !tunes.empty() && tunes.front().after == left && !changes(); }
  void ask(Cycles now) {
    wanted = tunes.front().mask;
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

/// What the node waits for of its planes; `half_of(node, plane)`.
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
    const auto& sends = half_of(node, plane).waiting;
    if (!sends.empty()) return WaitingNode{node, For::link, sends.front().peer, plane, sends.front().since};
  }
  return std::nullopt;
}

/// Told edge by edge what begins and ends at a node, that of an edge in any order. Tells an observer when halves close
/// and are dark.
class PlaneTimes {
 public:
  /// A half has asked, and its tune is not complete; a send waits for a plane.
  enum What : std::uint8_t { changes, waits };

  void observe(Observer* observer) { observer_ = observer; }
  void reset(std::size_t nodes) {
    nodes_.assign(nodes, {});
    totals_ = {};
  }
  void begins(NodeId node, What what, Cycles at) { ++until(at, node).begun[what]; }
  void ends(NodeId node, What what, Cycles at) {
    OfNode& of = until(at, node);
    if (--of.open[what] > 0 || what == waits) return;
    totals_.hidden += std::exchange(of.all, 0) - of.exposed;
    totals_.exposed += std::exchange(of.exposed, 0);
  }
  /// At edge `now` it is known when a circuit of the node will move phits. Circuits are told in the order of their
  /// first.
  void moves(NodeId node, Cycles from, Cycles to, Cycles now) {
    std::vector<Interval>& moves = until(now, node).moves;
    std::erase_if(moves, [now](const Interval& one) { return one.to <= now; });
    if (!moves.empty()) from = std::max(from, moves.back().to);
    if (from < to) moves.push_back({from, to});
  }
  /// The half has asked.
  void asked(NodeId node, unsigned plane, const auto& half) {
    begins(node, changes, half.asked_at);
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
  void tell(HalfState state, NodeId node, unsigned plane, NodeId mask, Cycles at) {
    if (observer_ != nullptr) observer_->half_is(state, node, plane, mask, at);
  }
  /// The node, what went on before edge `at` being counted. At an edge, what ends comes before what begins.
  OfNode& until(Cycles at, NodeId node) {
    OfNode& of = nodes_[node];
    if (at == of.since) return of;
    for (const What what : {changes, waits}) of.open[what] += std::exchange(of.begun[what], 0);
    if (of.open[changes] > 0) {
      of.all += at - of.since;
      if (of.open[waits] > 0) of.exposed += at - of.since - moving(of.moves, of.since, at);
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
