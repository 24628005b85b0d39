// SPDX-License-Identifier: Apache-2.0
// A plane's half in the words of the specification (hw/README.md section 14), what its node waits for, and for what
// part of their time nodes stand still because planes are tuned.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "models/contract/run.h"
#include "models/machine/machine.h"

namespace ecube {

/// A node's end of a link on a plane, and what its program asks of it. Who changes it, and when, each engine finds for
/// itself. `Asked`: what an engine has for an operation that a program asks for.
template <class Asked>
struct PlaneHalf {
  struct Tune {
    Asked* asked;
    NodeId mask;
    std::uint64_t after;  ///< so many sends that were called before
  };
  struct Waiting {
    Asked* send;
    NodeId peer;
    Cycles since;
  };
  NodeId mask = 0;    ///< to which it is tuned, or will be when it is dark no more; 0 before its first tune
  NodeId wanted = 0;  ///< the mask for which it has asked, until it closes
  bool dark = false;  ///< until its link is up
  Cycles asked_at = 0;
  Cycles closed_at = 0;
  Cycles ready = 0;              ///< not dark from this edge on, if the other end is not
  Cycles up = never;             ///< the link is up from this edge on
  std::vector<Tune> tunes;       ///< in order of call; the first may be under way
  std::vector<Waiting> waiting;  ///< sends, for the link
  std::uint64_t called = 0;      ///< sends by the plane
  std::uint64_t left = 0;

  [[nodiscard]] bool changes() const { return wanted != 0 || dark; }
  void ask(Cycles now) {
    wanted = tunes.front().mask;
    asked_at = now;
  }
  void close(Cycles now, Cycles dark_cycles) {
    mask = std::exchange(wanted, 0);
    dark = true;
    closed_at = now;
    ready = now + dark_cycles;
    up = never;
  }
};

/// What the node waits for of its planes; `half_of(node, plane)`.
template <class HalfOf>
[[nodiscard]] std::optional<WaitingNode> waiting_for_planes(NodeId node, unsigned planes, PlaneScope scope,
                                                            const HalfOf& half_of) {
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

/// Told when tunes and waits of a node begin and end, those of an edge in any order.
class PlaneTimes {
 public:
  /// A half has asked, and its tune is not complete; a send waits for a plane.
  enum What : std::uint8_t { changes, waits };

  void reset(std::size_t nodes) {
    nodes_.assign(nodes, {});
    totals_ = {};
  }
  void begins(NodeId node, What what, Cycles at) { nodes_[node].steps.push_back({at, what, 1}); }
  void ends(NodeId node, What what, Cycles at) { nodes_[node].steps.push_back({at, what, -1}); }
  /// A circuit of the node moves phits. `known`: all circuits that move before this edge have been told; 0: they are
  /// not before the run ends.
  void moves(NodeId node, Cycles from, Cycles until, Cycles known) {
    OfNode& of = nodes_[node];
    of.moves.push_back({from, until});
    if (of.moves.size() < of.many || known == 0) return;
    settle(of, known);
    advance(of, known);
    std::erase_if(of.moves, [known](const Interval& one) { return one.until <= known; });
    of.many = 2 * of.moves.size() + 16;
  }
  /// The link of a half that was dark comes up.
  template <class Half>
  void changed(const Half& half) {
    ++totals_.changes;
    totals_.closing += half.closed_at - half.asked_at;
    totals_.dark += half.up - half.closed_at;
  }
  [[nodiscard]] PlaneStatistics totals() const {
    PlaneTimes all = *this;
    for (OfNode& of : all.nodes_) all.settle(of, never);
    return all.totals_;
  }

 private:
  struct Interval {
    Cycles from;
    Cycles until;
  };
  struct Step {
    Cycles at;
    What what;
    int step;
  };
  struct OfNode {
    std::vector<Step> steps;
    std::vector<Interval> moves;
    std::size_t many = 16;  ///< moves to be settled, so that a long run takes no more memory than a short one
    std::array<int, 2> open{};
    Cycles since = 0;
    PlaneStatistics counted;  ///< of tunes that are not complete
  };
  /// What was told of edges before `until`. At an edge, what ends comes first.
  void settle(OfNode& of, Cycles until) {
    std::sort(of.steps.begin(), of.steps.end(),
              [](const Step& a, const Step& b) { return std::tie(a.at, a.step) < std::tie(b.at, b.step); });
    auto step = of.steps.begin();
    for (; step != of.steps.end() && step->at < until; ++step) {
      advance(of, step->at);
      of.open[step->what] += step->step;
      if (of.open[changes] > 0) continue;
      totals_.exposed += std::exchange(of.counted.exposed, 0);
      totals_.hidden += std::exchange(of.counted.hidden, 0);
    }
    of.steps.erase(of.steps.begin(), step);
  }
  static void advance(OfNode& of, Cycles until) {
    const Cycles all = of.open[changes] > 0 ? until - of.since : 0;
    const Cycles exposed = all > 0 && of.open[waits] > 0 ? all - moving(of.moves, of.since, until) : 0;
    of.counted.exposed += exposed;
    of.counted.hidden += all - exposed;
    of.since = until;
  }
  /// Cycles of an interval in which some circuit moves phits.
  [[nodiscard]] static Cycles moving(std::vector<Interval>& moves, Cycles from, Cycles until) {
    std::sort(moves.begin(), moves.end(), [](const Interval& a, const Interval& b) { return a.from < b.from; });
    Cycles sum = 0;
    for (const Interval& one : moves) {
      const Cycles begin = std::max(one.from, from);
      from = std::max(begin, std::min(one.until, until));
      sum += from - begin;
    }
    return sum;
  }

  std::vector<OfNode> nodes_;
  PlaneStatistics totals_;
};

}  // namespace ecube
