// SPDX-License-Identifier: Apache-2.0
// The message libraries, which add synchronisation, reservation and system buffers to sends and receives (hw/README.md
// section 5).
#pragma once

#include <memory>
#include <vector>

#include "hw/event/matching.h"

namespace ecube::event {

/// How long the library's code takes for each kind of circuit (hw/README.md section 5, Kinds of circuits).
class LibraryPaths {
 public:
  void reset(const Machine::PathLengths& paths) { paths_ = paths; }

  /// Rules 4.3 and 5.4: start-up of a circuit: cycles before its probe.
  [[nodiscard]] [[gnu::always_inline]] Cycles startup(const Circuit& circuit) const {
    if (circuit.kind != CircuitKind::data || circuit.granted) [[unlikely]]
      return startup_of_library(circuit.kind);
    return circuit.bytes == 0 ? paths_.send_zero : paths_.send;
  }
  /// Cycles before the probe of a packet that is sent on.
  [[nodiscard]] Cycles forward() const { return paths_.forward; }
  /// Rules 4.6 and 5.4: cycles after the arrival of a message.
  [[nodiscard]] Cycles receipt(const Circuit& circuit) const {
    if (circuit.kind != CircuitKind::data) [[unlikely]]
      return receipt_of_library(circuit.kind);
    return circuit.bytes == 0 ? paths_.receive_zero : paths_.receive;
  }
  /// No receipt takes any time.
  [[nodiscard]] bool without_receipts() const {
    return paths_.receive == 0 && paths_.receive_zero == 0 && paths_.signal_receive == 0;
  }

 private:
  /// Start-up of every circuit other than data sent at once.
  [[nodiscard]] Cycles startup_of_library(CircuitKind kind) const {
    switch (kind) {
      case CircuitKind::signal:
        return paths_.signal_send;
      case CircuitKind::synchronisation:
        return paths_.send_zero;
      case CircuitKind::reservation:
        return paths_.send;
      case CircuitKind::grant:
      case CircuitKind::data:  // granted
        break;
    }
    return paths_.control_send;
  }
  [[nodiscard]] Cycles receipt_of_library(CircuitKind kind) const {
    if (kind == CircuitKind::signal) return paths_.signal_receive;
    return kind == CircuitKind::synchronisation ? paths_.receive_zero : paths_.control_receive;
  }

  Machine::PathLengths paths_;
};

/// The services of the machine that a message library uses.
class LibraryHost {
 public:
  /// A circuit of this kind for a send or exchange, from its node to its peer; a grant goes from the peer to the node.
  virtual CircuitId make_circuit(CircuitKind kind, Operation& about) = 0;
  /// Sends a circuit that is not the first of its send, or a grant, as soon as its port is free.
  virtual void make_ready(CircuitId id) = 0;

 protected:
  ~LibraryHost() = default;
};

/// Without a protocol: sends data only, and keeps every message that arrives, without limit.
class MessageLibrary {
 public:
  MessageLibrary() = default;
  virtual ~MessageLibrary() = default;
  MessageLibrary(const MessageLibrary&) = delete;
  MessageLibrary& operator=(const MessageLibrary&) = delete;

  [[nodiscard]] static std::unique_ptr<MessageLibrary> make(const Machine& machine, std::size_t nodes,
                                                            LibraryHost& host, Circuits& circuits, Matching& matching);

  [[nodiscard]] CircuitKind first_kind(const Operation& send) const {
    return send.signal ? CircuitKind::signal : first_of(send);
  }
  /// An exchange was issued whose first circuit is a synchronisation.
  virtual void expect_partner(Operation& /*exchange*/) {}
  virtual void synchronisation_left(Operation& /*exchange*/) {}
  /// A control circuit has been received; `about` is the send that it serves.
  virtual void received(const Circuit& /*circuit*/, Operation* /*about*/) {}
  /// Reservations wait at `node`, which have to be considered again when a receive has been posted.
  [[nodiscard]] virtual bool has_reservations(NodeId /*node*/) const { return false; }
  virtual void consider_reservations(NodeId /*node*/) {}
  /// At the end of the cycle in which a message arrived for which there is no receive: false when it is lost.
  [[nodiscard]] virtual bool keeps(Circuit& /*message*/) { return true; }
  /// A message has been copied out of the system buffer.
  virtual void copied_out(NodeId /*node*/, Bytes /*bytes*/) {}

 private:
  [[nodiscard]] virtual CircuitKind first_of(const Operation& /*send*/) const { return CircuitKind::data; }
};

/// Partners of an exchange send each other a message without bytes first. A message that arrives without a receive is
/// lost.
class Forced : public MessageLibrary {
 public:
  Forced(std::size_t nodes, LibraryHost& host) : host_(host), known_(nodes) {}
  void expect_partner(Operation& exchange) override;
  void synchronisation_left(Operation& exchange) override;
  void received(const Circuit& circuit, Operation* about) override;
  [[nodiscard]] bool keeps(Circuit& /*message*/) override { return false; }

 protected:
  [[nodiscard]] LibraryHost& host() { return host_; }
  /// The kind of the circuit after synchronisation or, without synchronisation, of the first.
  [[nodiscard]] virtual CircuitKind data_or_reservation(const Operation& /*send*/) const { return CircuitKind::data; }

 private:
  struct Synchronisation {
    NodeId source;
    std::uint32_t tag;
    Operation* exchange;  ///< the exchange that waits for the message; null if the message came first
  };
  [[nodiscard]] CircuitKind first_of(const Operation& send) const override {
    const bool synchronised = send.kind == OperationKind::exchange && send.sync == PairwiseSync::on;
    return synchronised ? CircuitKind::synchronisation : data_or_reservation(send);
  }

  LibraryHost& host_;
  std::vector<std::vector<Synchronisation>> known_;  ///< [node]
};

/// Long messages reserve a receive or room; short ones are kept if there is room.
class Unforced final : public Forced {
 public:
  Unforced(const Machine& machine, std::size_t nodes, LibraryHost& host, Circuits& circuits, Matching& matching)
      : Forced(nodes, host),
        circuits_(circuits),
        matching_(matching),
        threshold_(machine.library.threshold_bytes),
        room_(machine.library.buffer_bytes),
        nodes_(nodes) {}
  void received(const Circuit& circuit, Operation* about) override;
  [[nodiscard]] bool has_reservations(NodeId node) const override { return !nodes_[node].reservations.empty(); }
  void consider_reservations(NodeId node) override;
  [[nodiscard]] bool keeps(Circuit& message) override;
  void copied_out(NodeId node, Bytes bytes) override {
    nodes_[node].buffered -= bytes;
    consider_reservations(node);
  }

 private:
  struct Node {
    Bytes buffered = 0;
    std::vector<Operation*> reservations;  ///< sends whose reservation waits, in order of arrival
  };
  [[nodiscard]] CircuitKind data_or_reservation(const Operation& send) const override {
    return send.bytes > threshold_ ? CircuitKind::reservation : CircuitKind::data;
  }
  [[nodiscard]] bool set_aside(NodeId node, Bytes bytes);
  [[nodiscard]] bool grant(Operation& send);

  Circuits& circuits_;
  Matching& matching_;
  Bytes threshold_;
  Bytes room_;  ///< of a node's system buffer
  std::vector<Node> nodes_;
};

}  // namespace ecube::event
