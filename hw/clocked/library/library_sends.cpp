// SPDX-License-Identifier: Apache-2.0
// Circuits that leave a node: ports, send engines and start-ups (hw/README.md section 4).
#include <algorithm>
#include <utility>

#include "hw/clocked/core.h"
#include "hw/clocked/library/message_library.h"
#include "hw/clocked/monitor.h"
#include "hw/clocked/routing.h"
#include "models/contract/operations.h"

namespace ecube::clocked {

/// Rule 4.9.
void MessageLibrary::exchange(Request& request) {
  receive(request);
  if (first_kind(request) == CircuitKind::synchronisation) expect_synchronisation(request);
  send(request);
}

void MessageLibrary::send(Request& request) {
  request.issued_at = now();
  if (setting().observer != nullptr) setting().observer->begins(*request.operation, now());
  issued_.push_back(&request);
  requested_.notify(sc_core::SC_ZERO_TIME);
}

/// Rule 4.1.
unsigned MessageLibrary::port_of(const Request& request) const {
  return inject_port(setting().topology, *request.operation, setting().shape.ports);
}

CircuitKind MessageLibrary::first_kind(const Request& request) const {
  const Operation& send = *request.operation;
  if (send.signal) return CircuitKind::signal;
  if (!setting().protocol()) return CircuitKind::data;
  if (send.kind == OperationKind::exchange && send.sync == PairwiseSync::on) return CircuitKind::synchronisation;
  return reserves(send) ? CircuitKind::reservation : CircuitKind::data;
}

/// Rule 5.8: above the threshold.
bool MessageLibrary::reserves(const Operation& send) const {
  const Machine::Library& library = setting().machine.library;
  return library.protocol == Protocol::unforced && send.bytes > library.threshold_bytes;
}

Envelope MessageLibrary::envelope_of(CircuitKind kind, const std::shared_ptr<const Message>& message) const {
  Envelope envelope{*message, message};
  envelope.kind = kind;
  if (is_control(kind)) envelope.bytes = 0;
  if (kind == CircuitKind::grant) std::swap(envelope.source, envelope.destination);
  return envelope;
}

/// Rules 4.3 and 5.4.
Cycles MessageLibrary::startup(const Outgoing& circuit) const {
  const Machine::PathLengths& paths = setting().paths;
  if (setting().stores() && circuit.request == nullptr) return paths.forward;
  const CircuitKind kind = circuit.envelope.kind;
  const bool granted = kind == CircuitKind::data && circuit.envelope.message->reserves;
  if (kind == CircuitKind::grant || granted) return paths.control_send;
  if (kind == CircuitKind::signal) return paths.signal_send;
  if (kind == CircuitKind::synchronisation) return paths.send_zero;
  if (kind == CircuitKind::reservation) return paths.send;
  return circuit.envelope.bytes == 0 ? paths.send_zero : paths.send;
}

/// Rule 4.5.
Cycles MessageLibrary::library_work(Cycles length) {
  return setting().queued() ? core_.library_work(length) : now() + length;
}

// --- Ports and send engines -----------------------------------------------------------------------------------------

/// Rule 3.7: ports that became free at this edge; first those for whose next circuit something has become ready before.
void MessageLibrary::serve_sent() {
  std::vector<unsigned> freed;
  for (unsigned p = 0; p < ports_.size(); ++p) {
    if (sent_i[p].read() && ports_[p].busy) freed.push_back(p);
  }
  if (freed.empty()) return;
  for (const unsigned p : freed) {
    ports_[p].busy = false;
    --engines_taken_;
    if (setting().stores() && ports_[p].circuit.request == nullptr) stored_ -= ports_[p].circuit.envelope.bytes;
  }
  for (const unsigned p : freed) left(ports_[p].circuit);
  if (setting().shape.shared_engines) return serve_engines();
  const auto order = [this](unsigned p) {
    const Port& port = ports_[p];
    if (!port.ready.empty()) return std::tuple(0U, port.ready.front().order, 0U);
    if (port.sends.empty()) return std::tuple(2U, std::uint64_t{0}, 0U);
    return std::tuple(1U, std::uint64_t{port.sends.front()->issued_at}, port.sends.front()->number);
  };
  std::sort(freed.begin(), freed.end(), [&](unsigned a, unsigned b) { return order(a) < order(b); });
  for (const unsigned p : freed) serve_port(p);
}

/// A circuit of this node has left: its tail was driven one edge ago.
void MessageLibrary::left(Outgoing& circuit) {
  const Outgoing gone = std::exchange(circuit, {});
  if (gone.request == nullptr) return;
  Request& request = *gone.request;
  Port& port = ports_[port_of(request)];
  if (gone.envelope.kind == CircuitKind::reservation) return;
  if (gone.envelope.kind == CircuitKind::synchronisation) return due_now(What::left, request);
  if (setting().stores()) {
    request.unsent -= gone.envelope.bytes;
    if (request.unsent > 0) return due_now(What::next_packet, request);
  }
  port.current = nullptr;
  if (!context_.planes.empty()) ++half(request.operation->port).left;
  if (setting().observer != nullptr) setting().observer->left(*request.operation, now());
  complete_part(request, now());
}

/// Rule 4.2: sends wait in order of issue: by edge, and those of one edge as their program asked.
void MessageLibrary::enter(Request& request) {
  if (!context_.planes.empty() && !admits(request)) {
    context_.monitor.plane_times().begins(node_, plane_waits, now());
    return half(request.operation->port).waiting.push_back(&request);
  }
  const unsigned port = port_of(request);
  std::deque<Request*>& queue = setting().shape.shared_engines ? engine_queue_ : ports_[port].sends;
  const auto issued = [](const Request* send) { return std::pair(send->issued_at, send->number); };
  const auto place = std::find_if(queue.begin(), queue.end(),
                                  [&](const Request* waiting) { return issued(waiting) > issued(&request); });
  queue.insert(place, &request);
  setting().shape.shared_engines ? serve_engines() : serve_port(port);
}

/// Rule 4.2: queues a circuit that is not the first of its send, a grant, or a packet that is sent on: before every
/// send that has not begun, behind the circuits that became ready before.
void MessageLibrary::make_ready(Outgoing circuit) {
  const std::uint8_t named = circuit.request != nullptr ? circuit.request->operation->port : automatic_port;
  const unsigned port =
      inject_port(setting().topology, node_, circuit.envelope.destination, named, setting().shape.ports);
  circuit.order = readied_++;
  ports_[port].ready.push_back(std::move(circuit));
  setting().shape.shared_engines ? serve_engines() : serve_port(port);
}

/// Rule 4.2.
void MessageLibrary::serve_port(unsigned p) {
  Port& port = ports_[p];
  if (port.busy) return;
  if (!port.ready.empty()) {
    Outgoing circuit = std::move(port.ready.front());
    port.ready.pop_front();
    launch(p, std::move(circuit));
  } else if (port.current == nullptr && !port.sends.empty()) {
    Request& request = *port.sends.front();
    port.sends.pop_front();
    begin(request, p);
  }
}

/// Rule 4.8: whenever a send engine is free, the circuit that became ready first takes it, else the first issued of the
/// sends whose port is free.
void MessageLibrary::serve_engines() {
  const unsigned engines = setting().machine.node.ports.engines;
  while (engines_taken_ < engines) {
    Port* first = nullptr;
    for (Port& port : ports_) {
      if (port.busy || port.ready.empty()) continue;
      if (first == nullptr || port.ready.front().order < first->ready.front().order) first = &port;
    }
    if (first == nullptr) break;
    serve_port(static_cast<unsigned>(first - ports_.data()));
  }
  for (auto at = engine_queue_.begin(); at != engine_queue_.end() && engines_taken_ < engines;) {
    const unsigned p = port_of(**at);
    if (ports_[p].busy || !ports_[p].ready.empty() || ports_[p].current != nullptr) {
      ++at;
      continue;
    }
    Request& request = **at;
    at = engine_queue_.erase(at);
    begin(request, p);
  }
}

void MessageLibrary::begin(Request& request, unsigned port) {
  if (setting().stores()) {
    request.unsent = request.message->bytes;
    Envelope packet = next_packet(request);
    std::uint64_t& most = context_.monitor.totals().most_packets;
    most = std::max(most, packet.packets);
    if (packet.packets > 1) ports_[port].current = &request;
    return launch(port, {.envelope = std::move(packet), .request = &request});
  }
  const CircuitKind kind = first_kind(request);
  if (is_control(kind)) ports_[port].current = &request;
  request.message->reserves = reserves(*request.operation) && !request.operation->signal;
  launch(port, {.envelope = envelope_of(kind, request.message), .request = &request});
}

/// Rule 5.10: the next packet of a message, to the next node on its way.
Envelope MessageLibrary::next_packet(Request& request) const {
  const Bytes most = setting().machine.network.packet_bytes;
  Envelope packet = envelope_of(first_kind(request), request.message);
  packet.bytes = std::min(request.unsent, most);
  packet.packets = std::max<std::uint64_t>((request.message->bytes + most - 1) / most, 1);
  packet.destination = next_node(packet.destination);
  return packet;
}

/// Rule 4.3: begins the start-up of a circuit. The probe is driven at the end of the start-up.
void MessageLibrary::launch(unsigned p, Outgoing circuit) {
  Port& port = ports_[p];
  port.busy = true;
  ++engines_taken_;
  port.probe = library_work(startup(circuit) + core_.jitter());
  circuit.envelope.probe = port.probe;
  circuit.envelope.inject_port = static_cast<std::uint8_t>(p);
  context_.monitor.injected(circuit.envelope);
  port.circuit = std::move(circuit);
  if (port.probe == now()) drive(p);
}

void MessageLibrary::drive_starts() {
  for (unsigned p = 0; p < ports_.size(); ++p) {
    if (ports_[p].probe == now()) drive(p);
  }
}

/// Rule 3.8.
void MessageLibrary::drive(unsigned p) {
  Port& port = ports_[p];
  const Envelope& envelope = port.circuit.envelope;
  context_.messages[key_of(node_, p, port.sequence)] = envelope;
  start_o[p].write(true);
  route_o[p].write(context_.planes.empty() ? route_between(setting().shape, envelope.source, envelope.destination)
                                           : static_cast<RouteWord>(1U << p));
  sequence_o[p].write(port.sequence);
  phits_o[p].write(setting().machine.phits(envelope.bytes));
  port.starting = true;
  port.probe = never;
}

}  // namespace ecube::clocked
