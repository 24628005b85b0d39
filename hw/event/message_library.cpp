// SPDX-License-Identifier: Apache-2.0
// Synchronisations, reservations and grants.
#include "hw/event/message_library.h"

namespace ecube::event {

// --- Synchronised exchanges ----------------------------------------------------------------------------------------

/// Rule 5.5: an exchange of `node` that waits for its partner's message, or, with null, the message. Takes out and
/// returns the other of the two if it came first; otherwise this one waits.
std::optional<MessageLibrary::Synchronisation> MessageLibrary::meet(NodeId node, const Synchronisation& one) {
  std::vector<Synchronisation>& known = known_[node];
  for (auto other = known.begin(); other != known.end(); ++other) {
    if (other->source != one.source || other->tag != one.tag) continue;
    if ((other->exchange == nullptr) == (one.exchange == nullptr)) continue;
    const Synchronisation found = *other;
    known.erase(other);
    return found;
  }
  known.push_back(one);
  return std::nullopt;
}

/// Rule 5.5: its own message has to leave, the partner's to be received.
void MessageLibrary::expect_partner(Operation& exchange) {
  const bool early = meet(exchange.node, {exchange.peer, exchange.tag, &exchange}).has_value();
  data_notes(exchange).synchronisations = early ? 1 : 2;
}

/// Rule 5.5.
void MessageLibrary::synchronisation_left(Operation& exchange) {
  if (--data_notes(exchange).synchronisations > 0) return;
  host_.make_ready(host_.make_circuit(data_or_reservation(exchange), exchange));
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
      if (const auto waiting = meet(circuit.destination, {circuit.source, circuit.tag, nullptr})) {
        synchronisation_left(*waiting->exchange);
      }
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
