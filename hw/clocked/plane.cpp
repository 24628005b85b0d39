// SPDX-License-Identifier: Apache-2.0
// Who closes, when links come up, and what wires carry.
#include "hw/clocked/plane.h"

#include <algorithm>

#include "hw/clocked/monitor.h"

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

Plane::Plane(const sc_core::sc_module_name& name, unsigned number, const LibraryContext& context, WireBank& wires)
    : sc_core::sc_module(name),
      context_(context),
      arriving("arriving", context.setting.topology.nodes(),
               [&wires](const char* link, std::size_t /*node*/) { return new Link(link, wires); }),
      number_(number) {
  SC_HAS_PROCESS(Plane);
  SC_METHOD(clock_edge);
  sensitive << clk.posedge_event();
  dont_initialize();
  SC_METHOD(carry);
  sensitive << switched_;
  for (NodeId node = 0; node < arriving.size(); ++node) sensitive << wire_i[node] << arriving[node].acknowledge;
}

void Plane::reset() {
  halves_.assign(arriving.size(), {});
  wired_.assign(arriving.size(), 0);
  next_edge_ = never;
}

void Plane::begin(NodeId node, NodeId mask) {
  halves_[node].mask = mask;
  halves_[node].ready = now();
  join(node);
  next_edge_ = std::min(next_edge_, now() + 1);
}

void Plane::ask(NodeId node, NodeId mask) {
  halves_[node].ask(mask, now());
  context_.monitor.plane_times().asked(node, number_, halves_[node]);
  next_edge_ = std::min(next_edge_, now() + 1);
}

/// Rule 14.5.
void Plane::clock_edge() {
  const std::vector<NodeId> closing = closing_halves(halves_, context_.setting.machine.plane.scope, now());
  const bool changes = std::any_of(closing.begin(), closing.end(),
                                   [this](NodeId node) { return halves_[node].wanted != halves_[node].mask; });
  for (const NodeId node : closing) {
    halves_[node].changes_mask = changes;
    halves_[node].close(now(), context_.setting.machine.plane.retune_cycles);
    context_.monitor.plane_times().closed(node, number_, halves_[node]);
  }
  for (const NodeId node : closing) join(node);
  switch_wires();
}

/// Rule 14.5: if two ends are tuned to each other, the link comes up when neither is dark any more.
void Plane::join(NodeId node) {
  const NodeId other = node ^ halves_[node].mask;
  if (halves_[other].mask != halves_[node].mask || halves_[node].up != never) return;
  const Cycles up = std::max(halves_[node].ready, halves_[other].ready);
  for (const NodeId each : {node, other}) {
    halves_[each].up = up;
    context_.monitor.plane_times().changed(each, number_, halves_[each]);
    context_.told.insert(each);
  }
  if (up > now()) return;
  for (const NodeId each : {node, other}) context_.libraries[each]->link_is_up(number_);
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
    arriving[node].wire.write(up ? wire_i[other].read() : Wire{});
    acknowledge_o[node].write(up && arriving[other].acknowledge.read());
  }
}

}  // namespace ecube::clocked
