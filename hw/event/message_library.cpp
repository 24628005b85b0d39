// SPDX-License-Identifier: Apache-2.0
// Synchronisations, reservations and grants.
#include "hw/event/message_library.h"

#include <algorithm>

namespace ecube::event {

std::unique_ptr<MessageLibrary> MessageLibrary::make(const Machine& machine, std::size_t nodes, LibraryHost& host,
                                                     Circuits& circuits, Matching& matching) {
  switch (machine.library.protocol) {
    case Protocol::forced:
      return std::make_unique<Forced>(nodes, host);
    case Protocol::unforced:
      return std::make_unique<Unforced>(machine, nodes, host, circuits, matching);
    case Protocol::none:
      break;
  }
  return std::make_unique<MessageLibrary>();
}

// --- Synchronised exchanges ----------------------------------------------------------------------------------------

/// Rule 5.5.
void Forced::expect_partner(Operation& exchange) {
  data_notes(exchange).synchronisations = 2;  // its own message has to leave, the partner's to be received
  auto& known = known_[exchange.node];
  const auto early = std::find_if(known.begin(), known.end(), [&](const Synchronisation& entry) {
    return entry.exchange == nullptr && entry.source == exchange.peer && entry.tag == exchange.tag;
  });
  if (early == known.end()) {
    known.push_back({exchange.peer, exchange.tag, &exchange});
  } else {
    known.erase(early);
    data_notes(exchange).synchronisations = 1;
  }
}

/// Rule 5.5.
void Forced::synchronisation_left(Operation& exchange) {
  if (--data_notes(exchange).synchronisations > 0) return;
  host_.make_ready(host_.make_circuit(data_or_reservation(exchange), exchange));
}

void Forced::received(const Circuit& circuit, Operation* /*about*/) {
  auto& known = known_[circuit.destination];
  const auto waiting = std::find_if(known.begin(), known.end(), [&](const Synchronisation& entry) {
    return entry.exchange != nullptr && entry.source == circuit.source && entry.tag == circuit.tag;
  });
  if (waiting == known.end()) {
    known.push_back({circuit.source, circuit.tag, nullptr});
    return;
  }
  Operation& exchange = *waiting->exchange;
  known.erase(waiting);
  synchronisation_left(exchange);
}

// --- Unforced messages ---------------------------------------------------------------------------------------------

void Unforced::received(const Circuit& circuit, Operation* about) {
  switch (circuit.kind) {
    case CircuitKind::reservation:
      nodes_[circuit.destination].reservations.push_back(about);
      consider_reservations(circuit.destination);
      return;
    case CircuitKind::grant: {
      const CircuitId data = host().make_circuit(CircuitKind::data, *about);
      circuits_[data].granted = true;
      circuits_[data].buffered = notes(*about).partner == nullptr;
      host().make_ready(data);
      return;
    }
    default:
      Forced::received(circuit, about);
  }
}

/// Rule 5.8: answers waiting reservations in order of arrival. Called when a receive was posted, room became free, or a
/// reservation came.
void Unforced::consider_reservations(NodeId node) {
  std::erase_if(nodes_[node].reservations, [this](Operation* send) { return grant(*send); });
}

bool Unforced::set_aside(NodeId node, Bytes bytes) {
  Bytes& buffered = nodes_[node].buffered;
  if (buffered + bytes > room_) return false;
  buffered += bytes;
  return true;
}

/// Rule 5.8: answers a reservation with a receive or room, if there is either.
bool Unforced::grant(Operation& send) {
  notes(send).partner = matching_.take_receive(send.peer, send.node, send.tag);
  if (notes(send).partner == nullptr && !set_aside(send.peer, send.bytes)) return false;
  host().make_ready(host().make_circuit(CircuitKind::grant, send));
  return true;
}

/// Rule 5.7.
bool Unforced::keeps(Circuit& message) {
  if (!set_aside(message.destination, message.bytes)) return false;
  message.buffered = message.bytes > 0;  // a message without bytes needs no copy
  return true;
}

}  // namespace ecube::event
