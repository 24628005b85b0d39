// SPDX-License-Identifier: Apache-2.0
// Planes that are tuned, and the sends that wait for their links (hw/README.md section 14).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hw/event/operation_list.h"
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
  /// A half: [plane][node].
  using Number = std::size_t;
  /// Sends that waited and have their link now.
  using Sends = std::span<Operation* const>;

  explicit Planes(PlaneHost& host) : host_(host) {}
  void reset(const Machine& machine, const Topology& topology);
  void observe(Observer* observer) { times_.observe(observer); }

  /// Rule 14.2: a program asks for a send, which may be issued later.
  void called(const Operation& send) { ++halves_[number(send)].called; }
  [[nodiscard]] Sends tune(Operation& tune, Cycles now);
  /// Rule 14.3: the send has its link.
  [[nodiscard]] bool admits(const Operation& send, Cycles now) const {
    const Half& half = halves_[number(send)];
    return half.up <= now && half.mask == (send.node ^ send.peer) &&
           (half.tunes.empty() || notes(send).issue < notes(*half.tunes.head).issue);
  }
  void wait(Operation& send, Cycles now) {
    halves_[number(send)].waiting.append(send);
    times_.begins(send.node, plane_waits, now);
  }
  /// A circuit whose first phit is driven at edge `first_phit` leaves its port at the later edge `at`.
  void left(const Operation& send, Cycles first_phit, Cycles at, Cycles now);
  /// Rules 14.4 and 14.5 for halves whose ask is seen, whose circuit has left or whose link is up at edge `now`.
  [[nodiscard]] Sends serve(std::span<const Number> due, Cycles now);

  /// What the node waits for, if that is a plane.
  [[nodiscard]] std::optional<WaitingNode> waiting(NodeId node) const {
    return waiting_for_planes(
        node, asked_.size(), machine_->plane.scope,
        [this](NodeId of, std::size_t plane) -> const Half& { return halves_[plane * nodes_ + of]; });
  }
  [[nodiscard]] const PlaneStatistics& statistics() const { return times_.totals(); }

 private:
  /// Its operations are linked by their notes: a vector of each half would allocate memory.
  struct Half : PlaneHalf {
    OperationList<next_send> tunes;    ///< in order of call; the first may be under way
    OperationList<next_send> waiting;  ///< sends, for the link
    Cycles free = 0;                   ///< the last circuit leaves at this edge

    /// Of a tune, the cycles count the sends called before.
    [[nodiscard]] bool tune_begins() const { return !tunes.empty() && begins_tune(sends_before(*tunes.head)); }
    [[nodiscard]] const Operation& first_waiting() const { return *waiting.head; }
    [[nodiscard]] Cycles waits_since() const { return send_notes(*waiting.head).posted_at; }
  };

  [[nodiscard]] Number number(const Operation& operation) const {
    return (Number{operation.port} << label_bits_) + operation.node;
  }
  [[nodiscard]] NodeId node_of(Number half) const { return static_cast<NodeId>(half & (nodes_ - 1)); }
  [[nodiscard]] unsigned plane_of(Number half) const { return static_cast<unsigned>(half >> label_bits_); }
  /// Masks are of node labels, which are the lowest bits of a number.
  [[nodiscard]] Number other_end(Number half) const { return half ^ halves_[half].mask; }
  void go_on(Number number, Cycles now);
  void find_closing(Number asked);
  void meet(Number number, Cycles now);
  void finish_tune(Half& half);

  PlaneHost& host_;
  const Machine* machine_ = nullptr;
  std::size_t nodes_ = 0;  ///< 0: there are no planes
  unsigned label_bits_ = 0;
  std::vector<Half> halves_;
  std::vector<NodeId> asked_;  ///< [plane] halves that have asked since it closed
  PlaneTimes times_;
  std::vector<Number> closing_;  ///< scratch
  std::vector<Operation*> have_links_;
  ByNode<Operation*> by_node_;
};

}  // namespace ecube::event
