// SPDX-License-Identifier: Apache-2.0
// Messages in packets that every node on the way receives whole and sends on (hw/README.md section 5).
#include <algorithm>

#include "hw/network_interface.h"
#include "models/operations.h"

namespace ecube {

namespace {

/// The next node on the e-cube route.
NodeId next_hop(NodeId from, NodeId to) {
  Route route(from, to);
  if (!route.arrived()) route.advance();
  return route.at();
}

}  // namespace

void NetworkInterfaces::begin_message(Operation& operation, unsigned port) {
  if (free_message_ == 0) {
    messages_.emplace_back();
    free_message_ = static_cast<std::uint32_t>(messages_.size());
  }
  const std::uint32_t number = free_message_ - 1;
  Message& message = messages_[number];
  free_message_ = message.next;
  const Bytes most = machine_.network.packet_bytes;
  message = {.operation = &operation,
             .receiver = operation.partner,
             .bytes = operation.bytes,
             .unsent = operation.bytes,
             .source = operation.node,
             .destination = operation.peer,
             .arriving = static_cast<std::uint32_t>(std::max<Bytes>((operation.bytes + most - 1) / most, 1))};
  statistics_.most_packets = std::max<std::uint64_t>(statistics_.most_packets, message.arriving);
  if (message.arriving > 1) set_current(port_number(port, operation.node), &operation);
  const CircuitId id = make_packet(number);
  circuits_[id].inject_port = static_cast<std::uint8_t>(port);
  launch(id);
}

CircuitId NetworkInterfaces::make_packet(std::uint32_t number) {
  const Message& message = messages_[number];
  const CircuitId id = make_circuit(first_kind(*message.operation), *message.operation);
  Circuit& circuit = circuits_[id];
  circuit.receiver = nullptr;
  circuit.destination = next_hop(message.source, message.destination);
  circuit.bytes = std::min(message.unsent, machine_.network.packet_bytes);
  circuits_.aside(id).message = number;
  return id;
}

void NetworkInterfaces::packet_sent(CircuitId id, Cycles at) {
  Circuit& circuit = circuits_[id];
  if (circuit.operation == nullptr) {
    push(at, Kind::departed, circuit.bytes << max_simulated_dim | circuit.source);
    return;
  }
  const std::uint32_t number = circuits_.aside(id).message;
  Message& message = messages_[number];
  message.unsent -= circuit.bytes;
  circuit.operation = nullptr;
  if (message.unsent > 0) {
    push(at, Kind::next_packet, number);
    return;
  }
  Operation& send = *message.operation;
  if (circuit.carries) message.staged = take_contents(send);
  message.operation = nullptr;
  set_current(port_number(circuit.inject_port, circuit.source), nullptr);
  if (observer_ != nullptr) observer_->left(send, at);
  finish_part(send, at);
}

void NetworkInterfaces::send_next_packet(std::uint32_t number) { make_ready(make_packet(number)); }

/// Sends a packet on, or puts it to those of its message that came before. True for the last one, whose record then
/// stands for the whole message.
bool NetworkInterfaces::packet_arrived(CircuitId id) {
  Circuit& circuit = circuits_[id];
  const std::uint32_t number = circuits_.aside(id).message;
  Message& message = messages_[number];
  if (circuit.destination != message.destination) {
    store(circuit.destination, circuit.bytes);
    circuit.source = circuit.destination;
    circuit.destination = next_hop(circuit.source, message.destination);
    circuit.link_blocked = false;
    circuit.port_blocked = false;
    make_ready(id);
    return false;
  }
  if (--message.arriving > 0) {
    (void)end_of_receiving_work(circuit.destination, receipt(circuit));
    release_circuit(id);
    return false;
  }
  circuit.source = message.source;
  circuit.bytes = message.bytes;
  circuits_.aside(id).staged = message.staged;
  circuit.carries = circuit.staged = message.staged != nullptr;
  circuit.receiver = message.receiver;
  message.next = free_message_;
  free_message_ = number + 1;
  return true;
}

void NetworkInterfaces::store(NodeId node, Bytes bytes) {
  stored_[node] += bytes;
  statistics_.most_stored = std::max(statistics_.most_stored, stored_[node]);
}

}  // namespace ecube
