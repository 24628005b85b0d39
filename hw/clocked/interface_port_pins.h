// SPDX-License-Identifier: Apache-2.0
// The socket of an interface port: the pins that every port has, in SystemC or SystemVerilog.
#pragma once

#include <systemc>

#include "hw/clocked/shape.h"
#include "hw/clocked/wires/wire.h"

namespace ecube::clocked {

/// One inject port and one eject port of a network interface.
class InterfacePortPins : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_i{"rst_i"};
  // Constant in a run.
  sc_core::sc_in<Cycles> phit_cycles_i{"phit_cycles_i"};    ///< whole cycles from one phit to the next
  sc_core::sc_in<Cycles> accept_delay_i{"accept_delay_i"};  ///< A >= 1

  // From the message library: the circuit to be sent. The probe is driven while `start_i` is up, one cycle, which
  // begins at the edge of the probe.
  sc_core::sc_in<bool> start_i{"start_i"};
  sc_core::sc_in<RouteWord> route_i{"route_i"};            ///< the whole route
  sc_core::sc_in<std::uint16_t> sequence_i{"sequence_i"};  ///< number of the circuit among those of this port
  sc_core::sc_in<std::uint64_t> phits_i{"phits_i"};        ///< n >= 1

  sc_core::sc_out<Wire> wire_o{"wire_o"};  ///< to the router's input of this inject port
  sc_core::sc_in<bool> acknowledge_i{"acknowledge_i"};
  sc_core::sc_in<Wire> wire_i{"wire_i"};  ///< from the router's output of this eject port
  sc_core::sc_out<bool> acknowledge_o{"acknowledge_o"};
  sc_core::sc_in<bool> engine_i{"engine_i"};  ///< a probe that is here or arrives at this edge has a receive engine

  // To the message library and the monitor: what happened at the last edge.
  sc_core::sc_out<bool> sent_first_o{"sent_first_o"};
  sc_core::sc_out<bool> sent_tail_o{"sent_tail_o"};
  sc_core::sc_out<bool> sent_o{"sent_o"};  ///< another circuit can be started at the next edge
  sc_core::sc_out<bool> probe_seen_o{"probe_seen_o"};
  sc_core::sc_out<bool> accepted_o{"accepted_o"};  ///< the acknowledge was driven, or a worm's probe taken
  sc_core::sc_out<bool> received_first_o{"received_first_o"};
  sc_core::sc_out<bool> received_tail_o{"received_tail_o"};
  sc_core::sc_out<Wire> probe_o{"probe_o"};    ///< the probe seen last, whose phits are received
  sc_core::sc_out<bool> report_o{"report_o"};  ///< one of these events happened, or a probe waits
  sc_core::sc_out<bool> moving_o{"moving_o"};  ///< the next edge changes something though nothing comes in

  [[nodiscard]] const char* kind() const override { return "interface_port"; }

 protected:
  InterfacePortPins(const sc_core::sc_module_name& name, NodeId node, unsigned number)
      : sc_core::sc_module(name), node_(static_cast<Label>(node)), number_(static_cast<std::uint8_t>(number)) {}

  /// The probe that the message library asks for.
  [[nodiscard]] Wire probe_to_send() const {
    return {.kind = WireKind::probe,
            .port = number_,
            .source = node_,
            .route = route_i.read(),
            .sequence = sequence_i.read()};
  }
  [[nodiscard]] Label node() const { return node_; }

 private:
  Label node_;
  std::uint8_t number_;
};

class CircuitPortPins : public InterfacePortPins {
 public:
  // Constant in a run.
  sc_core::sc_in<Cycles> phit_extra_num_i{"phit_extra_num_i"};  ///< the fraction of c beyond whole cycles, < den
  sc_core::sc_in<Cycles> phit_extra_den_i{"phit_extra_den_i"};
  sc_core::sc_in<Cycles> setup_i{"setup_i"};                ///< F of a fixed-distance machine, otherwise 0
  sc_core::sc_in<bool> together_only_i{"together_only_i"};  ///< network.duplex = together
  sc_core::sc_in<Cycles> together_i{"together_i"};

  // The ports of this node, itself included.
  sc_core::sc_vector<sc_core::sc_in<bool>> sending_ports_i;
  sc_core::sc_vector<sc_core::sc_in<bool>> late_ports_i;
  sc_core::sc_out<bool> sending_o{"sending_o"};        ///< the port sends phits; the tail is still to come
  sc_core::sc_out<bool> late_o{"late_o"};              ///< it has sent for so long that an arriving circuit waits
  sc_core::sc_out<bool> serialised_o{"serialised_o"};  ///< a probe waits for this node's own sends

 protected:
  CircuitPortPins(const sc_core::sc_module_name& name, NodeId node, unsigned number, unsigned ports)
      : InterfacePortPins(name, node, number),
        sending_ports_i("sending_ports_i", ports),
        late_ports_i("late_ports_i", ports) {}
};

}  // namespace ecube::clocked
