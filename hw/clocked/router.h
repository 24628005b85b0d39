// SPDX-License-Identifier: Apache-2.0
// Router of a circuit-switched machine (hw/README.md section 2): registers, their next value, and the module.
#pragma once

#include "hw/clocked/router_module.h"

namespace ecube::clocked {

struct RouterState {
  enum class Input : std::uint8_t { idle, seeking, held };
  struct In {
    Input state = Input::idle;
    Wire probe{};
    Cycles delay = 0;  ///< seeking: cycles until the probe asks, 1 once it does
  };
  Lines<In> in;
  Lines<RouterOutput> out;
  LineMask back = 0;  ///< inputs whose acknowledge is driven
  RouterEvents events;

  RouterState() : RouterState(max_lines) {}
  explicit RouterState(unsigned lines) : in(lines), out(lines), events(lines) {}
};

/// The registers after an edge; `route_delay` is r.
[[nodiscard]] RouterState next(const RouterState& now, const RouterWires& wires, const Shape& shape,
                               Cycles route_delay);

/// True when the next edge changes a register even if nothing comes in.
[[nodiscard]] bool moving(const RouterState& state, const Shape& shape);

/// ecube_router.sv has the same pins.
class Router : public RouterModule<RouterPins, RouterState> {
 public:
  using RouterModule::RouterModule;

 protected:
  [[nodiscard]] RouterState after(const RouterState& now, const RouterWires& wires) const override {
    return next(now, wires, shape(), route_delay_i.read());
  }
};

}  // namespace ecube::clocked
