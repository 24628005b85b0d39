// SPDX-License-Identifier: Apache-2.0
// The receive engines that the ports of a node share (hw/README.md section 4, K engines).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <systemc>

#include "hw/clocked/interface_port_pins.h"
#include "hw/clocked/shape.h"

namespace ecube::clocked {

/// The engines taken, and the ports that wait for one.
struct ReceiveEnginesState {
  unsigned taken = 0;
  std::array<std::uint8_t, max_ports> waiting{};  ///< eject ports whose probe has no engine, in order of arrival
  unsigned waiters = 0;
  PortMask given = 0;  ///< ports that got an engine: in order of arrival, ties by number
};

/// The inputs of the engines before an edge.
struct ReceiveEnginesWires {
  PortMask probes = 0;  ///< ports at which a probe arrives at this edge
  PortMask tails = 0;   ///< ports that receive their tail at this edge
};

/// Rule 4.8: the registers after an edge. Of all waiting ports in order, those whose probe arrives now last, as many
/// get an engine as are free.
[[nodiscard]] inline ReceiveEnginesState next(const ReceiveEnginesState& now, const ReceiveEnginesWires& wires,
                                              unsigned engines) {
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

class ReceiveEngines final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_i{"rst_i"};
  sc_core::sc_in<std::uint32_t> engines_i{"engines_i"};  ///< K, constant in a run
  sc_core::sc_vector<sc_core::sc_in<Wire>> wire_i;       ///< [eject port], as the port itself sees it
  sc_core::sc_vector<sc_core::sc_in<bool>> received_tail_i;
  sc_core::sc_vector<sc_core::sc_out<bool>> engine_o;  ///< to the port, before the edge at which it has the engine

  sc_core::sc_out<PortMask> waiting_o{"waiting_o"};  ///< for the monitor: ports whose probe has no engine

  ReceiveEngines(const sc_core::sc_module_name& name, unsigned ports)
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
  [[nodiscard]] const char* kind() const override { return "receive_engines"; }

 private:
  void act() {
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

  ReceiveEnginesState state_;
};

}  // namespace ecube::clocked
