// SPDX-License-Identifier: Apache-2.0
// Messages in packets that every node on the way receives whole and sends on (hw/README.md section 5, Store and
// forward).
#pragma once

#include <algorithm>
#include <vector>

#include "hw/event/circuits.h"
#include "hw/event/statistics.h"

namespace ecube::event {

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
