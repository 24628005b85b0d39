// SPDX-License-Identifier: Apache-2.0
// The order in which ports are given receive engines.
#include "hw/clocked/receive_engines.h"

#include <algorithm>
#include <bit>

namespace ecube::clocked {

/// Rule 4.8: of all waiting ports in order, those whose probe arrives now last, as many get an engine as are free.
ReceiveEnginesState next(const ReceiveEnginesState& now, const ReceiveEnginesWires& wires, unsigned engines) {
  ReceiveEnginesState all = now;
  all.taken -= static_cast<unsigned>(std::popcount(wires.tails));
  for (unsigned probes = wires.probes; probes != 0; probes &= probes - 1) {
    all.waiting[all.waiters++] = static_cast<std::uint8_t>(std::countr_zero(probes));
  }
  const unsigned first = std::min(all.waiters, engines - std::min(all.taken, engines));
  ReceiveEnginesState after;
  after.taken = all.taken + first;
  for (unsigned i = 0; i < first; ++i) after.given |= static_cast<PortMask>(1U << all.waiting[i]);
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

void ReceiveEngines::act() {
  ReceiveEnginesWires wires;
  for (unsigned p = 0; p < wire_i.size(); ++p) {
    if (wire_i[p].read().kind == WireKind::probe) wires.probes |= static_cast<PortMask>(1U << p);
    if (received_tail_i[p].read()) wires.tails |= static_cast<PortMask>(1U << p);
  }
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
  const PortMask ports = next(state_, wires, engines).given;
  for (unsigned p = 0; p < engine_o.size(); ++p) engine_o[p].write((ports >> p & 1U) != 0);
}

}  // namespace ecube::clocked
