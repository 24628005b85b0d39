// SPDX-License-Identifier: Apache-2.0
// Planes that are tuned, and the sends that wait for their links (hw/README.md section 14).
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "hw/event/notes.h"
#include "hw/observed/plane_times.h"
#include "models/machine/machine.h"

namespace ecube::event {

/// What the engine does for planes.
class PlaneHost {
 public:
  /// A tune is complete at edge `at`, now or later.
  virtual void tuned(Operation& tune, Cycles at) = 0;
  /// Planes::serve_asks() is to be called at the future edge `at` with the half.
  virtual void ask_is_seen(std::size_t half, Cycles at) = 0;
  /// Planes::take_waiting() is to be called at edge `at`, now or later.
  virtual void link_is_up(std::size_t half, Cycles at) = 0;

 protected:
  ~PlaneHost() = default;
};

class Planes {
 public:
  /// One end of a link: [node][plane].
  using Number = std::size_t;

  explicit Planes(PlaneHost& host) : host_(host) {}
  void reset(const Machine& machine, const Topology& topology);
  [[nodiscard]] NodeId node_of(Number half) const { return static_cast<NodeId>(half / planes_); }

  /// Rule 14.2: a program asks for a send, which may be issued later.
  void called(const Operation& send) { ++half_of(send).sends; }
  void tune(Operation& tune, Cycles now);
  /// Rule 14.3: the send has its link.
  [[nodiscard]] bool admits(const Operation& send, Cycles now) const;
  void wait(Operation& send, Cycles now) { half_of(send).waiting.push_back({&send, now}); }
  /// The sends of a half that waited and have their link, at edge `now`.
  void take_waiting(Number half, Cycles now, std::vector<Operation*>& into);
  /// A circuit whose first phit is driven at edge `first_phit` leaves its port at the later edge `at`.
  void left(const Operation& send, Cycles first_phit, Cycles at);
  /// Rule 14.4: the asks that planes see at edge `now`.
  void serve_asks(std::span<const Number> asks, Cycles now);

  /// What the node waits for, if that is a plane.
  [[nodiscard]] std::optional<WaitingNode> waiting(NodeId node) const;
  [[nodiscard]] PlaneStatistics statistics() const { return times_.totals(); }

 private:
  struct Tune {
    Operation* operation;
    std::size_t sends;  ///< called between the tune before and this one, and not left
    Cycles called;
    [[nodiscard]] NodeId mask() const { return static_cast<NodeId>(operation->amount); }
  };
  struct Waiting {
    Operation* send;
    Cycles since;
  };
  struct Half {
    NodeId mask = 0;  ///< to which it is tuned, or will be when it is dark no more; 0 before the first tune
    bool asked = false;
    bool dark = false;
    Cycles asked_at = 0;
    Cycles closed_at = 0;
    Cycles ready = 0;    ///< not dark from this edge on
    Cycles up = never;   ///< the link is up from this edge on
    Cycles left = 0;     ///< the last circuit left at this edge
    Cycles settled = 0;  ///< the last tune is complete at this edge
    std::deque<Tune> tunes;
    std::size_t sends = 0;  ///< called after the last tune, and not left
    std::vector<Waiting> waiting;
  };

  [[nodiscard]] Number number(NodeId node, unsigned plane) const { return std::size_t{node} * planes_ + plane; }
  [[nodiscard]] Half& half_of(const Operation& operation) { return halves_[number(operation.node, operation.port)]; }
  [[nodiscard]] const Half& half_of(const Operation& operation) const {
    return halves_[number(operation.node, operation.port)];
  }
  /// The half to which the half's mask leads.
  [[nodiscard]] Number other_end(Number half) const {
    return number(node_of(half) ^ halves_[half].mask, static_cast<unsigned>(half % planes_));
  }
  void begin_tunes(Number half);
  void finish_tune(Number half, Cycles at);
  void close_plane(unsigned plane, Cycles now);
  void close(Number half, Cycles now);
  void meet(Number half);

  PlaneHost& host_;
  unsigned planes_ = 1;
  NodeId nodes_ = 0;
  bool by_plane_ = false;  ///< scope
  Cycles retune_ = 1;
  std::vector<Half> halves_;
  std::vector<NodeId> asked_;  ///< [plane] halves that have asked; scope plane
  PlaneTimes times_;
  std::vector<Number> closing_;  ///< scratch
};

}  // namespace ecube::event
