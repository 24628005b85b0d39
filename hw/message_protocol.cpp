// SPDX-License-Identifier: Apache-2.0
// The message library: kinds of circuits, their paths, synchronisation, reservation and system buffers (hw/README.md
// section 5).
#include <algorithm>
#include <tuple>

#include "hw/network_interface.h"
#include "models/operations.h"

namespace ecube {

/// All but contents that go out at once.
Cycles NetworkInterfaces::other_startup(const Circuit& circuit) const {
  if (stores_ && circuit.operation == nullptr) return paths_.forward;
  switch (circuit.kind) {
    case CircuitKind::signal:
      return paths_.signal_send;
    case CircuitKind::synchronisation:
      return paths_.send_zero;
    case CircuitKind::reservation:
      return paths_.send;
    case CircuitKind::grant:
      return paths_.control_send;
    case CircuitKind::data:
      break;
  }
  if (circuit.granted) return paths_.control_send;
  return circuit.bytes == 0 ? paths_.send_zero : paths_.send;
}

Cycles NetworkInterfaces::other_receipt(const Circuit& circuit) const {
  switch (circuit.kind) {
    case CircuitKind::signal:
      return paths_.signal_receive;
    case CircuitKind::synchronisation:
      return paths_.receive_zero;
    case CircuitKind::reservation:
    case CircuitKind::grant:
    case CircuitKind::data:
      break;
  }
  return paths_.control_receive;
}

/// Sends a circuit that is not the first of its send, or a grant, as soon as its port is free.
void NetworkInterfaces::make_ready(CircuitId id) {
  Circuit& circuit = circuits_[id];
  const std::uint8_t asked = circuit.operation != nullptr ? circuit.operation->port : automatic_port;
  const unsigned port = inject_port(circuit.source, circuit.destination, asked, ports_);
  circuit.inject_port = static_cast<std::uint8_t>(port);
  circuit.probe = readied_++;
  const std::size_t number = port_number(port, circuit.source);
  port_queues_[number].ready.append(circuits_, id);
  queue_changed(number);
  if (shared_engines_) {
    serve_engines(circuit.source);
  } else if (send_ports_[number].free_at <= now_) {
    serve_port(number);
  } else {
    announce_port(number);
  }
}

void NetworkInterfaces::serve_receipts() {
  const auto order = [this](const Event& event) {
    if (event.kind == Kind::left) {
      return std::tuple(event.operation->node, event.operation->peer, event.kind, 0U, event.operation->issue);
    }
    if (event.kind == Kind::next_packet) {
      const Operation& operation = *messages_[event.number].operation;
      return std::tuple(operation.node, operation.peer, event.kind, 0U, operation.issue);
    }
    const Circuit& circuit = circuits_[static_cast<CircuitId>(event.number)];
    const std::uint32_t issue = circuit.receiver != nullptr ? circuit.receiver->issue : circuit.type;
    return std::tuple(circuit.destination, circuit.source, event.kind, static_cast<unsigned>(circuit.kind), issue);
  };
  std::sort(receipts_.begin(), receipts_.end(), [&](const Event& a, const Event& b) { return order(a) < order(b); });
  for (const Event& event : receipts_) {
    switch (event.kind) {
      case Kind::receipt:
        receipt_ended(static_cast<CircuitId>(event.number));
        break;
      case Kind::copy:
        copy_out(static_cast<CircuitId>(event.number));
        break;
      case Kind::copied:
        copied(static_cast<CircuitId>(event.number));
        break;
      case Kind::next_packet:
        send_next_packet(static_cast<std::uint32_t>(event.number));
        break;
      default:
        synchronised_part(*event.operation);
    }
  }
  receipts_.clear();
}

void NetworkInterfaces::receipt_ended(CircuitId id) {
  const Circuit circuit = circuits_[id];
  Operation* const about = circuits_.aside(id).about;
  release_circuit(id);
  if (circuit.kind == CircuitKind::synchronisation) {
    synchronisation_received(circuit);
  } else if (circuit.kind == CircuitKind::reservation) {
    libraries_[circuit.destination].reservations.push_back(about);
    consider_reservations(circuit.destination);
  } else {
    const CircuitId data = make_circuit(CircuitKind::data, *about);
    circuits_[data].granted = true;
    circuits_[data].buffered = about->partner == nullptr;
    make_ready(data);
  }
}

// --- Synchronised exchanges ----------------------------------------------------------------------------------------

void NetworkInterfaces::expect_synchronisation(Operation& exchange) {
  exchange.synchronisations = 2;  // the own message has to leave, the partner's to be received
  auto& known = libraries_[exchange.node].synchronisations;
  const auto early = std::find_if(known.begin(), known.end(), [&](const Library::Synchronisation& entry) {
    return entry.exchange == nullptr && entry.source == exchange.peer && entry.type == exchange.type;
  });
  if (early == known.end()) {
    known.push_back({exchange.peer, exchange.type, &exchange});
  } else {
    known.erase(early);
    exchange.synchronisations = 1;
  }
}

void NetworkInterfaces::synchronisation_received(const Circuit& circuit) {
  auto& known = libraries_[circuit.destination].synchronisations;
  const auto waiting = std::find_if(known.begin(), known.end(), [&](const Library::Synchronisation& entry) {
    return entry.exchange != nullptr && entry.source == circuit.source && entry.type == circuit.type;
  });
  if (waiting == known.end()) {
    known.push_back({circuit.source, circuit.type, nullptr});
    return;
  }
  Operation& exchange = *waiting->exchange;
  known.erase(waiting);
  synchronised_part(exchange);
}

void NetworkInterfaces::synchronised_part(Operation& exchange) {
  if (--exchange.synchronisations > 0) return;
  make_ready(make_circuit(reserves(exchange) ? CircuitKind::reservation : CircuitKind::data, exchange));
}

// --- Unforced messages ---------------------------------------------------------------------------------------------

/// Looks at a node's waiting reservations in order of arrival: a receive was posted, room became free, or one came.
void NetworkInterfaces::consider_reservations(NodeId node) {
  auto& reservations = libraries_[node].reservations;
  if (reservations.empty()) return;
  std::erase_if(reservations, [this](Operation* send) { return grant(*send); });
}

void NetworkInterfaces::serve_granting() {
  for (const NodeId node : granting_) consider_reservations(node);
  granting_.clear();
}

bool NetworkInterfaces::grant(Operation& send) {
  Node& node = nodes_[send.peer];
  Operation* before = nullptr;
  Operation* receive = node.receives.head;
  while (receive != nullptr && !takes(*receive, send.node, send.type)) {
    before = receive;
    receive = receive->next;
  }
  if (receive != nullptr) {
    if (--receive->open == 0) node.receives.remove(before, *receive);
    send.partner = receive;
  } else {
    Bytes& buffered = libraries_[send.peer].buffered;
    if (buffered + send.bytes > machine_.library.buffer_bytes) return false;
    buffered += send.bytes;
    send.partner = nullptr;
  }
  const CircuitId id = make_circuit(CircuitKind::grant, send);
  circuits_[id].operation = nullptr;
  std::swap(circuits_[id].source, circuits_[id].destination);
  make_ready(id);
  return true;
}

/// Begins to copy a message out of the system buffer into the receive that has taken it.
void NetworkInterfaces::copy_out(CircuitId id) {
  Circuit& circuit = circuits_[id];
  const Cycles length = machine_.copy_cycles(circuit.bytes);
  const Cycles end = end_of_receiving_work(circuit.destination, length);
  push(end, Kind::copied, id);
}

void NetworkInterfaces::copied(CircuitId id) {
  const NodeId node = circuits_[id].destination;
  libraries_[node].buffered -= circuits_[id].bytes;
  complete_receive(*circuits_[id].receiver, id, 0, now_);
  consider_reservations(node);
}

}  // namespace ecube
