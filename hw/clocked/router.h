// SPDX-License-Identifier: Apache-2.0
// Router of a circuit-switched machine (hw/README.md section 2): registers, their next value, and the module.
#pragma once

#include "hw/clocked/router_module.h"

namespace ecube::clocked {

struct RouterState {
  /// A probe that has come in.
  struct Probe {
    Wire word{};
    Cycles delay = 0;  ///< cycles until the probe asks, 1 once it does
  };
  LineMask back = 0;     ///< inputs whose acknowledge is driven
  LineMask seeking = 0;  ///< inputs with a probe that has not been granted
  LineMask held = 0;     ///< inputs whose circuit has an output
  Lines<RouterOutput> out;
  Lines<Probe> probe;  ///< [input] that seeks
  RouterEvents events;

  RouterState() : RouterState(max_lines) {}
  explicit RouterState(unsigned lines) : out(lines), probe(lines), events(lines) {}
  void needed(CacheLines& lines) const {
    lines.add(this, out.end());
    events.needed(lines);
  }
};

/// Takes the registers over an edge; `route_delay` is r.
RouterState& next(RouterState& state, const RouterWires& wires, const Shape& shape, Cycles route_delay);

/// True when the next edge changes a register even if nothing comes in.
[[nodiscard]] bool moving(const RouterState& state, const Shape& shape);

/// ecube_router.sv has the same pins.
class Router : public RouterModule<RouterPins, RouterState> {
 public:
  using RouterModule::RouterModule;

 protected:
  void after(RouterState& state, const RouterWires& wires) const override {
    next(state, wires, shape(), route_delay());
  }
};

}  // namespace ecube::clocked
