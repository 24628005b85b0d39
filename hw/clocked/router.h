// SPDX-License-Identifier: Apache-2.0
// Router of a circuit-switched machine (hw/README.md section 2): registers, their next value, and the module.
#pragma once

#include "hw/clocked/router_pins.h"
#include "hw/clocked/routing.h"

namespace ecube::clocked {

/// All registers of a router.
struct RouterState {
  enum class Input : std::uint8_t { idle, seeking, held };
  struct In {
    Input state = Input::idle;
    Wire probe{};
    Cycles delay = 0;  ///< seeking: cycles until the probe asks, 1 once it does
  };
  struct Out {
    std::uint8_t owner = nobody;  ///< the input whose circuit has the output
    std::uint8_t pointer = 0;     ///< the input that arbitration looks at first
    bool acknowledge = false;     ///< driven back along the input of the same number
    Wire drive{};
  };
  Lines<In> in{};
  Lines<Out> out{};

  // What happened at the last edge.
  LineMask granted = 0;      ///< outputs that were given to a circuit
  LineMask released = 0;     ///< outputs whose owner's tail was processed
  LineMask refused = 0;      ///< inputs that asked and were refused
  Lines<LineMask> asking{};  ///< [input] the output that its probe asks for, if it was refused

  const char* broken = nullptr;  ///< the sentence of the specification that the last edge contradicted
};

/// The values that the neighbours and the interface drove before an edge.
struct RouterWires {
  Lines<Wire> wire{};         ///< [input]
  Lines<bool> acknowledge{};  ///< [output]
};

/// The registers after an edge; `route_delay` is r.
[[nodiscard]] RouterState next(const RouterState& now, const RouterWires& wires, const Shape& shape,
                               Cycles route_delay);

/// True when the next edge changes a register even if nothing comes in.
[[nodiscard]] bool moving(const RouterState& state, const Shape& shape);

/// ecube_router.sv has the same pins.
class Router : public RouterPins {
 public:
  Router(const sc_core::sc_module_name& name, const Shape& shape);

 protected:
  /// Calls next(). A different design overrides this.
  [[nodiscard]] virtual RouterState after(const RouterState& now, const RouterWires& wires) const;

 private:
  void clock_edge();

  RouterState state_;
};

}  // namespace ecube::clocked
