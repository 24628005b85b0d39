// SPDX-License-Identifier: Apache-2.0
// Matching, payload, and what is due at both ends of a circuit.
#include <algorithm>
#include <tuple>

#include "hw/network_interface.h"
#include "models/operations.h"

namespace ecube {

namespace {

bool overlap(const Region& a, const Region& b) {
  const auto end = [](const Region& region) { return region.base + region.stride * region.runs; };
  return !a.empty() && !b.empty() && a.base < end(b) && b.base < end(a);
}

}  // namespace

void NetworkInterfaces::match_arrived(Operation& receive) {
  Node& node = nodes_[receive.node];
  for (CircuitId* link = &node.arrived; *link != no_circuit && receive.open > 0;) {
    const CircuitId id = *link;
    Circuit& circuit = circuits_[id];
    if (!takes(receive, circuit.source, circuit.type)) {
      link = &circuit.next;
      continue;
    }
    *link = circuit.next;
    --receive.open;
    if (stores_) stored_[receive.node] -= circuit.bytes;
    const CircuitAside& aside = circuits_.aside(id);
    const Cycles at = std::max(now_, aside.arrives);
    if (circuit.buffered) {
      circuit.receiver = &receive;
      push(at, Kind::copy, id);
    } else {
      complete_receive(receive, id, aside.first_phit, at);
    }
  }
  if (receive.open > 0) node.receives.append(receive);
  if (protocol_ && receive.open > 0 && !libraries_[receive.node].reservations.empty())
    granting_.push_back(receive.node);
}

bool NetworkInterfaces::match(CircuitId id, Cycles first_phit, Cycles at, bool early) {
  Circuit& circuit = circuits_[id];
  Node& node = nodes_[circuit.destination];
  Operation* before = nullptr;
  for (Operation* receive = node.receives.head; receive != nullptr; before = receive, receive = receive->next) {
    if (!takes(*receive, circuit.source, circuit.type)) continue;
    // Before the message arrives, only a receive that no other message can reach first may be taken: one that names the
    // source, whose messages come over one path in order.
    if (early && (receive->peer == any_node || circuit.source == circuit.destination)) return false;
    if (--receive->open == 0) node.receives.remove(before, *receive);
    if (circuit.buffered) {
      circuit.receiver = receive;
      receive_later(at, Kind::copy, id);
    } else {
      complete_receive(*receive, id, first_phit, at);
    }
    return true;
  }
  return false;
}

// --- Payload -------------------------------------------------------------------------------------------------------

inline void NetworkInterfaces::deliver(Operation& receive, CircuitId id) {
  const Circuit& circuit = circuits_[id];
  if (!circuit.carries) return;
  if (!circuit.staged) {
    Operation& send = *circuit.operation;
    if (send.outgoing.empty()) return;  // dropped
    if (send.swaps) {
      // Neither partner continues before both circuits are established, so nothing moves until the second one is.
      send.contents = Contents::taken;
      if (receive.contents == Contents::taken) swap_contents(send.outgoing, receive.outgoing);
      return;
    }
  }
  const Region to = receive.incoming_from != nullptr
                        ? receive.incoming_from(receive.context, receive.node, circuit.source)
                        : receive.incoming;
  if (to.empty()) return;
  // An exchange in place sends what the arriving bytes overwrite: the unsent bytes are set aside first.
  if (receive.kind == OperationKind::exchange && receive.contents == Contents::in_place &&
      overlap(receive.outgoing, to)) {
    set_aside(receive);
  }
  if (circuit.staged) {
    unpack(circuits_.aside(id).staged, circuit.bytes, to);
    return;
  }
  Operation& send = *circuit.operation;
  if (send.contents == Contents::set_aside) {
    unpack(send.saved, circuit.bytes, to);
    buffers_.release(send.saved, send.bytes);
  } else {
    copy(send.outgoing, to, buffers_);
  }
  send.contents = Contents::taken;
}

/// The sender goes on before the receiver has taken its contents.
void NetworkInterfaces::stage(CircuitId id) {
  Circuit& circuit = circuits_[id];
  if (!circuit.carries) return;
  circuits_.aside(id).staged = take_contents(*circuit.operation);
  circuit.carries = circuit.staged = circuits_.aside(id).staged != nullptr;
}

/// What is sent, in memory of its own from now on; null if the operation has been dropped, and its contents with it.
std::byte* NetworkInterfaces::take_contents(Operation& send) {
  if (send.outgoing.empty()) return nullptr;
  if (send.contents != Contents::set_aside) set_aside(send);
  send.contents = Contents::taken;
  return send.saved;
}

void NetworkInterfaces::set_aside(Operation& send) {
  send.saved = buffers_.allocate(send.bytes);
  pack(send.outgoing, send.saved);
  send.contents = Contents::set_aside;
}

void NetworkInterfaces::complete_receive(Operation& operation, CircuitId id, Cycles first_phit, Cycles at) {
  Circuit& circuit = circuits_[id];
  if (circuit.bytes > operation.room && fault_.empty()) {
    fault_ = too_long(operation, circuit.source, circuit.bytes, at);
  }
  if (fault_.empty()) deliver(operation, id);
  operation.received_from = circuit.source;
  operation.received_bytes = circuit.bytes;
  receive_tag(operation, circuit.tag);
  operation.since = circuit.buffered ? 0 : first_phit;
  circuit.received = true;
  finish_part(operation, at);
  if (circuit.operation == nullptr) release_circuit(id);
}

// --- The ends of a circuit -----------------------------------------------------------------------------------------

inline void NetworkInterfaces::end_receiving(CircuitId id, Circuit& circuit, Cycles first_phit, Cycles at) {
  ++statistics_.circuits;
  if (!stores_ || circuit.destination == messages_[circuits_.aside(id).message].destination) {
    statistics_.payload_bytes += circuit.bytes;
  }
  if (circuit.link_blocked) {
    ++statistics_.link_blocked.circuits;
    ++statistics_.link_blocked_by_label[circuit.label].circuits;
  }
  if (circuit.port_blocked) ++statistics_.port_blocked.circuits;
  if (shared_engines_) circuits_.aside(id).arrives = at;
  if (arrival_events_) {
    statistics_.control_circuits += is_control(circuit.kind) ? 1 : 0;
    announce_arrival(id, first_phit, at);
    return;
  }
  const Cycles end = at + receipt(circuit);
  if (circuit.receiver != nullptr) {
    complete_receive(*circuit.receiver, id, first_phit, end);
    return;
  }
  Node& node = nodes_[circuit.destination];
  if (node.in_flight == 0 && match(id, first_phit, end, true)) return;
  ++node.in_flight;
  announce_arrival(id, first_phit, at);
}

inline void NetworkInterfaces::end_sending(CircuitId id, Circuit& circuit, Cycles first_phit, Cycles at) {
  const std::size_t number = port_number(circuit.inject_port, circuit.source);
  SendPort& send_port = send_ports_[number];
  send_port.free_at = at;
  if (!first_phits_.empty()) first_phits_[number] = first_phit;
  if (stores_) {
    packet_sent(id, at);
  } else if (Operation* const operation = circuit.operation; operation != nullptr) {
    if (circuit.kind == CircuitKind::synchronisation) {
      wheel_.push(at, {.operation = operation, .kind = Kind::left});
      ++specials_;
    } else if (circuit.kind != CircuitKind::reservation) {
      if (!circuit.received) stage(id);
      if (send_port.queued) [[unlikely]]
        set_current(number, nullptr);
      if (observer_ != nullptr) [[unlikely]]
        observer_->left(*operation, at);
      finish_part(*operation, at);
    }
    circuit.operation = nullptr;
  }
  if (shared_engines_) {
    push(at, Kind::port_free, number);
  } else if (send_port.queued && port_queues_[number].waits()) {
    announce_port(number);
  }
  if (circuit.received) release_circuit(id);
}

void NetworkInterfaces::received(CircuitId id, Cycles first_phit, Cycles at) {
  end_receiving(id, circuits_[id], first_phit, at);
}

void NetworkInterfaces::sent(CircuitId id, Cycles first_phit, Cycles at) {
  end_sending(id, circuits_[id], first_phit, at);
}

void NetworkInterfaces::established(CircuitId id, const CircuitEdges& edges, Cycles first_received) {
  Circuit& circuit = circuits_[id];
  end_receiving(id, circuit, first_received, edges.receiver_ready);
  end_sending(id, circuit, edges.data, edges.sender_ready);
}

void NetworkInterfaces::announce_arrival(CircuitId id, Cycles first_phit, Cycles at) {
  circuits_.aside(id).first_phit = first_phit;
  push(at, Kind::arrival, id);
}

void NetworkInterfaces::serve_arrivals() {
  std::sort(arrivals_.begin(), arrivals_.end(), [this](CircuitId a, CircuitId b) {
    return std::tuple(circuits_[a].destination, circuits_[a].eject_port) <
           std::tuple(circuits_[b].destination, circuits_[b].eject_port);
  });
  for (const CircuitId id : arrivals_) {
    if (stores_ && !packet_arrived(id)) continue;
    Circuit& circuit = circuits_[id];
    if (!arrival_events_) --nodes_[circuit.destination].in_flight;
    CircuitAside& aside = circuits_.aside(id);
    const Cycles length = receipt(circuit);
    aside.arrives = end_of_receiving_work(circuit.destination, length);
    if (is_control(circuit.kind)) {
      receive_later(aside.arrives, Kind::receipt, id);
    } else if (circuit.receiver != nullptr) {
      complete_receive(*circuit.receiver, id, aside.first_phit, aside.arrives);
    } else if (!match(id, aside.first_phit, aside.arrives, false)) {
      keep_arrived(id);
    }
  }
  arrivals_.clear();
}

void NetworkInterfaces::keep_arrived(CircuitId id) {
  Circuit& circuit = circuits_[id];
  CircuitId* end = &nodes_[circuit.destination].arrived;
  while (*end != no_circuit) end = &circuits_[*end].next;
  *end = id;
  circuit.next = no_circuit;
  if (stores_) store(circuit.destination, circuit.bytes);
  if (protocol_ && circuit.kind == CircuitKind::data && !circuit.buffered) doubtful_.push_back(id);
}

void NetworkInterfaces::give_up_doubtful() {
  // One node's messages of one edge, in the order in which they arrived, as far as room goes.
  for (const CircuitId id : doubtful_) {
    Circuit& circuit = circuits_[id];
    CircuitId* link = &nodes_[circuit.destination].arrived;
    while (*link != no_circuit && *link != id) link = &circuits_[*link].next;
    if (*link != id) continue;  // a receive was posted within this cycle
    Bytes& buffered = libraries_[circuit.destination].buffered;
    if (machine_.library.protocol == Protocol::unforced && buffered + circuit.bytes <= machine_.library.buffer_bytes) {
      buffered += circuit.bytes;
      circuit.buffered = circuit.bytes > 0;  // there is nothing to copy otherwise
      continue;
    }
    *link = circuit.next;
    ++statistics_.lost;
    if (statistics_.first_lost.size() < 16) {
      statistics_.first_lost.push_back({circuit.source, circuit.destination, circuit.type, now_});
    }
    if (observer_ != nullptr) observer_->lost(circuit, now_);
    circuit.received = true;
    if (circuit.operation == nullptr) release_circuit(id);
  }
  doubtful_.clear();
}

}  // namespace ecube
