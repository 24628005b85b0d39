// SPDX-License-Identifier: Apache-2.0
// Receives, matching, rendezvous and the payload of the network interfaces.
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

/// Two exchanges whose contents only change places.
bool swap_in_place(const Operation& a, const Operation& b) {
  const auto in_place = [](const Operation& exchange) {
    return exchange.kind == OperationKind::exchange && exchange.bytes > 0 &&
           exchange.outgoing.base == exchange.incoming.base;
  };
  return in_place(a) && in_place(b) && same_layout(a.outgoing, b.outgoing);
}

}  // namespace

void NetworkInterfaces::start_receive(NodeId node, Operation& operation) {
  if (meets(operation)) return ask_to_meet(node, operation);
  if (operation.kind == OperationKind::receive_each) {
    operation.peer = node;
    issue(node, operation, operation.sources.size() - 1);
    operation.received_tags_sum = 0;
    if (operation.parts == 0) {
      operation.parts = 1;
      finish_part(operation, now_);
      return;
    }
  } else {
    issue(node, operation, 1);
  }
  match_arrived(operation);
}

void NetworkInterfaces::start_exchange(NodeId node, Operation& operation) {
  if (meets(operation)) return ask_to_meet(node, operation);
  issue(node, operation, 2);
  operation.synchronisations = 0;
  match_arrived(operation);
  if (first_kind(operation) == CircuitKind::synchronisation) expect_synchronisation(operation);
  submit(operation);
}

bool NetworkInterfaces::meets(const Operation& operation) const {
  return operation.sync == PairwiseSync::on && !protocol_ && operation.kind != OperationKind::receive_each;
}

/// Where nodes have many operations at once, meetings are looked at after all programs have asked, so that what they
/// look at, all over the machine, can be fetched before.
void NetworkInterfaces::ask_to_meet(NodeId node, Operation& operation) {
  issue(node, operation, operation.kind == OperationKind::exchange ? 2 : 1);
  if (independent_) {
    operation.posted_at = now_;
    meeting_.push_back(&operation);
  } else {
    meet(node, operation);
  }
}

void NetworkInterfaces::serve_meeting() {
  constexpr std::size_t ahead = 12;
  const auto slot = [this](const Operation& operation) -> Operation*& {
    return rendezvous(operation.peer, operation.node);
  };
  for (std::size_t i = 0; i < meeting_.size(); ++i) {
    if (i + 2 * ahead < meeting_.size()) {
      const Operation& next = *meeting_[i + 2 * ahead];
      __builtin_prefetch(&slot(next), 1);
      __builtin_prefetch(&send_ports_[port_number(inject_port(next, ports_), next.node)], 1);
    }
    if (i + ahead < meeting_.size()) {
      if (const Operation* const other = slot(*meeting_[i + ahead])) __builtin_prefetch(other, 1);
    }
    meet(meeting_[i]->node, *meeting_[i]);
  }
  meeting_.clear();
}

/// One of two partners of a rendezvous: what they send is submitted when both have asked.
void NetworkInterfaces::meet(NodeId node, Operation& operation) {
  Operation* before = nullptr;
  Operation*& waiting = rendezvous(operation.peer, node);
  for (Operation* other = waiting; other != nullptr; before = other, other = other->next) {
    if (!are_partners(*other, operation)) continue;
    (before == nullptr ? waiting : before->next) = other->next;
    other->partner = &operation;
    operation.partner = other;
    other->ready_at = now_;
    if (other->kind != OperationKind::receive) submit(*other);
    if (operation.kind != OperationKind::receive) submit(operation);
    return;
  }
  operation.next = nullptr;
  Operation** end = &rendezvous(node, operation.peer);
  while (*end != nullptr) end = &(*end)->next;
  *end = &operation;
}

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
    if (circuit.buffered) {
      circuit.receiver = &receive;
      push(std::max(now_, circuit.arrives), Kind::copy, id);
    } else {
      complete_receive(receive, id, std::max(now_, circuit.arrives));
    }
  }
  if (receive.open > 0) node.receives.append(receive);
  if (protocol_ && receive.open > 0 && !libraries_[receive.node].reservations.empty())
    granting_.push_back(receive.node);
}

bool NetworkInterfaces::match(CircuitId id, Cycles at, bool early) {
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
      push(at, Kind::copy, id);
    } else {
      complete_receive(*receive, id, at);
    }
    return true;
  }
  return false;
}

