// SPDX-License-Identifier: Apache-2.0
// Synchronisations, reservations and grants.
#include "hw/event/message_library.h"

#include <algorithm>

namespace ecube::event {

// --- Synchronised exchanges ----------------------------------------------------------------------------------------

/// Rule 5.5.
void MessageLibrary::expect_partner(Operation& exchange) {
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
void MessageLibrary::synchronisation_left(Operation& exchange) {
  if (--data_notes(exchange).synchronisations > 0) return;
  host_.make_ready(host_.make_circuit(data_or_reservation(exchange), exchange));
}

void MessageLibrary::synchronisation_received(const Circuit& circuit) {
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

void MessageLibrary::received(const Circuit& circuit, Operation* about) {
  switch (circuit.kind) {
    case CircuitKind::reservation:
      buffers_[circuit.destination].reservations.push_back(about);
      consider_reservations(circuit.destination);
      return;
    case CircuitKind::grant: {
      const CircuitId data = host_.make_circuit(CircuitKind::data, *about);
      circuits_[data].granted = true;
      circuits_[data].buffered = notes(*about).partner == nullptr;
      host_.make_ready(data);
      return;
    }
    default:
      synchronisation_received(circuit);
  }
}

/// Rule 5.8: answers waiting reservations in order of arrival. Called when a receive was posted, room became free, or a
/// reservation came.
void MessageLibrary::consider_reservations(NodeId node) {
  std::erase_if(buffers_[node].reservations, [this](Operation* send) { return grant(*send); });
}

bool MessageLibrary::set_aside(NodeId node, Bytes bytes) {
  Bytes& taken = buffers_[node].taken;
  if (taken + bytes > room_) return false;
  taken += bytes;
  return true;
}

/// Rule 5.8: answers a reservation with a receive or room, if there is either.
bool MessageLibrary::grant(Operation& send) {
  notes(send).partner = matching_.take_receive(send.peer, send.node, send.tag);
  if (notes(send).partner == nullptr && !set_aside(send.peer, send.bytes)) return false;
  host_.make_ready(host_.make_circuit(CircuitKind::grant, send));
  return true;
}

/// Rules 5.6 and 5.7.
bool MessageLibrary::keeps(Circuit& message) {
  if (protocol_ == Protocol::forced || !set_aside(message.destination, message.bytes)) return false;
  message.buffered = message.bytes > 0;  // a message without bytes needs no copy
  return true;
}

}  // namespace ecube::event
