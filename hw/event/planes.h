// SPDX-License-Identifier: Apache-2.0
// Planes that are tuned, and the sends that wait for their links (hw/README.md section 14).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hw/event/by_node.h"
#include "hw/event/notes.h"
#include "hw/observed/plane_half.h"
#include "models/machine/machine.h"

namespace ecube::event {

/// What the engine does for planes.
class PlaneHost {
 public:
  /// A tune is complete at this edge.
  virtual void tuned(Operation& tune) = 0;
  /// Planes::serve() is to be called at the future edge `at` with the half.
  virtual void serve_half(std::size_t half, Cycles at) = 0;

 protected:
  ~PlaneHost() = default;
};

class Planes {
 public:
  /// A half: [node][plane].
  using Number = std::size_t;
  /// Sends that waited and have their link now.
  using Sends = std::span<Operation* const>;

  explicit Planes(PlaneHost& host) : host_(host) {}
  void reset(const Machine& machine, const Topology& topology);

  /// Rule 14.2: a program asks for a send, which may be issued later.
  void called(const Operation& send) { ++half_of(send).called; }
  [[nodiscard]] Sends tune(Operation& tune, Cycles now);
  /// Rule 14.3: the send has its link.
  [[nodiscard]] bool admits(const Operation& send, Cycles now) const {
    const Half& half = half_of(send);
    return half.up <= now && half.mask == (send.node ^ send.peer) &&
           (half.tunes.empty() || notes(send).issue < notes(*half.tunes.front().asked).issue);
  }
  void wait(Operation& send, Cycles now) {
    half_of(send).waiting.push_back({&send, send.peer, now});
    times_.begins(send.node, PlaneTimes::waits, now);
  }
  /// A circuit whose first phit is driven at edge `first_phit` leaves its port at the later edge `at`.
  void left(const Operation& send, Cycles first_phit, Cycles at, Cycles now);
  /// Rules 14.4 and 14.5 for halves whose ask is seen, whose circuit has left or whose link is up at edge `now`.
  [[nodiscard]] Sends serve(std::span<const Number> due, Cycles now);

  /// What the node waits for, if that is a plane.
  [[nodiscard]] std::optional<WaitingNode> waiting(NodeId node) const {
    return waiting_for_planes(node, halves_.empty() ? 0 : planes_, scope_,
                              [this](NodeId of, unsigned plane) -> const Half& { return halves_[number(of, plane)]; });
  }
  [[nodiscard]] PlaneStatistics statistics() const { return times_.totals(); }

 private:
  struct Half : PlaneHalf<Operation> {
    Cycles free = 0;  ///< the last circuit leaves at this edge
  };
  struct Asks {
    NodeId halves = 0;
    Cycles last = 0;  ///< when the last of them asked
  };

  [[nodiscard]] Number number(NodeId node, unsigned plane) const { return std::size_t{node} * planes_ + plane; }
  [[nodiscard]] NodeId node_of(Number half) const { return static_cast<NodeId>(half / planes_); }
  [[nodiscard]] Half& half_of(const Operation& operation) { return halves_[number(operation.node, operation.port)]; }
  [[nodiscard]] const Half& half_of(const Operation& operation) const {
    return halves_[number(operation.node, operation.port)];
  }
  [[nodiscard]] Number other_end(Number half) const {
    return number(node_of(half) ^ halves_[half].mask, static_cast<unsigned>(half % planes_));
  }
  void go_on(Number half, Cycles now);
  void find_closing(Number asks, Cycles now);
  void meet(Number half, Cycles now, bool counts);
  void finish_tune(Half& half);

  PlaneHost& host_;
  unsigned planes_ = 1;
  PlaneScope scope_ = PlaneScope::link;
  Cycles retune_ = 1;
  std::vector<Half> halves_;
  std::vector<Asks> asks_;  ///< [plane] since the plane closed, with PlaneScope::plane
  PlaneTimes times_;
  struct Closing {
    Number half;
    bool changes;
  };
  std::vector<Closing> closing_;  ///< scratch
  std::vector<Operation*> have_links_;
  ByNode<Operation*> by_node_;
};

}  // namespace ecube::event
