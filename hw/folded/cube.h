// SPDX-License-Identifier: Apache-2.0
// A cube of which one node is simulated, for programs that do on every node what they do on node 0 (hw/README.md
// section 13).
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/event/core_work.h"
#include "hw/event/event_wheel.h"
#include "hw/event/library_paths.h"
#include "hw/event/message_library.h"
#include "hw/event/processors.h"
#include "hw/folded/holds.h"
#include "hw/observed/link.h"
#include "models/contract/operations.h"
#include "models/contract/run.h"
#include "models/node/node_work.h"

namespace ecube {

/// The run cannot be folded: only the whole machine can tell what happens in it.
class NotFolded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The reason for which a machine under these conditions is never folded; empty where there is none.
[[nodiscard]] std::string why_never_folded(const Machine& machine, const RunConditions& conditions);

/// Runs a program on node 0 alone. All links of one dimension are one link, since in each circuit of node 0 the
/// circuits of all nodes are: one crosses each of these links, at the same edges. Every figure is that of the whole
/// machine.
///
/// What node 0 sends to node x is also, translated, what node x sends to node 0. So an exchange is completed by its own
/// circuit, and its contents and tags are words that `translated` takes to the partner's image.
class FoldedCube final : public NodePorts, public Links, private event::LibraryHost {
 public:
  /// Called now and then with the cycle reached; returning false interrupts the run.
  using Progress = std::function<bool(Cycles)>;

  /// Cycle 0 of a run. NotFolded where why_never_folded() has a reason.
  void reset(const Machine& machine, unsigned dim, const RunConditions& conditions);
  void on_progress(Progress progress) { progress_ = std::move(progress); }
  /// Simulates to the end. NotFolded, with the reason, when two circuits would have to take turns, when an order of
  /// nodes or an arbiter would have to decide, or when the program asks for what is not the same on all nodes. The
  /// program has been stopped when this returns.
  RunResult run(Program& program);

  [[nodiscard]] unsigned dim() const override { return dim_; }
  [[nodiscard]] Cycles now() const override { return now_; }
  [[nodiscard]] double now_us() const override { return machine_.us(static_cast<double>(now_)); }
  [[nodiscard]] const Machine& machine() const override { return machine_; }
  void start_send(NodeId node, Operation& operation) override;
  void start_receive(NodeId node, Operation& operation) override;
  void start_exchange(NodeId node, Operation& operation) override;
  void start_compute(NodeId node, Operation& operation) override;
  void finished(NodeId node, std::exception_ptr error) override;

  /// Counts of the whole machine.
  [[nodiscard]] RunStatistics statistics() const;
  [[nodiscard]] LinkStatistics statistics(LinkId link) const override { return links_.at(link.dimension).counts; }
  [[nodiscard]] std::optional<LinkId> find(const std::string& /*name*/) const override { return std::nullopt; }
  /// Events processed since the reset.
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  enum class Kind : std::uint8_t {
    completed,         ///< an operation: its program continues
    accepted,          ///< circuit: its probe has been granted the eject port
    arrival,           ///< circuit
    receipt_ends,      ///< circuit
    synchronised,      ///< an exchange's own synchronisation has left
    computation_ends,  ///< of node 0
  };
  struct Event {
    union {
      Operation* operation;
      std::uint64_t number;
    };
    Kind kind;
  };
  using Wheel = EventWheel<Event>;
  /// The edges of a circuit that nothing delays (hw/README.md section 3).
  struct Edges {
    Cycles seen = 0;  ///< the probe is at the destination's interface
    Cycles first_phit = 0;
    Cycles tail = 0;
    Cycles sender_ready = 0;
    Cycles first_received = 0;
    Cycles receiver_ready = 0;
  };
  enum class Resource : std::uint8_t { link, inject_port, eject_port, send_engine, receive_engine };
  /// All links of one dimension.
  struct Link {
    folded::Holds holds;
    LinkStatistics counts;  ///< of each of them
  };
  /// One of the node's own circuits, for the rule that transmissions run together or one after the other.
  struct Transmission {
    folded::Hold hold;
    Cycles seen = 0;
    Cycles first_phit = 0;
    Cycles tail = 0;
  };

  void refuse(std::string reason) {
    if (refusal_.empty()) refusal_ = std::move(reason);
  }
  void step(Cycles now);
  [[nodiscard]] bool serve_due();
  void continue_programs();
  void push(Cycles at, Kind kind, std::uint64_t number) { wheel_.push(at, {.number = number, .kind = kind}); }

  void issue(NodeId node, Operation& operation);
  void begin(Operation& operation);
  void begin_compute(Operation& operation);
  void announce_end();
  void finish_computation();

  CircuitId make_circuit(CircuitKind kind, Operation& about) override;
  void make_ready(CircuitId id) override { launch(id); }
  void launch(CircuitId id);
  [[nodiscard]] Edges edges_of(const event::Circuit& circuit) const;
  void hold_path(const event::Circuit& circuit, const Edges& edges);
  void hold_ends(const event::Circuit& circuit, const Edges& edges);
  void hold(folded::Holds& holds, Resource resource, unsigned number, const folded::Hold& hold);
  void keep_together(const Transmission& one);
  void accept(CircuitId id);
  void move_phits(Cycles from, Cycles until);
  void serve_arrivals();
  void serve_receipts();
  void complete_receive(const event::Circuit& circuit, Cycles first_phit, Cycles at);
  void deliver(Operation& exchange);
  void finish_part(Operation& operation, Cycles at);
  [[nodiscard]] Cycles end_of_receiving_work(Cycles length) {
    return queued_ && length > 0 ? processors_.serve(0, now_, length) : now_ + length;
  }

  Machine machine_;
  unsigned dim_ = 0;
  unsigned port_count_ = 1;
  bool queued_ = false;     ///< library work occupies the processor
  bool exclusive_ = false;  ///< nodes compute only while their interfaces move no phits
  Cycles hop_ = 2;          ///< grant at one router to grant at the next
  Ratio phit_cycles_{1, 1};
  Cycles now_ = 0;
  std::uint64_t events_ = 0;
  std::uint32_t issued_ = 0;
  RunStatistics counts_;  ///< of node 0

  event::Circuits circuits_;
  std::vector<Edges> edges_;  ///< [circuit]
  std::vector<Link> links_;   ///< [dimension]
  std::vector<folded::Holds> injects_;
  std::vector<folded::Holds> ejects_;
  folded::Holds send_engines_;
  folded::Holds receive_engines_;
  bool engines_shared_ = false;
  std::vector<const Operation*> under_way_;  ///< [inject port]: a send of which further circuits follow
  std::vector<Transmission> transmissions_;  ///< where they have to begin together
  std::unique_ptr<NodeWork> work_;
  event::LibraryPaths paths_;
  std::unique_ptr<event::MessageLibrary> library_;
  event::Processors processors_;
  Wheel wheel_;
  Progress progress_;

  // Of the edge being decided:
  std::vector<Operation*> requests_;  ///< in order of issue
  std::vector<Operation*> continuing_;
  std::vector<CircuitId> arrivals_;
  std::vector<Event> receipts_;
  std::vector<std::byte> contents_;

  bool ended_ = false;
  Cycles end_ = 0;
  std::string refusal_;
};

}  // namespace ecube
