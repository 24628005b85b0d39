// SPDX-License-Identifier: Apache-2.0
// The order in which ports are given receive engines.
#include "hw/clocked/receive_engines.h"

#include <algorithm>
#include <bit>

namespace ecube::clocked {

namespace {

/// Rule 4.8: all waiting ports in order; those whose probe arrives now come last.
ReceiveEnginesState with_coming(const ReceiveEnginesState& state, const ReceiveEnginesWires& wires) {
  ReceiveEnginesState all = state;
  all.taken -= static_cast<unsigned>(std::popcount(wires.tails));
  for (unsigned probes = wires.probes; probes != 0; probes &= probes - 1) {
    all.waiting[all.waiters++] = static_cast<std::uint8_t>(std::countr_zero(probes));
  }
  return all;
}

unsigned count_given(const ReceiveEnginesState& all, unsigned engines) {
  return std::min(all.waiters, engines - std::min(all.taken, engines));
}

}  // namespace

PortMask given(const ReceiveEnginesState& state, const ReceiveEnginesWires& wires, unsigned engines) {
  const ReceiveEnginesState all = with_coming(state, wires);
  unsigned ports = 0;
  for (unsigned i = 0; i < count_given(all, engines); ++i) ports |= 1U << all.waiting[i];
  return static_cast<PortMask>(ports);
}

/// Rule 4.8.
ReceiveEnginesState next(const ReceiveEnginesState& now, const ReceiveEnginesWires& wires, unsigned engines) {
  const ReceiveEnginesState all = with_coming(now, wires);
  const unsigned first = count_given(all, engines);
  ReceiveEnginesState after;
  after.taken = all.taken + first;
  for (unsigned i = first; i < all.waiters; ++i) after.waiting[after.waiters++] = all.waiting[i];
  return after;
}

ReceiveEngines::ReceiveEngines(const sc_core::sc_module_name& name, unsigned ports)
    : sc_core::sc_module(name),
      wire_i("wire_i", ports),
      received_tail_i("received_tail_i", ports),
      engine_o("engine_o", ports) {
  SC_HAS_PROCESS(ReceiveEngines);
  SC_METHOD(act);
  sensitive << clk_i.pos();
  for (unsigned p = 0; p < ports; ++p) sensitive << wire_i[p] << received_tail_i[p];
  dont_initialize();
}

ReceiveEnginesWires ReceiveEngines::read_pins() const {
  ReceiveEnginesWires wires;
  for (unsigned p = 0; p < wire_i.size(); ++p) {
    if (wire_i[p].read().kind == WireKind::probe) wires.probes |= static_cast<PortMask>(1U << p);
    if (received_tail_i[p].read()) wires.tails |= static_cast<PortMask>(1U << p);
  }
  return wires;
}

void ReceiveEngines::act() {
  const ReceiveEnginesWires wires = read_pins();
  const unsigned engines = engines_i.read();
  if (clk_i.posedge()) {
    // Probes from before the edge have been dealt with; probes after it start this process again.
    state_ = rst_i.read() ? ReceiveEnginesState{} : next(state_, wires, engines);
    for (unsigned p = 0; p < engine_o.size(); ++p) engine_o[p].write(false);
    PortMask waiting = 0;
    for (unsigned i = 0; i < state_.waiters; ++i) waiting |= static_cast<PortMask>(1U << state_.waiting[i]);
    waiting_o.write(waiting);
    return;
  }
  const PortMask ports = given(state_, wires, engines);
  for (unsigned p = 0; p < engine_o.size(); ++p) engine_o[p].write((ports >> p & 1U) != 0);
}

}  // namespace ecube::clocked
