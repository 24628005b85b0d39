// SPDX-License-Identifier: Apache-2.0
// Tunes of a node's ports, and the sends that wait for their links (hw/README.md section 14).
#include <algorithm>

#include "hw/clocked/library/message_library.h"
#include "hw/clocked/monitor.h"
#include "hw/clocked/plane.h"

namespace ecube::clocked {

PlaneHalf<Request>& MessageLibrary::half(unsigned plane) const { return context_.planes[plane]->half(node_); }

/// Rule 14.2.
void MessageLibrary::called(Request& send) {
  if (!context_.planes.empty()) ++half(send.operation->port).called;
}

void MessageLibrary::tune(Request& tune) {
  const unsigned plane = tune.operation->port;
  half(plane).tunes.push_back({&tune, static_cast<NodeId>(tune.operation->amount), half(plane).called});
  begin_tunes(plane);
}

/// Rule 14.3.
bool MessageLibrary::admits(const Request& send) const {
  const Half& half = this->half(send.operation->port);
  if (!half.tunes.empty() && half.tunes.front().asked->number < send.number) return false;
  return half.up <= now() && half.mask == (node_ ^ send.operation->peer);
}

/// Rule 14.2: the port's tunes in order of call, up to one that has to wait: for sends called before it, or for the
/// plane.
void MessageLibrary::begin_tunes(unsigned plane) {
  Half& half = this->half(plane);
  while (half.begins_tune()) {
    const NodeId mask = half.tunes.front().mask;
    const bool first = half.mask == 0;
    const bool changes = half.mask != mask || setting().machine.plane.scope == PlaneScope::plane;
    if (!first && changes) {
      context_.monitor.plane_times().begins(node_, PlaneTimes::changes, now());
      return context_.planes[plane]->ask(node_);
    }
    finish_tune(half);
    if (first) context_.planes[plane]->begin(node_, mask);
  }
}

void MessageLibrary::finish_tune(PlaneHalf<Request>& half) {
  half.dark = false;
  Request& request = *half.tunes.front().asked;
  half.tunes.erase(half.tunes.begin());
  complete_part(request, now());
}

/// Rule 14.6: what a port can do at this edge: complete a tune, begin the next ones, and let sends go.
void MessageLibrary::serve_plane(unsigned plane, std::vector<Request*>& sends) {
  Half& half = this->half(plane);
  PlaneTimes& times = context_.monitor.plane_times();
  if (half.dark && half.up <= now()) {
    times.ends(node_, PlaneTimes::changes, now());
    finish_tune(half);
  }
  begin_tunes(plane);
  std::erase_if(half.waiting, [&](const Half::Waiting& waiting) {
    if (!admits(*waiting.send)) return false;
    times.ends(node_, PlaneTimes::waits, now());
    waiting.send->issued_at = now();
    sends.push_back(waiting.send);
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
