// SPDX-License-Identifier: Apache-2.0
// From a program's request to the probe that leaves: rendezvous, ports and engines. The file goes from the last step to
// the first, so that short functions are inlined.
#include <algorithm>

#include "hw/event/engine.h"
#include "hw/event/planted.h"
#include "models/contract/operations.h"

namespace ecube {

using event::Circuit;
using event::data_notes;
using event::notes;
using event::send_notes;

// --- One circuit ---------------------------------------------------------------------------------------------------

template <bool plain>
[[gnu::always_inline]] inline CircuitId Engine::new_circuit(CircuitKind kind, Operation& about) {
  const CircuitId id = circuits_.allocate();
  Circuit& circuit = circuits_[id];
  circuit.operation = &about;
  circuit.receiver = notes(about).partner;
  circuit.bytes = about.bytes;
  circuit.source = about.node;
  circuit.destination = about.peer;
  circuit.type = about.type;
  circuit.label = about.label;
  circuit.kind = kind;
  circuit.carries = about.bytes > 0 && !about.outgoing.empty();
  circuit.staged = false;
  circuit.link_blocked = false;
  circuit.port_blocked = false;
  circuit.received = false;
  circuit.granted = false;
  circuit.buffered = false;
  circuit.tag = about.tag;
  circuit.next = no_circuit;
  if (!plain && is_control(kind)) [[unlikely]] {
    circuit.receiver = nullptr;
    circuit.bytes = 0;
    circuit.carries = false;
    circuits_.aside(id).about = &about;
    if (kind == CircuitKind::grant) {
      circuit.operation = nullptr;
      std::swap(circuit.source, circuit.destination);
    }
  }
  return id;
}

CircuitId Engine::make_circuit(CircuitKind kind, Operation& about) { return new_circuit<false>(kind, about); }

/// Begins the start-up of a circuit. The probe is driven at the end of the start-up.
template <bool plain>
inline void Engine::launch(Circuit& circuit, CircuitId id) {
  if constexpr (plain) {
    circuit.probe = now_ + paths_.startup(circuit);
    if (event::planted == event::PlantedFault::startups_a_cycle_longer) ++circuit.probe;
    ports_.occupy(circuit.source);
    if (scattered_) {
      if (circuit.carries) fetch_to_read(circuit.operation->outgoing.base);
      if (circuit.receiver == nullptr) fetch_ahead_.launched(*circuit.operation);
    }
    return routers_.inject<true>(circuit, id);
  }
  const bool forwarded = packets_.active() && circuit.operation == nullptr;
  const Cycles length = (forwarded ? paths_.forward() : paths_.startup(circuit)) + jitter_.next(circuit.source);
  circuit.probe = queued_ ? serve(circuit.source, length) : now_ + length;
  ports_.occupy(ports_.number(circuit.inject_port, circuit.source));
  if (const Operation* const send = circuit.operation; send != nullptr) {
    if (!send->outgoing.empty()) fetch_to_read(send->outgoing.base);
    if (circuit.receiver == nullptr) fetch_ahead_.launched(*send);
  }
  routers_.inject(id);
  if (wormhole_) worms_.begin(id);
  if (observer_ != nullptr) observer_->injected(id, circuit);
}

template <bool plain>
[[gnu::always_inline]] inline void Engine::begin_send(Operation& operation, unsigned port) {
  if constexpr (plain) {
    const CircuitId id = new_circuit<plain>(operation.signal ? CircuitKind::signal : CircuitKind::data, operation);
    Circuit& circuit = circuits_[id];
    circuit.inject_port = 0;
    if (event::planted == event::PlantedFault::contents_forgotten) circuit.carries = false;
    if (event::planted == event::PlantedFault::tags_forgotten) circuit.tag = 0;
    return launch<plain>(circuit, id);
  }
  if (packets_.active()) return begin_message(operation, port);
  const CircuitKind kind = library_->first_kind(operation);
  if (is_control(kind)) ports_.set_under_way(ports_.number(port, operation.node), &operation);
  const CircuitId id = new_circuit<plain>(kind, operation);
  circuits_[id].inject_port = static_cast<std::uint8_t>(port);
  launch(id);
}

void Engine::begin_message(Operation& operation, unsigned port) {
  const event::PacketStore::Number message = packets_.begin(operation);
  if (packets_.several_packets(message)) ports_.set_under_way(ports_.number(port, operation.node), &operation);
  const CircuitId id = make_packet(message);
  circuits_[id].inject_port = static_cast<std::uint8_t>(port);
  launch(id);
}

CircuitId Engine::make_packet(event::PacketStore::Number message) {
  Operation& send = packets_.send_of(message);
  const CircuitId id = make_circuit(library_->first_kind(send), send);
  packets_.next_packet(message, id);
  return id;
}

// --- Ports and engines ---------------------------------------------------------------------------------------------

template <bool plain>
inline void Engine::enter_port(Operation& operation) {
  if (!plain && send_engines_.shared()) {
    send_engines_.add_send(operation, now_);
    serve_engines(operation.node);
    return;
  }
  const unsigned port = plain ? 0 : inject_port(operation, port_count_);
  const PortNumber number = plain ? operation.node : ports_.number(port, operation.node);
  if (ports_.is_idle(number, now_)) {
    begin_send<plain>(operation, port);
    return;
  }
  ports_.add_send(number, operation, now_);
  announce_port(number);
}

/// Puts a send into its port's queue; the port is served when all sends of this edge have asked.
void Engine::ask_port(Operation& operation) {
  const PortNumber number = ports_.number(inject_port(operation, port_count_), operation.node);
  asked_.push_back({number, &operation});
  ports_.add_send(number, operation, now_);
}

void Engine::serve_asked() {
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (i + ahead < asked_.size()) fetch_ahead_.serves_soon(asked_[i + ahead].port, *asked_[i + ahead].send);
    if (ports_.is_free(asked_[i].port, now_)) {
      serve_port(asked_[i].port);
    } else {
      announce_port(asked_[i].port);
    }
  }
  asked_.clear();
}

