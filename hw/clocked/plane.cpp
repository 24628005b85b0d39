// SPDX-License-Identifier: Apache-2.0
// Who closes, when links come up, and what wires carry.
#include "hw/clocked/plane.h"

#include <algorithm>

#include "hw/clocked/library/message_library.h"

namespace ecube::clocked {

std::vector<NodeId> closing_ends(const std::vector<PlaneEnd>& ends, PlaneScope scope) {
  std::vector<NodeId> closing;
  const auto latched = [](const PlaneEnd& end) { return end.latched; };
  const auto changes = [](const PlaneEnd& end) { return end.asked != end.mask; };
  if (scope == PlaneScope::plane &&
      (!std::all_of(ends.begin(), ends.end(), latched) || std::none_of(ends.begin(), ends.end(), changes))) {
    return closing;
  }
  for (NodeId node = 0; node < ends.size(); ++node) {
    const PlaneEnd& own = ends[node];
    if (!own.latched) continue;
    const PlaneEnd& other = ends[node ^ own.mask];
    if (scope == PlaneScope::plane || other.mask != own.mask || other.latched) closing.push_back(node);
  }
  return closing;
}

Plane::Plane(const sc_core::sc_module_name& name, unsigned number, const Setting& setting, NodeSet& told,
             PlaneTimes& times)
    : sc_core::sc_module(name),
      wire_i("wire_i", setting.topology.nodes()),
      acknowledge_o("acknowledge_o", setting.topology.nodes()),
      wire_o("wire_o", setting.topology.nodes()),
      acknowledge_i("acknowledge_i", setting.topology.nodes()),
      number_(number),
      setting_(setting),
      told_(told),
      times_(times) {
  SC_HAS_PROCESS(Plane);
  SC_METHOD(clock_edge);
  sensitive << clk.posedge_event();
  dont_initialize();
  SC_METHOD(carry);
  sensitive << switched_;
  for (NodeId node = 0; node < setting.topology.nodes(); ++node) sensitive << wire_i[node] << acknowledge_i[node];
}

void Plane::reset(const std::vector<MessageLibrary*>& libraries) {
  libraries_ = &libraries;
  ends_.assign(libraries.size(), {});
  wired_.assign(libraries.size(), 0);
  next_edge_ = never;
}

void Plane::begin(NodeId node, NodeId mask) {
  ends_[node].mask = mask;
  ends_[node].ready = now();
  join(node);
  // The wires are switched in the half of the cycle in which nothing is driven; nothing has crossed them before.
  next_edge_ = std::min(next_edge_, now() + 1);
}

void Plane::ask(NodeId node, NodeId mask) {
  ends_[node].asked = mask;
  ends_[node].asked_at = now();
  next_edge_ = std::min(next_edge_, now() + 1);
}

void Plane::clock_edge() {
  for (PlaneEnd& end : ends_) end.latched = end.asked != 0 && end.asked_at < now();
  const PlaneScope scope = setting_.machine.plane.scope;
  const std::vector<NodeId> closing = closing_ends(ends_, scope);
  const bool all = std::all_of(ends_.begin(), ends_.end(), [](const PlaneEnd& end) { return end.latched; });
  if (scope == PlaneScope::plane && all && closing.empty()) {
    for (NodeId node = 0; node < ends_.size(); ++node) {
      ends_[node].asked = 0;
      ends_[node].latched = false;
      (*libraries_)[node]->tuned(number_, now() + 1);
      told_.insert(node);
    }
  }
  for (const NodeId node : closing) close(node);
  for (const NodeId node : closing) join(node);
  switch_wires();
}

/// Rule 14.5.
void Plane::close(NodeId node) {
  PlaneEnd& end = ends_[node];
  end = {.mask = end.asked,
         .dark = true,
         .asked_at = end.asked_at,
         .closed_at = now(),
         .ready = now() + setting_.machine.plane.retune_cycles};
}

/// Rule 14.5: two ends that are tuned to each other: the link comes up when neither is dark any more.
void Plane::join(NodeId node) {
  const NodeId other = node ^ ends_[node].mask;
  if (ends_[other].mask != ends_[node].mask || ends_[node].joined) return;
  const Cycles up = std::max(ends_[node].ready, ends_[other].ready);
  for (const NodeId each : {node, other}) {
    PlaneEnd& end = ends_[each];
    end.joined = true;
    MessageLibrary& library = *(*libraries_)[each];
    library.link_comes_up(number_, up);
    if (std::exchange(end.dark, false)) {
      times_.changed(each, end.asked_at, end.closed_at, up);
      library.tuned(number_, up);
    }
    told_.insert(each);
  }
}

// --- Wires ---------------------------------------------------------------------------------------------------------

/// Wires follow the ends an edge late: the tail that left a port at the edge before the end closed is on them until
/// the next edge, and the first probe comes by a link two edges after it is up, or later.
void Plane::switch_wires() {
  next_edge_ = never;
  for (NodeId node = 0; node < ends_.size(); ++node) {
    const PlaneEnd& end = ends_[node];
    const Cycles up = std::max(end.ready, ends_[node ^ end.mask].ready);
    const bool carries = end.joined && up <= now();
    const NodeId wiring = carries ? end.mask : 0;
    if (end.closed_at == now() && end.closed_at != 0) {
      next_edge_ = now() + 1;  // the tail
      continue;
    }
    wired_[node] = wiring;
    if (end.joined && up > now()) next_edge_ = std::min(next_edge_, up);
    if (end.asked != 0 && !end.latched) next_edge_ = std::min(next_edge_, now() + 1);
  }
  switched_.notify(sc_core::SC_ZERO_TIME);
}

/// Rule 14.1.
void Plane::carry() {
  for (NodeId node = 0; node < wired_.size(); ++node) {
    const NodeId other = node ^ wired_[node];
    const bool up = wired_[node] != 0;
    wire_o[node].write(up ? wire_i[other].read() : Wire{});
    acknowledge_o[node].write(up && acknowledge_i[other].read());
  }
}

}  // namespace ecube::clocked
