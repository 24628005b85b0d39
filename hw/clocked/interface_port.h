// SPDX-License-Identifier: Apache-2.0
// Port of a network interface of a circuit-switched machine (hw/README.md sections 3 and 4).
#pragma once

#include "hw/clocked/port_module.h"

namespace ecube::clocked {

struct InterfacePortState : PortState {
  bool acknowledged = false;
  Cycles since_probe = 0;   ///< edges since the probe was driven, the next one counted
  Cycles padding = 0;       ///< the first phit leaves no earlier than so many edges after the probe
  Cycles until_phit = 0;    ///< edges until the next phit is driven
  Cycles fraction = 0;      ///< numerator of the fraction that floor(j c) has cut off so far
  Cycles since_first = 0;   ///< edges since T0, no further than needed
  PortMask serialised = 0;  ///< own sends that have to end before acceptance
  bool engine = false;      ///< a receive engine has been given
};

/// The constants of a run; names as in hw/README.md section 1.
struct InterfacePortParameters {
  Cycles phit_cycles = 1;  ///< c = phit_cycles + extra_num / extra_den
  Cycles extra_num = 0;
  Cycles extra_den = 1;
  Cycles accept_delay = 1;  ///< A
  Cycles setup = 0;         ///< F, or 0
  bool together_only = false;
  Cycles together = 0;
};

/// The registers after an edge.
[[nodiscard]] InterfacePortState next(const InterfacePortState& now, const PortWires& wires,
                                      const InterfacePortParameters& parameters);

/// True when, for a reason that only a port for circuits has, the next edge changes a register even if nothing comes
/// in.
[[nodiscard]] bool moving(const InterfacePortState& state);

/// ecube_interface_port.sv has the same pins.
class InterfacePort : public PortModule<CircuitPortPins, InterfacePortState, InterfacePortParameters> {
 public:
  InterfacePort(const sc_core::sc_module_name& name, NodeId node, unsigned number, const Shape& shape)
      : PortModule(name, node, number, shape.ports), shape_(shape) {}

 protected:
  [[nodiscard]] InterfacePortParameters read_parameters() const override;
  void read_own_pins(PortWires& wires) const override;
  void drive_own_pins(bool reports) override;

 private:
  Shape shape_;
};

}  // namespace ecube::clocked
