// SPDX-License-Identifier: Apache-2.0
// Tunes of a node's ports, and the sends that wait for their links (hw/README.md section 14).
#include <algorithm>
#include <utility>

#include "hw/clocked/library/message_library.h"
#include "hw/clocked/plane.h"

namespace ecube::clocked {

/// Rule 14.2.
void MessageLibrary::called(Request& send) { ++tuned_ports_[send.operation->port].sends; }

void MessageLibrary::tune(Request& tune) {
  const unsigned plane = tune.operation->port;
  TunedPort& port = tuned_ports_[plane];
  port.tunes.push_back({&tune, std::exchange(port.sends, 0)});
  if (port.tunes.size() == 1) begin_tunes(plane);
}

/// Rule 14.3.
bool MessageLibrary::admits(const Request& send) const {
  const TunedPort& port = tuned_ports_[send.operation->port];
  if (!port.tunes.empty() && port.tunes.front().request->number < send.number) return false;
  return port.up <= now() && port.mask == (node_ ^ send.operation->peer);
}

/// Rule 14.2: the port's tunes in order of call, up to one that has to wait: for sends called before it, or for the
/// plane.
void MessageLibrary::begin_tunes(unsigned plane) {
  TunedPort& port = tuned_ports_[plane];
  while (!port.tunes.empty() && port.tunes.front().sends == 0) {
    const auto mask = static_cast<NodeId>(port.tunes.front().request->operation->amount);
    const bool first = port.mask == 0;
    const bool changes = port.mask != mask || setting().machine.plane.scope == PlaneScope::plane;
    if (!first && changes) return planes_[plane]->ask(node_, mask);
    finish_tune(port);
    if (first) planes_[plane]->begin(node_, mask);
  }
}

void MessageLibrary::finish_tune(TunedPort& port) {
  Request& request = *port.tunes.front().request;
  port.tunes.pop_front();
  port.tuned_at = never;
  port.mask = static_cast<NodeId>(request.operation->amount);
  complete_part(request, now());
}

/// A circuit has left the port; its tail was driven one edge ago.
void MessageLibrary::left_plane(const Outgoing& circuit) {
  const unsigned plane = circuit.request->operation->port;
  TunedPort& port = tuned_ports_[plane];
  const Machine& machine = setting().machine;
  const Cycles phits = machine.phit_cycles().floor_of(machine.phits(circuit.envelope.bytes) - 1) + 1;
  context_.plane_times.add(node_, PlaneTimes::moves, now() - phits, now());
  std::size_t& sends = port.tunes.empty() ? port.sends : port.tunes.front().sends;
  if (--sends == 0) begin_tunes(plane);
}

/// Rule 14.6.
std::vector<Request*> MessageLibrary::take_waiting(TunedPort& port) {
  std::vector<Request*> sends;
  std::erase_if(port.waiting, [&](const TunedPort::Waiting& waiting) {
    if (!admits(*waiting.request)) return false;
    context_.plane_times.add(node_, PlaneTimes::waits, waiting.since, now());
    waiting.request->issued_at = now();
    sends.push_back(waiting.request);
    return true;
  });
  return sends;
}

/// Rules 8.2 and 14.3: sends whose link comes up, or whose tune is complete, enter their ports in order of issue.
void MessageLibrary::serve_planes() {
  std::vector<Request*> sends;
  for (unsigned plane = 0; plane < tuned_ports_.size(); ++plane) {
    TunedPort& port = tuned_ports_[plane];
    if (port.tuned_at == now()) {
      finish_tune(port);
      begin_tunes(plane);
    }
    const std::vector<Request*> own = take_waiting(port);
    sends.insert(sends.end(), own.begin(), own.end());
  }
  std::sort(sends.begin(), sends.end(), [](const Request* a, const Request* b) { return a->number < b->number; });
  for (Request* const send : sends) enter(*send);
}

/// By the first tune of a partner a link can be up, and a tune complete, at this very edge: sends that waited are
/// issued again.
void MessageLibrary::issue_waiting(TunedPort& port) {
  for (Request* const send : take_waiting(port)) issued_.push_back(send);
  requested_.notify(sc_core::SC_ZERO_TIME);
}

void MessageLibrary::link_comes_up(unsigned plane, Cycles at) {
  tuned_ports_[plane].up = at;
  if (at <= now()) issue_waiting(tuned_ports_[plane]);
}

void MessageLibrary::tuned(unsigned plane, Cycles at) {
  TunedPort& port = tuned_ports_[plane];
  port.tuned_at = at;
  if (at > now()) return;
  finish_tune(port);
  issue_waiting(port);
  begin_tunes(plane);
}

WaitingNode MessageLibrary::waiting_for_plane() const {
  using For = WaitingNode::For;
  for (unsigned plane = 0; plane < tuned_ports_.size(); ++plane) {
    const std::vector<PlaneEnd>& ends = planes_[plane]->ends();
    const PlaneEnd& own = ends[node_];
    if (own.dark) return {node_, For::end, node_ ^ own.mask, plane, own.asked_at};
    if (own.asked == 0) continue;
    NodeId peer = node_ ^ own.mask;
    if (setting().machine.plane.scope == PlaneScope::plane) {
      const auto late = std::find_if(ends.begin(), ends.end(), [](const PlaneEnd& end) { return end.asked == 0; });
      peer = static_cast<NodeId>(late - ends.begin());
    }
    return {node_, For::ask, peer, plane, own.asked_at};
  }
  for (unsigned plane = 0; plane < tuned_ports_.size(); ++plane) {
    if (tuned_ports_[plane].waiting.empty()) continue;
    const TunedPort::Waiting& first = tuned_ports_[plane].waiting.front();
    return {node_, For::link, first.request->operation->peer, plane, first.since};
  }
  return {.node = node_};
}

}  // namespace ecube::clocked
