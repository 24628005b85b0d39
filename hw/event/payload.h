// SPDX-License-Identifier: Apache-2.0
// The contents of messages: when they move, and where they are kept until then. Messages in packets that every node on
// the way receives whole and sends on (hw/README.md section 5, Store and forward).
#pragma once

#include <algorithm>
#include <vector>

#include "hw/event/circuits.h"
#include "hw/event/operation_list.h"
#include "models/contract/operations.h"
#include "models/contract/payload.h"

namespace ecube::event {

/// Contents are moved once, when their receive is complete. They are set aside only where the sender goes on earlier or
/// arriving bytes need their place.
class Payload {
 public:
  explicit Payload(Circuits& circuits) : circuits_(circuits) {}
  void reset() { buffers_.reset(); }

  /// Partners have met: notes whether their contents only change places.
  [[gnu::always_inline]] static void pair(Operation& a, Operation& b) {
    notes(a).swaps = notes(b).swaps = swap_in_place(a, b);
  }
  /// Moves the contents of a circuit to the region that `receive` names.
  [[gnu::always_inline]] void deliver(Operation& receive, const Circuit& circuit, CircuitId id) {
    if (!circuit.carries) return;
    if (!circuit.staged && notes(*circuit.operation).swaps && !circuit.operation->outgoing.empty()) {
      swap(*circuit.operation, receive);
    } else {
      move(receive, id);
    }
  }
  /// The sender goes on before the receiver has taken the contents of its circuit.
  void stage(CircuitId id) {
    Circuit& circuit = circuits_[id];
    if (!circuit.carries) return;
    stage(id, take(*circuit.operation));
  }
  /// The circuit's contents are in memory of their own or, if `contents` is null, dropped.
  void stage(CircuitId id, std::byte* contents) {
    circuits_.aside(id).staged = contents;
    circuits_[id].carries = circuits_[id].staged = contents != nullptr;
  }
  /// The contents of a send, from now on in memory of their own; null if the operation has been dropped together with
  /// its contents.
  [[nodiscard]] std::byte* take(Operation& send) {
    if (send.outgoing.empty()) return nullptr;
    if (notes(send).contents != Contents::set_aside) set_aside(send);
    notes(send).contents = Contents::taken;
    return data_notes(send).saved;
  }
  /// Frees the record of a circuit that has been sent and received, and the contents that it kept.
  [[gnu::always_inline]] void release(Circuit& circuit, CircuitId id) {
    if (circuit.staged) [[unlikely]]
      buffers_.release(circuits_.aside(id).staged, circuit.bytes);
    circuits_.release(circuit, id);
  }
  void release(CircuitId id) { release(circuits_[id], id); }

 private:
  [[nodiscard]] [[gnu::always_inline]] static bool swap_in_place(const Operation& a, const Operation& b) {
    const auto in_place = [](const Operation& exchange) {
      return exchange.kind == OperationKind::exchange && exchange.bytes > 0 && !exchange.outgoing.empty() &&
             exchange.outgoing.base == exchange.incoming.base;
    };
    return in_place(a) && in_place(b) && same_layout(a.outgoing, b.outgoing);
  }
  /// Neither partner continues before both circuits are established, so nothing moves until the second one is.
  static void swap(Operation& send, Operation& receive) {
    notes(send).contents = Contents::taken;
    if (notes(receive).contents == Contents::taken) swap_contents(send.outgoing, receive.outgoing);
  }
  void move(Operation& receive, CircuitId id) {
    const auto overlap = [](const Region& a, const Region& b) {
      const auto end = [](const Region& region) { return region.base + region.stride * region.runs; };
      return !a.empty() && !b.empty() && a.base < end(b) && b.base < end(a);
    };
    const Circuit& circuit = circuits_[id];
    if (!circuit.staged && circuit.operation->outgoing.empty()) return;  // dropped
    const Region to = region_for(receive, circuit.source);
    if (to.empty()) return;
    // The bytes that arrive for an exchange in place overwrite the bytes to be sent: unsent bytes are set aside first.
    if (receive.kind == OperationKind::exchange && notes(receive).contents == Contents::in_place &&
        overlap(receive.outgoing, to)) {
      set_aside(receive);
    }
    if (circuit.staged) {
      unpack(circuits_.aside(id).staged, circuit.bytes, to);
      return;
    }
    Operation& send = *circuit.operation;
    if (notes(send).contents == Contents::set_aside) {
      unpack(data_notes(send).saved, circuit.bytes, to);
      buffers_.release(data_notes(send).saved, send.bytes);
    } else {
      copy(send.outgoing, to, buffers_);
    }
    notes(send).contents = Contents::taken;
  }
  void set_aside(Operation& send) {
    data_notes(send).saved = buffers_.allocate(send.bytes);
    pack(send.outgoing, data_notes(send).saved);
    notes(send).contents = Contents::set_aside;
  }

