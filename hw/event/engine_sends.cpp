// SPDX-License-Identifier: Apache-2.0
// From a program's request to the probe that leaves. The file goes from the last step to the first, so that short
// functions are inlined.
#include <algorithm>

#include "hw/event/engine.h"
#include "models/contract/operations.h"

namespace ecube {

using event::Circuit;
using event::data_notes;
using event::notes;
using event::send_notes;

// --- One circuit ---------------------------------------------------------------------------------------------------

[[gnu::always_inline]] inline CircuitId Engine::new_circuit(auto has, CircuitKind kind, Operation& about) {
  const CircuitId id = circuits_.allocate();
  Circuit& circuit = circuits_[id];
  circuit.operation = &about;
  circuit.receiver = notes(about).partner;
  circuit.bytes = about.bytes;
  circuit.source = about.node;
  circuit.destination = about.peer;
  circuit.tag = about.tag;
  circuit.label = about.label;
  circuit.kind = kind;
  circuit.carries = about.bytes > 0 && !about.outgoing.empty();
  circuit.staged = false;
  circuit.link_blocked = false;
  circuit.port_blocked = false;
  circuit.received = false;
  circuit.granted = false;
  circuit.buffered = false;
  circuit.check = about.check;
  circuit.next = no_circuit;
  if (has->protocol && is_control(kind)) [[unlikely]] {
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

CircuitId Engine::make_circuit(CircuitKind kind, Operation& about) {
  return new_circuit(event::Asked(features_), kind, about);
}

/// Rules 4.3 and 4.5: begins the start-up of a circuit. The probe is driven at the end of the start-up.
[[gnu::always_inline]] inline void Engine::launch(auto has, Circuit& circuit, CircuitId id) {
  const Operation* const send = circuit.operation;
  const bool forwarded = has->packets && send == nullptr;
  Cycles length = forwarded ? paths_.forward : paths_.startup(circuit);
  if (has->jitter) length += jitter(circuit.source);
  circuit.probe = has->queued ? serve(has, circuit.source, length) : now_ + length;
  ports_.occupy(has, circuit);
  if ((scattered_ || has->arrivals) && circuit.carries && send != nullptr) {
    fetch_to_read(send->outgoing.base);
    if (has->arrivals) fetch_to_read(send->outgoing.base + send->outgoing.run_bytes - 1);
  }
  routers_.inject(has, circuit, id);
  if (has->worms) worms_.begin(id);
  if (has->observer) observer_->injected(id, circuit);
}

[[gnu::always_inline]] inline void Engine::begin_send(auto has, Operation& operation, unsigned port) {
  CircuitId id = no_circuit;
  if (has->packets) {
    id = begin_message(operation, port);
  } else {
    const CircuitKind without_protocol = operation.signal ? CircuitKind::signal : CircuitKind::data;
    const CircuitKind kind = has->protocol ? library_.first_kind(operation) : without_protocol;
    if (has->protocol && is_control(kind)) ports_.begin_several(has, operation, port);
    id = new_circuit(has, kind, operation);
  }
  Circuit& circuit = circuits_[id];
  circuit.inject_port = static_cast<std::uint8_t>(port);
  launch(has, circuit, id);
}

/// The circuit of a message's first packet.
CircuitId Engine::begin_message(Operation& operation, unsigned port) {
  const event::PacketStore::Number message = packets_.begin(operation);
  if (packets_.several_packets(message)) ports_.begin_several(asked(), operation, port);
  return make_packet(message);
}

CircuitId Engine::make_packet(event::PacketStore::Number message) {
  Operation& send = packets_.send_of(message);
  const CircuitId id = make_circuit(library_.first_kind(send), send);
  packets_.next_packet(message, id);
  return id;
}

void Engine::make_ready(CircuitId id) {
  by_features([this, id](auto has) {
    if (has->protocol || has->packets) ports_.make_ready(*this, has, id);
  });
}

void Engine::serve_added_sends() { ports_.serve_added(*this, asked(), fetch_ahead_); }

void Engine::serve_freed_ports() {
  by_features([this](auto has) { ports_.serve_freed(*this, has); });
}

/// Rules 8.2 and 14.3.
void Engine::serve_planes() {
  for (Operation* const send : planes_.serve(halves_due_, now_)) ports_.enter(*this, asked(), *send);
  halves_due_.clear();
}

// --- Requests of programs ------------------------------------------------------------------------------------------

inline void Engine::begin(auto has, Operation& operation) {
  if (operation.kind == OperationKind::compute) {
    begin_compute(operation);
  } else if (has->planes && !planes_.admits(operation, now_)) {
    planes_.wait(operation, now_);
  } else {
    ports_.enter(*this, has, operation);
  }
}

void Engine::begin_submitted() {
  by_features(
      [this](auto has) { submissions_.take_all([this, has](Operation& operation) { begin(has, operation); }); });
}

inline void Engine::submit(auto has, Operation& operation) {
  send_notes(operation).posted_at = now_;
  if (has->observer) observer_->begins(operation, now_);
  if (has->independent_ports() && operation.kind != OperationKind::compute) return ports_.add(operation, now_);
  if (counts_[operation.node].unfinished != 1 || (has->protocol && library_.answers())) {
    submissions_.add(operation);
  } else {
    begin(has, operation);
  }
}

/// What only some runs note of an operation that a program asks for.
void Engine::note_call(Operation& operation, OperationKind kind) {
  if (features_.planes && (kind == OperationKind::send || kind == OperationKind::exchange)) {
    check_on_planes(operation, topology_, machine_);
    planes_.called(operation);
  }
  if (observer_ != nullptr) observer_->issued(operation, now_);
}

/// One of two partners of a rendezvous has asked: the sends of both are submitted when both have asked.
inline void Engine::meet(auto has, Operation& operation) {
  Operation* const other = rendezvous_.meet(has, operation);
  if (other == nullptr) return;
  notes(*other).partner = &operation;
  notes(operation).partner = other;
  // A circuit that is cut leaves its partner with contents that did not change places.
  if (!has->failures) event::Payload::pair(*other, operation);
  other->completed_at = now_;
  // A loop, so that submit() is inlined once.
  for (Operation* const one : {other, &operation}) {
    if (one->kind != OperationKind::receive) submit(has, *one);
  }
}

/// Meetings are served after some more programs have asked. Meanwhile the data that they need, scattered over the
/// machine, are fetched.
inline void Engine::ask_to_meet(Operation& operation) {
  fetch_ahead_.asks_to_meet(event::Asked(features_), operation, scattered_);
  rendezvous_.ask(operation);
}

void Engine::serve_meeting() {
  by_features([this](auto has) {
    constexpr std::size_t ahead = 14;
    const std::size_t count = rendezvous_.asked().size();
    Operation* const* const asked = rendezvous_.asked().data();
    const auto meets_soon = [&](std::size_t i) {
      if (scattered_) fetch_ahead_.meets_soon(has, *asked[i]);
    };
    for (std::size_t i = 0; i < std::min(ahead, count); ++i) meets_soon(i);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + ahead < count) meets_soon(i + ahead);
      meet(has, *asked[i]);
    }
  });
  rendezvous_.asked().clear();
}

void Engine::post(Operation& receive) {
  matching_.post(receive, [&](CircuitId id) {
    const event::CircuitAside& aside = circuits_.aside(id);
    if (features_.packets) packets_.take_out(receive.node, circuits_[id].bytes);
    const Cycles at = std::max(now_, aside.receipt_ends);
    if (circuits_[id].buffered) {
      circuits_[id].receiver = &receive;
      push(at, Kind::copy_begins, id);
    } else {
      complete_receive(receive, id, aside.first_phit, at);
    }
  });
  if (notes(receive).open > 0 && features_.protocol) library_.posted(receive.node);
}

/// Rule 4.10.
void Engine::start_send(NodeId node, Operation& operation) {
  constexpr OperationKind kind = OperationKind::send;
  issue(node, operation, kind);
  if (meets(operation, kind)) return ask_to_meet(operation);
  by_features([&](auto has) { submit(has, operation); });
}

void Engine::start_receive(NodeId node, Operation& operation) {
  if (takes_several(operation)) {
    issue(node, operation, operation.kind);
    if (notes(operation).parts == 0) {
      notes(operation).parts = 1;
      finish_part(operation, now_);
      return;
    }
  } else {
    issue(node, operation, OperationKind::receive);
    if (meets(operation, OperationKind::receive)) return ask_to_meet(operation);
  }
  post(operation);
}

void Engine::start_compute(NodeId node, Operation& operation) {
  if (operation.work == Work::until && observer_ == nullptr) {
    // Only the edge of its completion is to be noted, and lines of the operation that are not needed stay where they
    // are.
    begin_operation(operation, OperationKind::compute, node, now_, topology_, ports_.count());
    event::OperationCount& count = counts_[node];
    notes(operation).issue = count.issued++;
    ++count.unfinished;
    operation.completed_at = std::max(now_, Cycles{operation.until});
    wheel_.push(operation.completed_at, {.operation = &operation, .kind = Kind::completed});
    return;
  }
  issue(node, operation, OperationKind::compute);
  if (operation.work == Work::until) {
    finish_part(operation, std::max(now_, Cycles{operation.until}));
    return;
  }
  if (operation.work == Work::tune) {
    check_on_planes(operation, topology_, machine_);
    --counts_[node].unfinished;  // no send waits for its turn behind a tune
    for (Operation* const send : planes_.tune(operation, now_)) submissions_.add(*send);
    return;
  }
  submit(event::Asked(features_), operation);
}

/// Rule 4.9.
void Engine::start_exchange(NodeId node, Operation& operation) {
  constexpr OperationKind kind = OperationKind::exchange;
  issue(node, operation, kind);
  if (meets(operation, kind)) return ask_to_meet(operation);
  data_notes(operation).synchronisations = 0;
  post(operation);
  if (library_.first_kind(operation) == CircuitKind::synchronisation) library_.expect_partner(operation);
  by_features([&](auto has) {
    if (has->protocol) return submit(has, operation);
    submit(asked(), operation);
  });
}

}  // namespace ecube
