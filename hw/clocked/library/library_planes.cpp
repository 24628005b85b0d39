// SPDX-License-Identifier: Apache-2.0
// Tunes of a node's ports, and the sends that wait for their links (hw/README.md section 14).
#include <algorithm>

#include "hw/clocked/library/message_library.h"
#include "hw/clocked/plane.h"

namespace ecube::clocked {

/// Rule 14.2.
void MessageLibrary::called(Request& send) { ++half(send.operation->port).called; }

void MessageLibrary::tune(Request& tune) {
  const unsigned plane = tune.operation->port;
  half(plane).tunes.push_back({&tune, static_cast<NodeId>(tune.operation->amount), half(plane).called});
  begin_tunes(plane);
}

PlaneHalf<Request>& MessageLibrary::half(unsigned plane) const { return planes_[plane]->half(node_); }

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
  while (!half.tunes.empty() && half.tunes.front().after == half.left && !half.changes()) {
    const NodeId mask = half.tunes.front().mask;
    const bool first = half.mask == 0;
    const bool changes = half.mask != mask || setting().machine.plane.scope == PlaneScope::plane;
    if (!first && changes) {
      context_.plane_times.begins(node_, PlaneTimes::changes, now());
      return planes_[plane]->ask(node_);
    }
    finish_tune(half);
    if (first) planes_[plane]->begin(node_, mask);
  }
}

void MessageLibrary::finish_tune(PlaneHalf<Request>& half) {
  half.dark = false;
  Request& request = *half.tunes.front().asked;
  half.tunes.erase(half.tunes.begin());
  complete_part(request, now());
}

/// A circuit has left the port; its tail was driven one edge ago.
void MessageLibrary::left_plane(const Outgoing& circuit) {
  const Machine& machine = setting().machine;
  const Cycles phits = machine.phit_cycles().floor_of(machine.phits(circuit.envelope.bytes) - 1) + 1;
  context_.plane_times.moves(node_, now() - phits, now(), 0);
  ++half(circuit.request->operation->port).left;
}

/// Rule 14.6: what a port can do at this edge: complete a tune, begin the next ones, and let sends go.
std::vector<Request*> MessageLibrary::serve_plane(unsigned plane) {
  Half& half = this->half(plane);
  if (half.dark && half.up <= now()) {
    context_.plane_times.ends(node_, PlaneTimes::changes, now());
    finish_tune(half);
  }
  begin_tunes(plane);
  std::vector<Request*> sends;
  std::erase_if(half.waiting, [&](const Half::Waiting& waiting) {
    if (!admits(*waiting.send)) return false;
    context_.plane_times.ends(node_, PlaneTimes::waits, now());
    waiting.send->issued_at = now();
    sends.push_back(waiting.send);
    return true;
  });
  return sends;
}

/// Rules 8.2 and 14.3: sends whose link comes up, or whose tune is complete, enter their ports in order of issue.
void MessageLibrary::serve_planes() {
  std::vector<Request*> sends;
  for (unsigned plane = 0; plane < planes_.size(); ++plane) {
    const std::vector<Request*> own = serve_plane(plane);
    sends.insert(sends.end(), own.begin(), own.end());
  }
  std::sort(sends.begin(), sends.end(), [](const Request* a, const Request* b) { return a->number < b->number; });
  for (Request* const send : sends) enter(*send);
}

void MessageLibrary::link_is_up(unsigned plane) {
  for (Request* const send : serve_plane(plane)) issued_.push_back(send);
  requested_.notify(sc_core::SC_ZERO_TIME);
}

std::optional<WaitingNode> MessageLibrary::waiting_for_plane() const {
  return waiting_for_planes(node_, static_cast<unsigned>(planes_.size()), setting().machine.plane.scope,
                            [this](NodeId node, unsigned plane) -> const Half& { return planes_[plane]->half(node); });
}

}  // namespace ecube::clocked