void NetworkInterfaces::received(CircuitId id, Cycles first_phit, Cycles at) {
  Circuit& circuit = circuits_[id];
  ++statistics_.circuits;
  if (!stores_ || circuit.destination == messages_[circuit.message].destination) {
    statistics_.payload_bytes += circuit.bytes;
  }
  if (circuit.link_blocked) {
    ++statistics_.link_blocked.circuits;
    ++statistics_.link_blocked_by_label[circuit.label].circuits;
  }
  if (circuit.port_blocked) ++statistics_.port_blocked.circuits;
  circuit.arrives = at;
  circuit.waiting_since = first_phit;
  if (processors_.exclusive()) {
    phits_move(circuit.destination, circuit.waiting_since - 1, at);
  }
  if (arrival_events_) {
    statistics_.control_circuits += is_control(circuit.kind) ? 1 : 0;
    push(at, Kind::arrival, id);
    return;
  }
  const Cycles end = at + receipt(circuit);
  if (circuit.receiver != nullptr) {
    complete_receive(*circuit.receiver, id, end);
    return;
  }
  Node& node = nodes_[circuit.destination];
  if (node.in_flight == 0 && match(id, end, true)) return;
  ++node.in_flight;
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
    const Cycles length = receipt(circuit);
    circuit.arrives = queued_ ? processors_.serve(circuit.destination, now_, length) : now_ + length;
    if (is_control(circuit.kind)) {
      push(circuit.arrives, Kind::receipt, id);
    } else if (circuit.receiver != nullptr) {
      complete_receive(*circuit.receiver, id, circuit.arrives);
    } else if (!match(id, circuit.arrives, false)) {
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

void NetworkInterfaces::complete_receive(Operation& operation, CircuitId id, Cycles at) {
  Circuit& circuit = circuits_[id];
  if (circuit.bytes > operation.room && fault_.empty()) {
    fault_ = too_long(operation, circuit.source, circuit.bytes, at);
  }
  if (fault_.empty()) deliver(operation, circuit);
  operation.received_from = circuit.source;
  operation.received_bytes = circuit.bytes;
  operation.received_tag = circuit.tag;
  operation.since = circuit.buffered ? 0 : circuit.waiting_since;
  operation.received_tags_sum += circuit.tag;
  circuit.received = true;
  finish_part(operation, at);
  if (circuit.operation == nullptr) release_circuit(id);
}

void NetworkInterfaces::deliver(Operation& receive, Circuit& circuit) {
  const Region to =
      receive.incoming_from != nullptr ? receive.incoming_from(receive.context, circuit.source) : receive.incoming;
  if (circuit.bytes == 0 || to.empty()) return;
  if (circuit.staged == nullptr) {
    // Without contents nothing was set aside when the sender went on.
    if (circuit.operation == nullptr || circuit.operation->outgoing.empty()) return;
    Operation& send = *circuit.operation;
    if (circuit.receiver != nullptr && meets(send) && swap_in_place(send, receive)) {
      // Neither partner continues before both circuits are established, so nothing moves until the second one is.
      send.collected = true;
      if (receive.collected) swap_contents(send.outgoing, receive.outgoing);
      return;
    }
  }
  // An exchange in place sends what the arriving bytes overwrite: the unsent bytes are set aside first.
  if (receive.kind == OperationKind::exchange && !receive.collected && receive.saved == nullptr &&
      overlap(receive.outgoing, to)) {
    receive.saved = buffers_.allocate(receive.bytes);
    pack(receive.outgoing, receive.saved);
  }
  if (circuit.staged != nullptr) {
    unpack(circuit.staged, circuit.bytes, to);
    return;
  }
  Operation& send = *circuit.operation;
  if (send.saved != nullptr) {
    unpack(send.saved, circuit.bytes, to);
    buffers_.release(send.saved, send.bytes);
    send.saved = nullptr;
  } else {
    copy(send.outgoing, to, buffers_);
  }
  send.collected = true;
}

void NetworkInterfaces::stage(Circuit& circuit) {
  Operation& send = *circuit.operation;
  if (circuit.bytes == 0 || send.outgoing.empty()) return;
  if (send.saved != nullptr) {
    circuit.staged = send.saved;
    send.saved = nullptr;
  } else {
    circuit.staged = buffers_.allocate(circuit.bytes);
    pack(send.outgoing, circuit.staged);
  }
  send.collected = true;
}

void NetworkInterfaces::release_circuit(CircuitId id) {
  Circuit& circuit = circuits_[id];
  if (circuit.staged != nullptr) buffers_.release(circuit.staged, circuit.bytes);
  circuit.staged = nullptr;
  if (circuit.holds > 0) {
    circuit.over = true;
  } else {
    circuits_.release(id);
  }
}

}  // namespace ecube