  Circuits& circuits_;
  BufferPool buffers_;
};

/// Messages under way, and the bytes that nodes store.
class PacketStore {
 public:
  using Number = std::uint32_t;  ///< number of a message

  PacketStore(Circuits& circuits, Statistics& statistics) : circuits_(circuits), statistics_(statistics) {}

  /// `topology` has to stay until the next reset.
  void reset(const Machine& machine, const Topology& topology) {
    active_ = machine.network.switching == Switching::store_and_forward;
    most_ = machine.network.packet_bytes;
    topology_ = &topology;
    stored_.assign(active_ ? topology.nodes() : 0, 0);
    messages_.clear();
    free_.clear();
  }
  /// The machine stores and forwards.
  [[nodiscard]] bool active() const { return active_; }

  /// A send begins: the number of its message.
  [[nodiscard]] Number begin(Operation& send) {
    if (free_.empty()) {
      free_.push_back(static_cast<Number>(messages_.size()));
      messages_.emplace_back();
    }
    const Number number = free_.back();
    free_.pop_back();
    messages_[number] = {.operation = &send,
                         .receiver = notes(send).partner,
                         .bytes = send.bytes,
                         .unsent = send.bytes,
                         .source = send.node,
                         .destination = send.peer,
                         .arriving = static_cast<std::uint32_t>(std::max<Bytes>((send.bytes + most_ - 1) / most_, 1))};
    statistics_.packets(messages_[number].arriving);
    return number;
  }
  [[nodiscard]] bool several_packets(Number number) const { return messages_[number].arriving > 1; }
  [[nodiscard]] Operation& send_of(Number number) const { return *messages_[number].operation; }
  /// Rule 5.10: makes the circuit of a send the circuit of its next packet, to the next node.
  void next_packet(Number number, CircuitId id) {
    const Message& message = messages_[number];
    Circuit& circuit = circuits_[id];
    circuit.receiver = nullptr;
    circuit.destination = next_node(message.source, message.destination);
    circuit.bytes = std::min(message.unsent, most_);
    circuits_.aside(id).message = number;
  }
  /// A packet has left its source. True for the last one of its message.
  [[nodiscard]] bool left_source(CircuitId id) {
    Message& message = messages_[circuits_.aside(id).message];
    message.unsent -= circuits_[id].bytes;
    return message.unsent == 0;
  }
  /// The whole message has left; `contents` are its contents.
  void sent(Number number, std::byte* contents) {
    messages_[number].staged = contents;
    messages_[number].operation = nullptr;
  }
  [[nodiscard]] bool is_for(CircuitId id, NodeId node) const {
    return messages_[circuits_.aside(id).message].destination == node;
  }
  /// Rule 5.10: a packet is at a node on its way: its record becomes the record of its next circuit.
  void forward(CircuitId id) {
    Circuit& circuit = circuits_[id];
    store(circuit.destination, circuit.bytes);
    circuit.source = circuit.destination;
    circuit.destination = next_node(circuit.source, messages_[circuits_.aside(id).message].destination);
    circuit.link_blocked = false;
    circuit.port_blocked = false;
  }
  /// A packet is at its message's destination. True for the last one.
  [[nodiscard]] bool arrived(CircuitId id) { return --messages_[circuits_.aside(id).message].arriving == 0; }
  /// Makes the last packet's record that of the whole message; returns the message's contents.
  [[nodiscard]] std::byte* assemble(CircuitId id) {
    const Number number = circuits_.aside(id).message;
    const Message& message = messages_[number];
    Circuit& circuit = circuits_[id];
    circuit.source = message.source;
    circuit.bytes = message.bytes;
    circuit.receiver = message.receiver;
    free_.push_back(number);
    return message.staged;
  }

  /// Rule 6.8.
  void store(NodeId node, Bytes bytes) {
    stored_[node] += bytes;
    statistics_.stored(stored_[node]);
  }
  void take_out(NodeId node, Bytes bytes) { stored_[node] -= bytes; }

 private:
  struct Message {
    Operation* operation = nullptr;  ///< the sender's; null once its last packet has left the source
    Operation* receiver = nullptr;   ///< partner of a rendezvous
    std::byte* staged = nullptr;
    Bytes bytes = 0;
    Bytes unsent = 0;
    NodeId source = 0;
    NodeId destination = 0;
    std::uint32_t arriving = 0;  ///< packets that the destination has not received
  };

  [[nodiscard]] NodeId next_node(NodeId from, NodeId to) const {
    return from == to ? to : topology_->next(from, to).to;
  }

  Circuits& circuits_;
  Statistics& statistics_;
  const Topology* topology_ = nullptr;
  bool active_ = false;
  Bytes most_ = 0;  ///< bytes of a packet
  std::vector<Message> messages_;
  std::vector<Number> free_;
  std::vector<Bytes> stored_;  ///< [node]
};

}  // namespace ecube::event
