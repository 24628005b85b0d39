// SPDX-License-Identifier: Apache-2.0
// The socket of a router: the pins that every router has, in SystemC or SystemVerilog.
#pragma once

#include <systemc>

#include "hw/clocked/lines.h"
#include "hw/clocked/wires/wire.h"

namespace ecube::clocked {

/// Inputs and outputs are numbered alike: the dimensions, then the node's ports.
class RouterPins : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_i{"rst_i"};
  sc_core::sc_in<Cycles> route_delay_i{"route_delay_i"};  ///< r >= 1, constant in a run
  sc_core::sc_vector<sc_core::sc_in<Wire>> wire_i;
  sc_core::sc_vector<sc_core::sc_out<bool>> acknowledge_o;  ///< back along wire_i; of worms, the stop
  sc_core::sc_vector<sc_core::sc_out<Wire>> wire_o;
  sc_core::sc_vector<sc_core::sc_in<bool>> acknowledge_i;  ///< back along wire_o

  // For the monitor: what happened at the last edge.
  sc_core::sc_out<LineMask> granted_o{"granted_o"};    ///< outputs that were given to a circuit
  sc_core::sc_out<LineMask> released_o{"released_o"};  ///< outputs whose owner's tail was processed
  sc_core::sc_out<LineMask> refused_o{"refused_o"};    ///< inputs that asked and were refused
  sc_core::sc_out<LineMatrix> owners_o{"owners_o"};    ///< [output] the input that owns the output, if it was granted
  sc_core::sc_out<LineMatrix> asking_o{"asking_o"};  ///< [input] the output that its probe asked for, if it was refused
  sc_core::sc_out<bool> moving_o{"moving_o"};        ///< the next edge changes something though nothing comes in

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const char* kind() const override { return "router"; }

 protected:
  RouterPins(const sc_core::sc_module_name& name, const Shape& shape)
      : sc_core::sc_module(name),
        wire_i("wire_i", shape.lines()),
        acknowledge_o("acknowledge_o", shape.lines()),
        wire_o("wire_o", shape.lines()),
        acknowledge_i("acknowledge_i", shape.lines()),
        shape_(shape) {}

 private:
  Shape shape_;
};

class WormRouterPins : public RouterPins {
 public:
  sc_core::sc_in<Cycles> phit_cycles_i{"phit_cycles_i"};  ///< c >= 2, constant in a run

 protected:
  using RouterPins::RouterPins;
};

}  // namespace ecube::clocked
