// SPDX-License-Identifier: Apache-2.0
// The order of work of a message library within a cycle (hw/README.md section 8); planes.
#include "hw/clocked/library/message_library.h"

#include <algorithm>
#include <utility>

#include "hw/clocked/monitor.h"
#include "hw/clocked/plane.h"
#include "models/contract/operations.h"

namespace ecube::clocked {

MessageLibrary::MessageLibrary(const sc_core::sc_module_name& name, NodeId node, const LibraryContext& context,
                               Core& core)
    : sc_core::sc_module(name), context_(context), node_(node), core_(core) {
  reset();
  SC_HAS_PROCESS(MessageLibrary);
  SC_METHOD(act);
  sensitive << clk_i.pos() << requested_;
  dont_initialize();
  SC_METHOD(end_cycle);
  sensitive << doubt_;
  dont_initialize();
}

void MessageLibrary::act() {
  if (clk_i.posedge()) {
    clock_edge();
  } else {
    serve_requests();
  }
}

void MessageLibrary::reset() {
  static_cast<LibraryState&>(*this) = {};
  ports_.resize(start_o.size());
}

/// Rule 8.2: circuits whose port became free, then arrivals, then receipts and copies that end.
void MessageLibrary::clock_edge() {
  if (rst_i.read()) {
    for (unsigned p = 0; p < ports_.size(); ++p) start_o[p].write(false);
    return reset();
  }
  for (unsigned p = 0; p < ports_.size(); ++p) {
    if (!std::exchange(ports_[p].starting, false)) continue;
    start_o[p].write(false);
    ++ports_[p].sequence;
  }
  serve_sent();
  serve_arrivals();
  serve_due();
  if (!context_.planes.empty()) serve_planes();
  drive_starts();
}

/// Rule 8.4: the requests of programs take effect when all programs of this round have asked.
void MessageLibrary::serve_requests() {
  if (std::exchange(posted_, false)) consider_reservations();
  std::vector<Request*> issued = std::exchange(issued_, {});
  std::sort(issued.begin(), issued.end(), [](const Request* a, const Request* b) { return a->number < b->number; });
  for (Request* const request : issued) enter(*request);
  serve_due();
}

void MessageLibrary::serve_due() {
  for (;;) {
    const auto later = std::partition(due_.begin(), due_.end(), [this](const Due& due) { return due.at <= now(); });
    if (later == due_.begin()) return;
    std::vector<Due> effects(std::make_move_iterator(due_.begin()), std::make_move_iterator(later));
    due_.erase(due_.begin(), later);
    std::sort(effects.begin(), effects.end(), [](const Due& a, const Due& b) { return a.order() < b.order(); });
    for (Due& due : effects) take_effect(due);
  }
}

void MessageLibrary::take_effect(Due& due) {
  const Message& message = due.envelope.message ? *due.envelope.message : *due.request->message;
  switch (due.what) {
    case What::receipt:
      if (due.envelope.kind == CircuitKind::synchronisation) return synchronisation_received(message);
      if (due.envelope.kind == CircuitKind::grant) return grant_received(message);
      reservations_.push_back(due.envelope.message);
      return consider_reservations();
    case What::copy:
      return copy_out(due);
    case What::copied:
      buffered_ -= message.bytes;
      deliver(*due.request, due.envelope, 0, now());
      return consider_reservations();
    case What::left:
      return synchronised_part(*due.request);
    case What::next_packet:
      return make_ready({.envelope = next_packet(*due.request), .request = due.request});
  }
}

/// Rule 8.5: messages of this edge that still have no receive are kept in the system buffer, or lost.
void MessageLibrary::end_cycle() {
  if (!doubtful_) {
    doubtful_ = true;
    next_trigger(clk_i.negedge_event());
    return;
  }
  doubtful_ = false;
  keep_or_lose();
}

/// Rules 5.6 and 5.7.
void MessageLibrary::keep_or_lose() {
  const Machine::Library& library = setting().machine.library;
  matching_.keep_or_lose(now(), [&](Matching::Arrived& arrived) {
    const Message& message = *arrived.envelope.message;
    if (arrived.envelope.kind != CircuitKind::data || arrived.buffered) return true;
    if (library.protocol == Protocol::unforced && buffered_ + message.bytes <= library.buffer_bytes) {
      buffered_ += message.bytes;
      arrived.buffered = message.bytes > 0;  // a message without bytes needs no copy
      return true;
    }
    context_.monitor.lost(arrived.envelope, now());
    return false;
  });
}

Cycles MessageLibrary::next_edge() const {
  Cycles next = never;
  for (const Port& port : ports_) {
    if (port.starting) return now() + 1;
    next = std::min(next, port.probe);
  }
  for (const Due& due : due_) next = std::min(next, due.at);
  for (const auto& plane : context_.planes) {
    if (const Cycles up = plane->half(node_).up; up > now()) next = std::min(next, up);
  }
  return next;
}

WaitingNode MessageLibrary::waiting() const {
  const auto about = [](WaitingNode::For what, const Request& request) {
    return waits_for(what, *request.operation, request.issued_at);
  };
  for (const Port& port : ports_) {
    if (!port.busy || port.circuit.envelope.message == nullptr) continue;
    const Envelope& envelope = port.circuit.envelope;
    return {node_, WaitingNode::For::circuit, envelope.destination, envelope.message->tag, envelope.probe};
  }
  if (const auto wait = waiting_for_planes(
          node_, context_.planes.size(), setting().machine.plane.scope,
          [this](NodeId of, std::size_t plane) -> const Half& { return context_.planes[plane]->half(of); })) {
    return *wait;
  }
  if (!to_meet_.empty()) return about(WaitingNode::For::partner, *to_meet_.front());
  for (const Port& port : ports_) {
    if (port.current == nullptr) continue;
    return about(port.current->synchronisations > 0 ? WaitingNode::For::synchronisation : WaitingNode::For::grant,
                 *port.current);
  }
  if (!matching_.receives().empty()) return about(WaitingNode::For::message, *matching_.receives().front());
  if (!engine_queue_.empty()) return about(WaitingNode::For::port, *engine_queue_.front());
  return {.node = node_};
}

// --- Tunes of ports, and sends that wait for links (hw/README.md section 14) ----------------------------------------

Half& MessageLibrary::half(unsigned plane) const { return context_.planes[plane]->half(node_); }

/// Rule 14.2.
void MessageLibrary::called(Request& send) {
  if (!context_.planes.empty()) ++half(send.operation->port).called;
}

void MessageLibrary::tune(Request& tune) {
  const unsigned plane = tune.operation->port;
  tune.sends_before = half(plane).called;
  half(plane).tunes.push_back(&tune);
  begin_tunes(plane);
}

/// Rule 14.3.
bool MessageLibrary::admits(const Request& send) const {
  const Half& half = this->half(send.operation->port);
  if (!half.tunes.empty() && half.tunes.front()->number < send.number) return false;
  return half.up <= now() && half.mask == (node_ ^ send.operation->peer);
}

/// Rule 14.2: the port's tunes in order of call, up to one that has to wait: for sends called before it, or for the
/// plane.
void MessageLibrary::begin_tunes(unsigned plane) {
  Half& half = this->half(plane);
  while (!half.tunes.empty() && half.begins_tune(half.tunes.front()->sends_before)) {
    const auto mask = static_cast<NodeId>(half.tunes.front()->operation->mask);
    const bool first = half.mask == 0;
    const bool changes = half.mask != mask || setting().machine.plane.scope == PlaneScope::plane;
    if (!first && changes) return context_.planes[plane]->ask(node_, mask);
    finish_tune(half);
    if (first) context_.planes[plane]->begin(node_, mask);
  }
}

void MessageLibrary::finish_tune(Half& half) {
  half.dark = false;
  Request& request = *half.tunes.front();
  half.tunes.erase(half.tunes.begin());
  complete_part(request, now());
}

/// Rule 14.6: what a port can do at this edge: complete a tune, begin the next ones, and let sends go.
void MessageLibrary::serve_plane(unsigned plane, std::vector<Request*>& sends) {
  Half& half = this->half(plane);
  PlaneTimes& times = context_.monitor.plane_times();
  if (half.dark && half.up <= now()) {
    times.ends(node_, plane_changes, now());
    finish_tune(half);
  }
  begin_tunes(plane);
  std::erase_if(half.waiting, [&](Request* send) {
    if (!admits(*send)) return false;
    times.ends(node_, plane_waits, now());
    send->issued_at = now();
    sends.push_back(send);
    return true;
  });
}

/// Rules 8.2 and 14.3: sends whose link comes up, or whose tune is complete, enter their ports in order of issue.
void MessageLibrary::serve_planes() {
  std::vector<Request*> sends;
  for (unsigned plane = 0; plane < context_.planes.size(); ++plane) serve_plane(plane, sends);
  std::sort(sends.begin(), sends.end(), [](const Request* a, const Request* b) { return a->number < b->number; });
  for (Request* const send : sends) enter(*send);
}

void MessageLibrary::link_is_up(unsigned plane) {
  serve_plane(plane, issued_);
  requested_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace ecube::clocked
