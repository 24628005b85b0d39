// SPDX-License-Identifier: Apache-2.0
// Who closes, when links come up, and what wires carry.
#include "hw/clocked/plane.h"

#include <algorithm>

#include "hw/clocked/library/message_library.h"

namespace ecube::clocked {

std::vector<NodeId> closing_halves(const std::vector<Half>& halves, PlaneScope scope, Cycles now) {
  const auto latched = [now](const Half& half) { return half.wanted != 0 && half.asked_at < now; };
  const bool all = std::all_of(halves.begin(), halves.end(), latched);
  std::vector<NodeId> closing;
  for (NodeId node = 0; node < halves.size(); ++node) {
    const Half& own = halves[node];
    if (!latched(own)) continue;
    const Half& other = halves[node ^ own.mask];
    if (scope == PlaneScope::plane ? all : other.mask != own.mask || latched(other)) closing.push_back(node);
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
  halves_.assign(libraries.size(), {});
  wired_.assign(libraries.size(), 0);
  next_edge_ = never;
}

void Plane::begin(NodeId node, NodeId mask) {
  halves_[node].mask = mask;
  halves_[node].ready = now();
  join(node, true);
  next_edge_ = std::min(next_edge_, now() + 1);
}

void Plane::ask(NodeId node) {
  halves_[node].ask(now());
  next_edge_ = std::min(next_edge_, now() + 1);
}

/// Rule 14.5.
void Plane::clock_edge() {
  const std::vector<NodeId> closing = closing_halves(halves_, setting_.machine.plane.scope, now());
  const bool changes = std::any_of(closing.begin(), closing.end(),
                                   [this](NodeId node) { return halves_[node].wanted != halves_[node].mask; });
  const Cycles dark = changes ? setting_.machine.plane.retune_cycles : 1;
  for (const NodeId node : closing) halves_[node].close(now(), dark);
  for (const NodeId node : closing) join(node, changes);
  switch_wires();
}

/// Rule 14.5: if two ends are tuned to each other, the link comes up when neither is dark any more.
void Plane::join(NodeId node, bool counts) {
  const NodeId other = node ^ halves_[node].mask;
  if (halves_[other].mask != halves_[node].mask || halves_[node].up != never) return;
  const Cycles up = std::max(halves_[node].ready, halves_[other].ready);
  for (const NodeId each : {node, other}) {
    halves_[each].up = up;
    if (halves_[each].dark && counts) times_.changed(halves_[each]);
    told_.insert(each);
  }
  if (up > now()) return;
  for (const NodeId each : {node, other}) (*libraries_)[each]->link_is_up(number_);
}

// --- Wires ---------------------------------------------------------------------------------------------------------

/// Wires follow the halves an edge late: the tail that left a port at the edge before its half closed is on them until
/// the next edge, and the first probe comes by a link two edges after it is up, or later.
void Plane::switch_wires() {
  next_edge_ = never;
  for (NodeId node = 0; node < halves_.size(); ++node) {
    const Half& half = halves_[node];
    const bool closes = half.dark && half.closed_at == now();
    if (closes || (half.wanted != 0 && half.asked_at == now())) next_edge_ = now() + 1;
    if (half.up > now()) next_edge_ = std::min(next_edge_, half.up);
    if (!closes) wired_[node] = half.up <= now() ? half.mask : 0;
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
