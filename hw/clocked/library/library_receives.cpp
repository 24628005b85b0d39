// SPDX-License-Identifier: Apache-2.0
// Circuits that come to a node: matching, contents, synchronisation, reservations and the system buffer (hw/README.md
// sections 4 and 5).
#include <algorithm>
#include <optional>

#include "hw/clocked/broken.h"
#include "hw/clocked/core.h"
#include "hw/clocked/library/message_library.h"
#include "hw/clocked/monitor.h"
#include "models/contract/operations.h"
#include "models/contract/payload.h"

namespace ecube::clocked {

namespace {

/// Takes the first element that `fits` out of a list, if there is one.
template <typename T>
std::optional<T> take_first(std::vector<T>& all, const auto& fits) {
  const auto at = std::find_if(all.begin(), all.end(), fits);
  if (at == all.end()) return std::nullopt;
  T taken = std::move(*at);
  all.erase(at);
  return taken;
}

}  // namespace

/// Rules 4.6 and 5.4.
Cycles MessageLibrary::receipt(const Envelope& envelope) const {
  const Machine::PathLengths& paths = setting().paths;
  if (envelope.kind == CircuitKind::data) return envelope.bytes == 0 ? paths.receive_zero : paths.receive;
  if (envelope.kind == CircuitKind::signal) return paths.signal_receive;
  return envelope.kind == CircuitKind::synchronisation ? paths.receive_zero : paths.control_receive;
}

/// The end of a receipt or copy that is due now. A receipt or copy of zero cycles does not queue.
Cycles MessageLibrary::receiving_work(Cycles length) { return length > 0 ? library_work(length) : now(); }

/// Rule 3.7: serves circuits whose tail came one edge ago, in order of eject port.
void MessageLibrary::serve_arrivals() {
  for (unsigned p = 0; p < ports_.size(); ++p) {
    if (received_first_i[p].read()) ports_[p].first_phit = now();
    if (!received_tail_i[p].read()) continue;
    const Wire& probe = probe_i[p].read();
    auto sent = context_.messages.extract(key_of(probe.source, probe.port, probe.sequence));
    if (sent.empty() || sent.mapped().destination != node_) {
      report_broken(*this, "what a probe was sent for is known by its key");
      continue;
    }
    arrived(std::move(sent.mapped()), ports_[p].first_phit);
  }
}

/// Rules 4.6, 5.9 and 6.7.
void MessageLibrary::arrived(Envelope envelope, Cycles first_phit) {
  RunStatistics& totals = context_.monitor.totals();
  ++totals.circuits;
  if (is_control(envelope.kind)) ++totals.control_circuits;
  if (envelope.destination == envelope.message->destination) totals.payload_bytes += envelope.bytes;
  if (envelope.destination != envelope.message->destination && !is_control(envelope.kind)) {
    return forward(std::move(envelope));
  }
  const Cycles end = receiving_work(receipt(envelope));
  if (is_control(envelope.kind)) {
    return due_.push_back({.at = end, .what = What::receipt, .envelope = std::move(envelope)});
  }
  if (!all_packets_here(envelope)) return;
  const std::shared_ptr<const Message> message = envelope.message;
  if (Request* const receive = matching_.take_promised(message); receive != nullptr) {
    return deliver(*receive, envelope, first_phit, end);
  }
  const bool buffered = message->reserves;  // a reserved message that was not promised a receive has room
  if (Request* const receive = matching_.take_posted(*message); receive != nullptr) {
    if (!buffered) return deliver(*receive, envelope, first_phit, end);
    return due_.push_back({end, What::copy, std::move(envelope), receive});
  }
  matching_.keep({std::move(envelope), first_phit, now(), end, buffered});
  if (setting().stores()) store(message->bytes);
  if (!setting().protocol() || doubtful_) return;
  doubt_.notify(sc_core::SC_ZERO_TIME);
}

// --- Packets -------------------------------------------------------------------------------------------------------

/// Rule 5.10: a packet on its way is stored until its next circuit has left.
void MessageLibrary::forward(Envelope envelope) {
  store(envelope.bytes);
  envelope.source = node_;
  envelope.destination = next_node(envelope.message->destination);
  make_ready({.envelope = std::move(envelope)});
}

/// Rule 6.8.
void MessageLibrary::store(Bytes bytes) {
  stored_ += bytes;
  Bytes& most = context_.monitor.totals().most_stored;
  most = std::max(most, stored_);
}

/// Counts a packet at its destination; true for the last one, which then stands for the whole message.
bool MessageLibrary::all_packets_here(const Envelope& envelope) {
  if (envelope.packets == 1) return true;
  if (++collected_[envelope.message] < envelope.packets) return false;
  collected_.erase(envelope.message);
  return true;
}

// --- Matching ------------------------------------------------------------------------------------------------------

/// Rule 5.8: the receive that a rendezvous or a grant has promised to a message.
Request* Matching::take_promised(const std::shared_ptr<const Message>& message) {
  const auto promise = promises_.extract(message);
  return promise ? promise.mapped() : nullptr;
}

/// Rule 4.11: the first posted receive that takes the message; null if none does.
Request* Matching::take_posted(const Message& message) {
  const auto fits = [&](const Request* receive) { return takes(*receive->operation, message.source, message.tag); };
  const auto found = std::find_if(receives_.begin(), receives_.end(), fits);
  if (found == receives_.end()) return nullptr;
  Request* const receive = *found;
  if (--receive->open == 0) receives_.erase(found);
  return receive;
}

/// Rule 4.11: takes the messages that have arrived for a receive, in order of arrival. It stays posted for those that
/// are missing.
std::vector<Matching::Arrived> Matching::post(Request& receive) {
  std::vector<Arrived> taken;
  for (auto at = arrived_.begin(); at != arrived_.end() && receive.open > 0;) {
    const Message& message = *at->envelope.message;
    if (!takes(*receive.operation, message.source, message.tag)) {
      ++at;
      continue;
    }
    taken.push_back(std::move(*at));
    at = arrived_.erase(at);
    --receive.open;
  }
  if (receive.open > 0) receives_.push_back(&receive);
  return taken;
}

void MessageLibrary::receive(Request& receive) {
  for (Matching::Arrived& arrived : matching_.post(receive)) {
    const Message& message = *arrived.envelope.message;
    if (setting().stores()) stored_ -= message.bytes;
    if (!arrived.buffered) {
      deliver(receive, arrived.envelope, arrived.first_phit, std::max(now(), arrived.received_at));
      continue;
    }
    due_.push_back({std::max(now(), arrived.received_at), What::copy, std::move(arrived.envelope), &receive});
    requested_.notify(sc_core::SC_ZERO_TIME);
  }
  if (receive.open == 0) return;
  posted_ = true;
  if (!reservations_.empty()) requested_.notify(sc_core::SC_ZERO_TIME);
}

/// A message, or its copy from the system buffer, is received at edge `at`; its first phit came at `since`.
void MessageLibrary::deliver(Request& receive, const Envelope& envelope, Cycles since, Cycles at) {
  const Message& message = *envelope.message;
  Operation& operation = *receive.operation;
  if (message.bytes > operation.room && fault_.empty()) {
    fault_ = too_long(operation, message.source, message.bytes, at);
  }
  if (!message.contents.empty() && fault_.empty()) {
    const Region to = region_for(operation, message.source);
    if (!to.empty()) unpack(message.contents.data(), message.bytes, to);
  }
  operation.since = since;
  note_received(operation, message.source, message.bytes, message.check);
  if (operation.kind == OperationKind::receive_counted) {
    if (operation.sink != nullptr) operation.sink->taken(operation, at);
    if (receive.parts > 1) core_.complete(receive, at);
  }
  complete_part(receive, at);
}

void MessageLibrary::complete_part(Request& request, Cycles at) {
  request.complete_at = std::max(request.complete_at, at);
  if (--request.parts > 0) return;
  if (request.open > 0 && matching_.withdraw(request)) {
    report_broken(*this, "a receive is complete when its messages have come");
  }
  core_.complete(request, request.complete_at);
}

/// Rule 5.7: begins to copy a message out of the system buffer into the receive that has taken it.
void MessageLibrary::copy_out(Due& copy) {
  const Cycles end = receiving_work(setting().work->copy_out(node_, copy.envelope.message->bytes));
  due_.push_back({end, What::copied, std::move(copy.envelope), copy.request});
}

// --- Synchronisation -----------------------------------------------------------------------------------------------

/// Rules 4.9 and 4.10.
void MessageLibrary::meet(Request& request) {
  MessageLibrary& peer = *context_.libraries[request.operation->peer];
  const auto partner = take_first(
      peer.to_meet_, [&](const Request* other) { return are_partners(*other->operation, *request.operation); });
  if (!partner) return to_meet_.push_back(&request);
  context_.told.insert(peer.node_);
  peer.met(**partner, request.message);
  met(request, (*partner)->message);
}

void MessageLibrary::met(Request& request, const std::shared_ptr<const Message>& from_partner) {
  request.complete_at = now();
  if (from_partner != nullptr) matching_.promise(from_partner, request);
  if (request.message != nullptr) send(request);
}

void MessageLibrary::expect_synchronisation(Request& exchange) {
  const Operation& operation = *exchange.operation;
  const auto early = take_first(synchronisations_, [&](const Synchronisation& one) {
    return one.exchange == nullptr && one.source == operation.peer && one.tag == operation.tag;
  });
  exchange.synchronisations = early ? 1 : 2;  // its own message has to leave, the partner's to be received
  if (!early) synchronisations_.push_back({operation.peer, operation.tag, &exchange});
}

void MessageLibrary::synchronisation_received(const Message& message) {
  const auto waits = take_first(synchronisations_, [&](const Synchronisation& one) {
    return one.exchange != nullptr && one.source == message.source && one.tag == message.tag;
  });
  if (waits) return synchronised_part(*waits->exchange);
  synchronisations_.push_back({message.source, message.tag, nullptr});
}

/// Rule 5.5.
void MessageLibrary::synchronised_part(Request& exchange) {
  if (--exchange.synchronisations > 0) return;
  const CircuitKind kind = exchange.message->reserves ? CircuitKind::reservation : CircuitKind::data;
  make_ready({.envelope = envelope_of(kind, exchange.message), .request = &exchange});
}

// --- Unforced messages ---------------------------------------------------------------------------------------------

/// Answers waiting reservations in order of arrival. Called when one came, a receive was posted, or room became free.
void MessageLibrary::consider_reservations() {
  std::erase_if(reservations_, [this](const std::shared_ptr<const Message>& message) { return grant(message); });
}

/// Rule 5.8.
bool MessageLibrary::grant(const std::shared_ptr<const Message>& message) {
  if (Request* const receive = matching_.take_posted(*message); receive != nullptr) {
    matching_.promise(message, *receive);
  } else if (buffered_ + message->bytes <= setting().machine.library.buffer_bytes) {
    buffered_ += message->bytes;
  } else {
    return false;
  }
  make_ready({.envelope = envelope_of(CircuitKind::grant, message)});
  return true;
}

void MessageLibrary::grant_received(const Message& message) {
  Request& request = *message.request;
  make_ready({.envelope = envelope_of(CircuitKind::data, request.message), .request = &request});
}

}  // namespace ecube::clocked
