// SPDX-License-Identifier: Apache-2.0
// Port of a network interface of a circuit-switched machine (hw/README.md sections 3 and 4).
#pragma once

#include "hw/clocked/port_module.h"

namespace ecube::clocked {

struct InterfacePortState {
  enum class Sending : std::uint8_t {
    idle,
    probing,  ///< waits for the acknowledge, and on fixed-distance machines for the end of the set-up time
    moving    ///< phits, until the tail
  };
  Sending sending = Sending::idle;
  bool acknowledged = false;
  Cycles since_probe = 0;  ///< edges since the probe was driven, the next one counted
  Cycles padding = 0;      ///< the first phit leaves no earlier than so many edges after the probe
  std::uint64_t phits_left = 0;
  Cycles until_phit = 0;   ///< edges until the next phit is driven
  Cycles fraction = 0;     ///< numerator of the fraction that floor(j c) has cut off so far
  Cycles since_first = 0;  ///< edges since T0, no further than needed
  std::uint16_t sent_phits = 0;
  Wire drive{};

  enum class Receiving : std::uint8_t {
    idle,
    waiting,    ///< for own sends to end, or for a receive engine
    accepting,  ///< counts A
    moving      ///< phits, until the tail
  };
  Receiving receiving = Receiving::idle;
  PortMask serialised = 0;  ///< own sends that have to end before acceptance
  bool engine = false;      ///< a receive engine has been given
  Cycles until_acknowledge = 0;
  std::uint16_t received_phits = 0;  ///< modulo 2^16
  bool begun = false;                ///< the first phit has come
  Wire probe{};
  bool acknowledge = false;  ///< driven

  // What happened at the last edge.
  bool sent_first = false;
  bool sent_tail = false;
  bool probe_seen = false;
  bool received_first = false;
  bool received_tail = false;

  const char* broken = nullptr;  ///< the sentence of the specification that the last edge contradicted
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

/// True when the port reports an event of the last edge, or a probe waits to be accepted.
[[nodiscard]] bool reports(const InterfacePortState& state);

/// True when the next edge changes a register even if nothing comes in.
[[nodiscard]] bool moving(const InterfacePortState& state);

/// ecube_interface_port.sv has the same pins.
class InterfacePort : public PortModule<CircuitPortPins, InterfacePortState, InterfacePortParameters> {
 public:
  InterfacePort(const sc_core::sc_module_name& name, NodeId node, unsigned number, const Shape& shape)
      : PortModule(name, node, number, shape.ports), shape_(shape) {}

 protected:
  [[nodiscard]] InterfacePortState after(const InterfacePortState& now, const PortWires& wires,
                                         const InterfacePortParameters& parameters) const override {
    return next(now, wires, parameters);
  }
  [[nodiscard]] InterfacePortParameters read_parameters() const override;
  void read_own_pins(PortWires& wires) const override;
  void drive_own_pins(bool reports) override;

 private:
  Shape shape_;
};

}  // namespace ecube::clocked
