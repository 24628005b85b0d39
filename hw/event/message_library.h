// SPDX-License-Identifier: Apache-2.0
// The message libraries, which add synchronisation, reservation and system buffers to sends and receives (hw/README.md
// section 5).
#pragma once

#include <optional>
#include <vector>

#include "hw/event/matching.h"

namespace ecube::event {

/// How long the library's code takes for each kind of circuit (hw/README.md section 5, Kinds of circuits).
struct LibraryPaths : Machine::PathLengths {
  /// Rules 4.3 and 5.4: start-up of a circuit: cycles before its probe.
  [[nodiscard]] [[gnu::always_inline]] Cycles startup(const Circuit& circuit) const {
    if (circuit.kind != CircuitKind::data || circuit.granted) [[unlikely]]
      return startup_of_library(circuit.kind);
    return circuit.bytes == 0 ? send_zero : send;
  }
  /// Rules 4.6 and 5.4: cycles after the arrival of a message.
  [[nodiscard]] Cycles receipt(const Circuit& circuit) const {
    if (circuit.kind != CircuitKind::data) [[unlikely]]
      return receipt_of_library(circuit.kind);
    return circuit.bytes == 0 ? receive_zero : receive;
  }
  /// No receipt takes any time.
  [[nodiscard]] bool without_receipts() const { return receive == 0 && receive_zero == 0 && signal_receive == 0; }

 private:
  /// Start-up of every circuit other than data sent at once.
  [[nodiscard]] Cycles startup_of_library(CircuitKind kind) const {
    if (kind == CircuitKind::signal) return signal_send;
    if (kind == CircuitKind::synchronisation) return send_zero;
    return kind == CircuitKind::reservation ? send : control_send;
  }
  [[nodiscard]] Cycles receipt_of_library(CircuitKind kind) const {
    if (kind == CircuitKind::signal) return signal_receive;
    return kind == CircuitKind::synchronisation ? receive_zero : control_receive;
  }
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

/// With a protocol, partners of a synchronised exchange send each other a message without bytes first. Of forced
/// messages, those that arrive without a receive are lost. Of unforced ones, long messages reserve a receive or room;
/// short ones are kept if there is room.
class MessageLibrary {
 public:
  MessageLibrary(LibraryHost& host, Circuits& circuits, Matching& matching)
      : host_(host), circuits_(circuits), matching_(matching) {}
  void reset(const Machine& machine, std::size_t nodes) {
    protocol_ = machine.library.protocol;
    threshold_ = machine.library.threshold_bytes;
    room_ = machine.library.buffer_bytes;
    known_.assign(protocol_ == Protocol::none ? 0 : nodes, {});
    buffers_.assign(protocol_ == Protocol::unforced ? nodes : 0, {});
    posted_.clear();
  }

  [[nodiscard]] CircuitKind first_kind(const Operation& send) const {
    if (send.signal) return CircuitKind::signal;
    const bool synchronised = send.kind == OperationKind::exchange && send.sync == PairwiseSync::on;
    return synchronised && protocol_ != Protocol::none ? CircuitKind::synchronisation : data_or_reservation(send);
  }
  /// An exchange was issued whose first circuit is a synchronisation.
  void expect_partner(Operation& exchange);
  void synchronisation_left(Operation& exchange);
  /// A control circuit has been received; `about` is the send that it serves.
  void received(const Circuit& circuit, Operation* about);
  /// A receive was posted at `node`, for which reservations may wait.
  void posted(NodeId node) {
    if (protocol_ == Protocol::unforced && !buffers_[node].reservations.empty()) posted_.push_back(node);
  }
  /// Reservations are answered at the end of an edge, before sends that programs ask for.
  [[nodiscard]] bool answers() const { return protocol_ == Protocol::unforced; }
  [[nodiscard]] bool any_posted() const { return !posted_.empty(); }
  void answer_posted() {
    for (const NodeId node : posted_) consider_reservations(node);
    posted_.clear();
  }
  /// With a protocol: at the end of the cycle in which a message arrived for which there is no receive; false when it
  /// is lost.
  [[nodiscard]] bool keeps(Circuit& message);
  /// A message has been copied out of the system buffer.
  void copied_out(NodeId node, Bytes bytes) {
    buffers_[node].taken -= bytes;
    consider_reservations(node);
  }

 private:
  struct Synchronisation {
    NodeId source;
    std::uint32_t tag;
    Operation* exchange;  ///< the exchange that waits for the message; null if the message came first
  };
  struct Buffer {
    Bytes taken = 0;
    std::vector<Operation*> reservations;  ///< sends whose reservation waits, in order of arrival
  };
  /// The kind of the circuit after synchronisation or, without synchronisation, of the first.
  [[nodiscard]] CircuitKind data_or_reservation(const Operation& send) const {
    const bool reserves = protocol_ == Protocol::unforced && send.bytes > threshold_;
    return reserves ? CircuitKind::reservation : CircuitKind::data;
  }
  [[nodiscard]] std::optional<Synchronisation> meet(NodeId node, const Synchronisation& one);
  void consider_reservations(NodeId node);
  [[nodiscard]] bool set_aside(NodeId node, Bytes bytes);
  [[nodiscard]] bool grant(Operation& send);

  LibraryHost& host_;
  Circuits& circuits_;
  Matching& matching_;
  Protocol protocol_ = Protocol::none;
  Bytes threshold_ = 0;
  Bytes room_ = 0;                                   ///< of a node's system buffer
  std::vector<std::vector<Synchronisation>> known_;  ///< [node]
  std::vector<Buffer> buffers_;                      ///< [node] of unforced messages
  std::vector<NodeId> posted_;                       ///< at this edge, where reservations wait
};

}  // namespace ecube::event