void Engine::make_ready(CircuitId id) {
  Circuit& circuit = circuits_[id];
  const std::uint8_t named = circuit.operation != nullptr ? circuit.operation->port : automatic_port;
  const unsigned port = inject_port(circuit.source, circuit.destination, named, port_count_);
  circuit.inject_port = static_cast<std::uint8_t>(port);
  const PortNumber number = ports_.number(port, circuit.source);
  ports_.add_ready(number, circuits_, id);
  if (send_engines_.shared()) {
    serve_engines(circuit.source);
  } else if (ports_.is_free(number, now_)) {
    serve_port(number);
  } else {
    announce_port(number);
  }
}

void Engine::serve_port(PortNumber port) {
  if (!ports_.is_free(port, now_)) return;
  if (ports_.has_ready(port)) {
    launch(ports_.take_ready(port, circuits_));
  } else if (Operation* const send = ports_.take_send(port); send != nullptr) {
    plain_ ? begin_send<true>(*send, 0) : begin_send<false>(*send, ports_.port_of(port));
  }
}

void Engine::serve_engines(NodeId node) {
  while (send_engines_.any_free(node)) {
    constexpr PortNumber none = ~PortNumber{0};
    PortNumber first = none;
    for (unsigned p = 0; p < port_count_; ++p) {
      const PortNumber port = ports_.number(p, node);
      if (!ports_.has_ready(port) || !ports_.is_free(port, now_)) continue;
      if (first == none || ports_.readied(port, circuits_) < ports_.readied(first, circuits_)) first = port;
    }
    if (first != none) {
      send_engines_.take(node);
      launch(ports_.take_ready(first, circuits_));
      continue;
    }
    Operation* const send = send_engines_.take_send(node, [&](const Operation& waiting) {
      return ports_.is_idle(ports_.number(inject_port(waiting, port_count_), node), now_);
    });
    if (send == nullptr) return;
    send_engines_.take(node);
    begin_send<false>(*send, inject_port(*send, port_count_));
  }
}

void Engine::serve_freed_ports() {
  std::sort(freed_.begin(), freed_.end(),
            [&](PortNumber a, PortNumber b) { return ports_.turn(a, circuits_) < ports_.turn(b, circuits_); });
  for (const PortNumber port : freed_) {
    if (send_engines_.shared()) {
      // An engine has become free with each port; the node's one queue gives it to the next send, in order of issue.
      const NodeId node = ports_.node_of(port);
      send_engines_.give_back(node);
      serve_engines(node);
    } else {
      serve_port(port);
    }
  }
  freed_.clear();
}

// --- Requests of programs ------------------------------------------------------------------------------------------

template <bool plain>
inline void Engine::begin(Operation& operation) {
  if (operation.kind == OperationKind::compute) {
    begin_compute(operation);
  } else {
    enter_port<plain>(operation);
  }
}

void Engine::begin_submitted() {
  if (plain_) {
    submissions_.take_all([this](Operation& operation) { begin<true>(operation); });
  } else {
    submissions_.take_all([this](Operation& operation) { begin<false>(operation); });
  }
}

template <bool plain>
inline void Engine::submit(Operation& operation) {
  send_notes(operation).posted_at = now_;
  if constexpr (!plain) {
    if (observer_ != nullptr) [[unlikely]]
      observer_->begins(operation, now_);
    if (independent_ && operation.kind != OperationKind::compute) return ask_port(operation);
  }
  if (counts_[operation.node].unfinished != 1 || (!plain && library_->has_protocol())) {
    submissions_.add(operation);
  } else {
    begin<plain>(operation);
  }
}

