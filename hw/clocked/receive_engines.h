// SPDX-License-Identifier: Apache-2.0
// The receive engines that the ports of a node share (hw/README.md section 4, K engines).
#pragma once

#include <array>
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

/// The registers after an edge.
[[nodiscard]] ReceiveEnginesState next(const ReceiveEnginesState& now, const ReceiveEnginesWires& wires,
                                       unsigned engines);

class ReceiveEngines final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_i{"rst_i"};
  sc_core::sc_in<std::uint32_t> engines_i{"engines_i"};  ///< K, constant in a run
  sc_core::sc_vector<sc_core::sc_in<Wire>> wire_i;       ///< [eject port], as the port itself sees it
  sc_core::sc_vector<sc_core::sc_in<bool>> received_tail_i;
  sc_core::sc_vector<sc_core::sc_out<bool>> engine_o;  ///< to the port, before the edge at which it has the engine

  sc_core::sc_out<PortMask> waiting_o{"waiting_o"};  ///< for the monitor: ports whose probe has no engine

  ReceiveEngines(const sc_core::sc_module_name& name, unsigned ports);
  [[nodiscard]] const char* kind() const override { return "receive_engines"; }

 private:
  void act();

  ReceiveEnginesState state_;
};

}  // namespace ecube::clocked
