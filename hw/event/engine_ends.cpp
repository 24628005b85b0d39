// SPDX-License-Identifier: Apache-2.0
// From the acceptance of a probe to the operations that its circuit completes at both ends.
#include <algorithm>
#include <tuple>

#include "hw/event/engine.h"
#include "models/contract/operations.h"

namespace ecube {

using event::Circuit;
using event::CircuitAside;

// --- The ends of a circuit -----------------------------------------------------------------------------------------

/// The message of a circuit completes a receive, or a part of it. The circuit's record is still in use. Inlined like
/// the next two, because a call would cost more than the work. `met`: the partners have met, so that nothing else
/// completes the receive.
template <bool met>
[[gnu::always_inline]] inline void Engine::take_in(auto has, Operation& receive, Circuit& circuit, CircuitId id,
                                                   Cycles first_phit, Cycles at) {
  if (circuit.bytes > receive.room) [[unlikely]] {
    refuse_length(receive, circuit, at);
  } else {
    payload_.deliver(receive, circuit, id);
  }
  const OperationKind kind = receive.kind;
  receive.received_from = circuit.source;
  receive.received_bytes = circuit.bytes;
  if constexpr (met) {
    receive.received_check = circuit.check;
  } else {
    receive_check(receive, kind, circuit.check);
  }
  receive.since = has->protocol && circuit.buffered ? 0 : first_phit;
  circuit.received = true;
  if (!met && kind == OperationKind::receive_counted) {
    if (receive.sink != nullptr) receive.sink->taken(receive, at);
    // It changes nothing at that edge, unless it is the last one: it is reported early, still counted as one event.
    if (event::notes(receive).parts > 1) happens_early(at);
  }
  finish_part(receive, at);
}

/// Rule 4.11: a message that is longer than its receive ends the run when it arrives, which may be to come; the receive
/// would be complete at edge `received`.
void Engine::refuse_length(const Operation& receive, const Circuit& circuit, Cycles received) {
  const Cycles at = std::max(now_, received - std::min(received, paths_.receipt(circuit)));
  end_.faults_at(at, receive.node, too_long(receive, circuit.source, circuit.bytes, received));
}

void Engine::complete_receive(Operation& receive, CircuitId id, Cycles first_phit, Cycles at) {
  Circuit& circuit = circuits_[id];
  take_in<false>(event::Asked(features_), receive, circuit, id, first_phit, at);
  if (circuit.operation == nullptr) payload_.release(id);
}

/// Rule 3.7: the destination has received a circuit whole at edge `at`.
[[gnu::always_inline]] inline void Engine::received(auto has, Circuit& circuit, CircuitId id, Cycles first_phit,
                                                    Cycles at) {
  const bool whole = !has->packets || packets_.is_for(id, circuit.destination);
  statistics_.received(has, circuit, whole ? circuit.bytes : 0);
  if (has->engines) circuits_.aside(id).receiver_ready = at;
  if (!has->arrivals) {
    const Cycles end = at + paths_.receipt(circuit);
    bool found = circuit.receiver != nullptr;
    if (found) {
      take_in<true>(has, *circuit.receiver, circuit, id, first_phit, end);
    } else if (Operation* const receive = matching_.take_receive_early(circuit); receive != nullptr) {
      found = true;
      if (receive->kind == OperationKind::receive_counted) happens_early(at);  // its arrival
      take_in<false>(has, *receive, circuit, id, first_phit, end);
    }
    if (found) {
      // A circuit is received before it is sent, but the last phit of a worm may have left long before.
      if (has->worms && circuit.operation == nullptr) payload_.release(id);
      return;
    }
    matching_.expect(circuit.destination);
  }
  circuits_.aside(id).first_phit = first_phit;
  push(at, Kind::arrival, id);
}

/// Rule 3.7: the circuit leaves its inject port at edge `at`.
[[gnu::always_inline]] inline void Engine::sent(auto has, Circuit& circuit, CircuitId id, Cycles first_phit,
                                                Cycles at) {
  ports_.vacate(has, circuit, first_phit, at);
  if (has->packets) {
    packet_sent(id, at);
  } else if (Operation* const operation = circuit.operation; !has->protocol || operation != nullptr) {
    if (has->protocol && circuit.kind == CircuitKind::synchronisation) {
      push(at, Kind::synchronised, *operation);
    } else if (!has->protocol || circuit.kind != CircuitKind::reservation) {
      if (!circuit.received) payload_.stage(id);
      if (has->protocol) ports_.end_send(has, circuit);
      if (has->planes) planes_.left(*operation, first_phit, at, now_);
      if (has->observer) observer_->left(*operation, at);
      finish_part(*operation, at);
    }
    circuit.operation = nullptr;
  }
  ports_.announce_free(*this, has, circuit, at);
  if (circuit.received) payload_.release(circuit, id);
}

void Engine::worm_received(CircuitId id, Cycles first_phit, Cycles at) {
  received(event::Asked(features_), circuits_[id], id, first_phit, at);
}

void Engine::worm_sent(CircuitId id, Cycles first_phit, Cycles at) {
  sent(event::Asked(features_), circuits_[id], id, first_phit, at);
}

// --- Acceptance ----------------------------------------------------------------------------------------------------

[[gnu::always_inline]] inline void Engine::accept(auto has, CircuitId id, Cycles at) {
  if (has->worms) return worms_.accept(id, at);
  Circuit& circuit = circuits_[id];
  event::CircuitSwitching::Reach reach;
  const event::CircuitSwitching::Established edges = switching_.establish(has, circuit, id, at, reach);
  if (has->failures) circuits_.aside(id).receiver_ready = never;
  if (!reach.acknowledged) return;
  if (has->exclusive) {
    if (reach.begins) moves(circuit.destination, edges.first_received - 1, reach.ends ? edges.receiver_ready : never);
    moves(circuit.source, edges.data, edges.sender_ready);
  }
  if (has->shared_bus) share_bus(id, edges.data, edges.first_received - 1, switching_.arriving(circuit, edges, reach));
  if (reach.ends) received(has, circuit, id, edges.first_received, edges.receiver_ready);
  sent(has, circuit, id, edges.data, edges.sender_ready);
}

/// Before its caller: GCC takes the attribute of what a generic lambda calls only if it has seen the definition.
[[gnu::always_inline]] inline void Engine::accept_probe(auto has, const event::Routers::Ejecting& port) {
  const CircuitId id = routers_.granted(has, port);
  accept(has, id, ports_.accepted_from(has, circuits_[id], now_ + 1));
}

/// Rule 3.2: probes that were granted eject ports at this edge are at their interfaces one cycle later.
void Engine::accept_arrived() {
  by_features([this](auto has) {
    const std::span<const event::Routers::Ejecting> ports = routers_.ejecting();
    if (has->engines) {
      for (const event::Routers::Ejecting& port : ports) ports_.has_come(routers_.granted(has, port));
      ports_.accept_by_engine(has, now_ + 1, [&](CircuitId id, Cycles at) {
        accept(has, id, at);
        return circuits_.aside(id).receiver_ready;
      });
    } else if (scattered_) {
      fetch_ahead_.while_accepting(ports, [&](const event::Routers::Ejecting& port) { accept_probe(has, port); });
    } else {
      for (const event::Routers::Ejecting& port : ports) accept_probe(has, port);
    }
  });
}

// --- Packets -------------------------------------------------------------------------------------------------------

void Engine::packet_sent(CircuitId id, Cycles at) {
  Circuit& circuit = circuits_[id];
  if (circuit.operation == nullptr)
    return push(at, Kind::packet_gone, circuit.bytes << max_simulated_dim | circuit.source);
  const event::PacketStore::Number message = circuits_.aside(id).message;
  circuit.operation = nullptr;
  if (!packets_.left_source(id)) return push(at, Kind::next_packet, message);
  Operation& send = packets_.send_of(message);
  packets_.sent(message, circuit.carries ? payload_.take(send) : nullptr);
  ports_.end_send(asked(), circuit);
  if (observer_ != nullptr) observer_->left(send, at);
  finish_part(send, at);
}

/// Sends a packet on, or counts it at its destination. True for the last packet, whose record then stands for the whole
/// message.
bool Engine::packet_arrived(CircuitId id) {
  const Circuit& circuit = circuits_[id];
  if (!packets_.is_for(id, circuit.destination)) {
    packets_.forward(id);
    make_ready(id);
    return false;
  }
  if (!packets_.arrived(id)) {
    (void)end_of_receiving_work(asked(), circuit.destination, paths_.receipt(circuit));
    payload_.release(id);
    return false;
  }
  payload_.stage(id, packets_.assemble(id));
  return true;
}

// --- Arrival -------------------------------------------------------------------------------------------------------

/// Rule 4.6.
inline void Engine::serve_arrival(auto has, CircuitId id) {
  if (has->packets && !packet_arrived(id)) return;
  Circuit& circuit = circuits_[id];
  if (!has->arrivals) matching_.expected_arrived(circuit.destination);
  CircuitAside& aside = circuits_.aside(id);
  aside.receipt_ends = end_of_receiving_work(has, circuit.destination, paths_.receipt(circuit));
  if (has->protocol && is_control(circuit.kind)) return receive_later(aside.receipt_ends, Kind::receipt_ends, id);
  Operation* receive = circuit.receiver;
  if (receive == nullptr) receive = matching_.take_receive(circuit.destination, circuit.source, circuit.tag);
  if (receive == nullptr) {
    // Rule 5.9.
    matching_.keep(id);
    if (has->packets) packets_.store(circuit.destination, circuit.bytes);
    if (has->protocol && circuit.kind == CircuitKind::data && !circuit.buffered) doubtful_.push_back(id);
  } else if (has->protocol && circuit.buffered) {
    circuit.receiver = receive;
    receive_later(aside.receipt_ends, Kind::copy_begins, id);
  } else {
    complete_receive(*receive, id, aside.first_phit, aside.receipt_ends);
  }
}

void Engine::serve_arrivals() {
  circuits_by_node_.sort(
      arrivals_, counts_.size(), [this](CircuitId id) { return circuits_[id].destination; },
      [this](CircuitId a, CircuitId b) { return circuits_[a].eject_port < circuits_[b].eject_port; });
  by_features([this](auto has) {
    for (const CircuitId id : arrivals_) serve_arrival(has, id);
  });
  arrivals_.clear();
}

/// Rules 5.6 and 8.5: keeps the messages of this edge in order of arrival as long as there is room, and loses the
/// others.
void Engine::lose_unreceived() {
  std::ranges::stable_sort(doubtful_, {}, [this](CircuitId id) { return circuits_[id].destination; });
  for (const CircuitId id : doubtful_) {
    if (!matching_.still_waits(id)) continue;  // a receive was posted within this cycle
    Circuit& circuit = circuits_[id];
    if (library_.keeps(circuit)) continue;
    matching_.forget(id);
    statistics_.lost(circuit, now_);
    if (observer_ != nullptr) observer_->lost(circuit, now_);
    circuit.received = true;
    if (circuit.operation == nullptr) payload_.release(id);
  }
  doubtful_.clear();
}

// --- Receipts and copies -------------------------------------------------------------------------------------------

/// Files the end of a receipt, or the beginning of a copy. If it is due at this edge, it is served after all arrivals.
void Engine::receive_later(Cycles at, Kind kind, CircuitId id) {
  if (at > now_) return push(at, kind, id);
  receipts_.push_back({.number = id, .kind = kind});
}

void Engine::serve_receipts() {
  const auto operation_of = [this](const Event& event) -> const Operation* {
    if (event.kind == Kind::synchronised) return event.operation;
    if (event.kind != Kind::next_packet) return nullptr;
    return &packets_.send_of(static_cast<event::PacketStore::Number>(event.number));
  };
  const auto node_of = [&](const Event& event) {
    const Operation* const operation = operation_of(event);
    return operation != nullptr ? operation->node : circuits_[static_cast<CircuitId>(event.number)].destination;
  };
  const auto order = [&](const Event& event) {
    if (const Operation* const operation = operation_of(event); operation != nullptr)
      return std::tuple(operation->peer, event.kind, 0U, event::notes(*operation).issue);
    const Circuit& circuit = circuits_[static_cast<CircuitId>(event.number)];
    const std::uint32_t issue = circuit.receiver != nullptr ? event::notes(*circuit.receiver).issue : circuit.tag;
    return std::tuple(circuit.source, event.kind, static_cast<unsigned>(circuit.kind), issue);
  };
  events_by_node_.sort(receipts_, counts_.size(), node_of,
                       [&](const Event& a, const Event& b) { return order(a) < order(b); });
  for (const Event& event : receipts_) serve_receipt(event);
  receipts_.clear();
}

void Engine::serve_receipt(const Event& event) {
  if (event.kind == Kind::synchronised) return library_.synchronisation_left(*event.operation);
  if (event.kind == Kind::next_packet) {
    return make_ready(make_packet(static_cast<event::PacketStore::Number>(event.number)));
  }
  const auto id = static_cast<CircuitId>(event.number);
  const Circuit circuit = circuits_[id];  // copied, as its record is freed
  if (event.kind == Kind::receipt_ends) {
    Operation* const about = circuits_.aside(id).about;
    circuits_.release(circuits_[id], id);
    library_.received(circuit, about);
  } else if (event.kind == Kind::copy_begins) {
    const Cycles length = work_->copy_out(circuit.destination, circuit.bytes);
    push(end_of_receiving_work(asked(), circuit.destination, length), Kind::copy_ends, id);
  } else {  // Rule 5.7
    complete_receive(*circuit.receiver, id, 0, now_);
    library_.copied_out(circuit.destination, circuit.bytes);
  }
}

}  // namespace ecube