/// One of two partners of a rendezvous has asked: the sends of both are submitted when both have asked.
template <bool plain>
inline void Engine::meet(Operation& operation) {
  Operation* const other = rendezvous_.meet<plain>(operation);
  if (other == nullptr) return;
  notes(*other).partner = &operation;
  notes(operation).partner = other;
  // A circuit that is cut leaves its partner with contents that did not change places.
  if (plain || !failing_) event::Payload::pair(*other, operation);
  other->completed_at = now_;
  // A loop, so that submit() is inlined once.
  for (Operation* const one : {other, &operation}) {
    if (one->kind != OperationKind::receive) submit<plain>(*one);
  }
}

/// Meetings are served after some more programs have asked. Meanwhile the data that they need, scattered over the
/// machine, are fetched.
inline void Engine::ask_to_meet(NodeId node, Operation& operation, OperationKind kind) {
  issue(node, operation, kind);
  fetch_ahead_.asks_to_meet(operation, scattered_);
  meeting_.push_back(&operation);
}

void Engine::serve_meeting() { plain_ ? serve_meeting_as<true>() : serve_meeting_as<false>(); }

template <bool plain>
void Engine::serve_meeting_as() {
  constexpr std::size_t ahead = 14;
  const std::size_t count = meeting_.size();
  Operation* const* const asked = meeting_.data();
  const auto meets_soon = [&](std::size_t i) {
    if (scattered_) fetch_ahead_.meets_soon<plain>(*asked[i]);
  };
  for (std::size_t i = 0; i < std::min(ahead, count); ++i) meets_soon(i);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + ahead < count) meets_soon(i + ahead);
    meet<plain>(*asked[i]);
  }
  meeting_.clear();
}

/// Posts a receive, or the receive of an exchange.
void Engine::post(Operation& receive) {
  matching_.post(receive, [&](CircuitId id) {
    const event::CircuitAside& aside = circuits_.aside(id);
    if (packets_.active()) packets_.take_out(receive.node, circuits_[id].bytes);
    const Cycles at = std::max(now_, aside.arrives);
    if (circuits_[id].buffered) {
      circuits_[id].receiver = &receive;
      push(at, Kind::copy_begins, id);
    } else {
      complete_receive(receive, id, aside.first_phit, at);
    }
  });
  if (notes(receive).open > 0 && library_->has_protocol() && library_->has_reservations(receive.node)) {
    granting_.push_back(receive.node);
  }
}

void Engine::start_send(NodeId node, Operation& operation) {
  constexpr OperationKind kind = OperationKind::send;
  if (meets(operation, kind)) return ask_to_meet(node, operation, kind);
  issue(node, operation, kind);
  plain_ ? submit<true>(operation) : submit<false>(operation);
}

void Engine::start_receive(NodeId node, Operation& operation) {
  if (meets(operation, operation.kind)) return ask_to_meet(node, operation, operation.kind);
  if (takes_several(operation)) {
    if (operation.kind == OperationKind::receive_each) operation.peer = node;
    issue(node, operation, operation.kind);
    if (notes(operation).parts == 0) {
      notes(operation).parts = 1;
      finish_part(operation, now_);
      return;
    }
  } else {
    issue(node, operation, OperationKind::receive);
  }
  post(operation);
}

void Engine::start_compute(NodeId node, Operation& operation) {
  if (operation.work == Work::until && observer_ == nullptr) {
    // Only the edge of its completion is to be noted, and lines of the operation that are not needed stay where they
    // are.
    begin_operation(operation, OperationKind::compute, node, now_, dim_, port_count_);
    event::OperationCount& count = counts_[node];
    notes(operation).issue = count.issued++;
    ++count.unfinished;
    operation.completed_at = std::max(now_, Cycles{operation.amount});
    wheel_.push(operation.completed_at, {.operation = &operation, .kind = Kind::completed});
    return;
  }
  issue(node, operation, OperationKind::compute);
  if (operation.work == Work::until) {
    finish_part(operation, std::max(now_, Cycles{operation.amount}));
    return;
  }
  submit<false>(operation);
}

void Engine::start_exchange(NodeId node, Operation& operation) {
  constexpr OperationKind kind = OperationKind::exchange;
  if (meets(operation, kind)) return ask_to_meet(node, operation, kind);
  issue(node, operation, kind);
  data_notes(operation).synchronisations = 0;
  post(operation);
  if (library_->first_kind(operation) == CircuitKind::synchronisation) library_->expect_partner(operation);
  submit<false>(operation);
}

}  // namespace ecube
