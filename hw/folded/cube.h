// SPDX-License-Identifier: Apache-2.0
// A cube of which one node is simulated, for programs that do the same on every node (hw/README.md section 13).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw/event/circuit_switching.h"
#include "hw/event/message_library.h"
#include "hw/event/processors.h"
#include "hw/observed/circuit.h"
#include "models/contract/run.h"
#include "models/uncontended/nodes.h"

namespace ecube {

/// The run cannot be folded: the whole machine has to be simulated.
class NotFolded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace folded {

/// A circuit from node 0 to the node `way`, in the cycles from .. until - 1 in which it holds a resource.
struct Hold {
  NodeId way = 0;
  std::uint32_t tag = 0;
  CircuitKind kind = CircuitKind::data;
  Cycles from = 0;
  Cycles until = 0;
};

/// A resource that up to `room` circuits hold at a time.
class Holds {
 public:
  explicit Holds(unsigned room) : room_(room) {}

  /// Adds a hold. Returns an earlier hold that it overlaps, if there is one. Holds are added in any order; those that
  /// have ended at edge `now` are removed.
  [[nodiscard]] std::optional<Hold> add(const Hold& hold, Cycles now);

 private:
  unsigned room_;
  std::vector<Hold> holds_;
};

}  // namespace folded

/// Why a machine under these conditions is never folded; empty if it can be.
[[nodiscard]] std::string why_never_folded(const Machine& machine, const RunConditions& conditions);

/// Runs a program on node 0 alone, and has the figures of the whole machine. All links of one dimension are one link.
/// Node x sends to node 0 the translation of what node 0 sends to node x. So its own circuit completes an exchange, and
/// `translated` makes the partner's contents and check words from its own.
class FoldedCube final : public uncontended::ProgrammedNodes<Cycles>, public Links {
 public:
  /// Cycle 0 of a run. NotFolded where why_never_folded() has a reason.
  void reset(const Machine& machine, unsigned dim, const RunConditions& conditions);
  /// Simulates to the end. NotFolded, with the reason, when two circuits would meet, when an order of nodes or an
  /// arbiter would decide, or when an operation is not the same on all nodes. The program has been stopped when this
  /// returns.
  RunResult run(Program& program);

  [[nodiscard]] const Topology& topology() const override { return ProgrammedNodes::topology(); }
  [[nodiscard]] Cycles now() const override { return time(); }
  void start_send(NodeId node, Operation& operation) override;
  void start_receive(NodeId node, Operation& operation) override;
  void start_exchange(NodeId node, Operation& operation) override;
  void finished(NodeId node, std::exception_ptr error) override;

  /// Counts of the whole machine.
  [[nodiscard]] RunStatistics statistics() const;
  [[nodiscard]] LinkStatistics statistics(LinkId link) const override { return links_.at(link.output); }

 private:
  using Edges = event::CircuitTimes::Edges;
  enum class Resource : std::uint8_t { link, inject_port, eject_port, send_engine, receive_engine };
  /// One of the node's own circuits, for the rule that transmissions run together or one after the other.
  struct Transmission {
    folded::Hold hold;
    Edges edges;
  };

  void refuse(std::string reason) {
    if (refusal_.empty()) refusal_ = std::move(reason);
  }
  void requested(Operation& operation) override;
  [[nodiscard]] bool over() const override;
  [[nodiscard]] Cycles time_of(Cycles cycle) const override { return cycle; }

  [[nodiscard]] bool synchronised(const Operation& operation) const;
  [[nodiscard]] CircuitKind kind_of(const Message& message) const;
  Cycles work(NodeId node, Cycles length) override { return processors_.serve(node, time(), length); }
  uncontended::Circuit<Cycles> begin(const Message& message) override;
  void drives_probe(const Message& message, Cycles at) override;
  void left(const Message& message) override;
  void received(const Message& message) override;
  void deliver(Operation& exchange);
  void end_synchronisation(const Operation& exchange);

  /// From a grant at one router to the grant at the next.
  [[nodiscard]] Cycles hop() const { return 1 + machine().router.route_cycles; }
  [[nodiscard]] Edges edges_of(const Message& message, Cycles probe);
  /// The edge at which the destination's interface sees the probe, and accepts it.
  [[nodiscard]] Cycles seen(const Edges& edges) const {
    return edges.acknowledge + 1 - machine().network.accept_cycles;
  }
  void hold_path(const Message& message, folded::Hold one);
  void hold_ends(const Message& message, const folded::Hold& sending, const Edges& edges);
  [[nodiscard]] std::vector<folded::Holds>& holds_of(Resource resource) {
    return holds_[static_cast<std::size_t>(resource)];
  }
  void hold(Resource resource, unsigned number, const folded::Hold& hold);
  void keep_together(const Transmission& one);

  void computed(NodeId node) override;
  void announce_end();

  RunStatistics counts_;                             ///< of node 0
  std::vector<LinkStatistics> links_;                ///< [dimension] of each link
  std::array<std::vector<folded::Holds>, 5> holds_;  ///< [resource][number]
  std::vector<const Operation*> under_way_;          ///< [inject port]: a send of which a further circuit follows
  std::vector<Transmission> transmissions_;          ///< where they have to begin together
  const Operation* synchronised_ = nullptr;  ///< the last that ended a synchronisation, at edge synchronised_at_
  Cycles synchronised_at_ = 0;
  std::unique_ptr<NodeWork> work_;
  event::LibraryPaths paths_;
  event::Processors processors_;
  event::CircuitTimes times_;
  std::vector<std::byte> contents_;
  std::optional<Cycles> ended_;  ///< at this edge
  std::string refusal_;
};

}  // namespace ecube
