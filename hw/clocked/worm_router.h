// SPDX-License-Identifier: Apache-2.0
// Router of a machine that switches worms (hw/README.md sections 2 and 10): registers, their next value, and the
// module.
#pragma once

#include "hw/clocked/router_module.h"

namespace ecube::clocked {

/// The flits of one worm that an input holds. They are consecutive, so the first flit and their number are enough.
struct WormBuffer {
  Wire front{};  ///< idle when nothing is held
  std::uint64_t flits = 0;
  bool tail = false;  ///< the last flit is the worm's tail

  [[nodiscard]] bool empty() const { return flits == 0; }
  void push(const Wire& flit);
  Wire pop();
};

struct WormRouterState {
  struct In {
    WormBuffer buffer;
    Cycles delay = 0;  ///< of a probe in front: edges until the probe asks
    bool expects_probe = true;
  };
  struct Out : RouterOutput {
    bool closing = false;  ///< a tail has left by this output, and is on the link or in the buffer at its end
    Cycles pace = 0;       ///< edges until the link can take another flit
  };
  Lines<In> in;
  Lines<Out> out;
  LineMask stopped = 0;  ///< outputs that were stopped at the last edge
  LineMask back = 0;     ///< inputs whose stop is driven
  RouterEvents events;

  WormRouterState() : WormRouterState(max_lines) {}
  explicit WormRouterState(unsigned lines) : in(lines), out(lines), events(lines) {}
  void needed(CacheLines& lines) const {
    lines.add(this, in.end());
    lines.add(out.begin(), out.end());
    events.needed(lines);
  }
};

/// Takes the registers over an edge; `route_delay` is r, `phit_cycles` c.
WormRouterState& next(WormRouterState& state, const RouterWires& wires, const Shape& shape, Cycles route_delay,
                      Cycles phit_cycles);

/// True when the next edge changes a register even if nothing comes in and no stop is lifted.
[[nodiscard]] bool moving(const WormRouterState& state, const Shape& shape);

/// ecube_worm_router.sv has the same pins.
class WormRouter : public RouterModule<WormRouterPins, WormRouterState> {
 public:
  using RouterModule::RouterModule;

 protected:
  void after(WormRouterState& state, const RouterWires& wires) const override {
    next(state, wires, shape(), route_delay(), phit_cycles_i.read());
  }
};

}  // namespace ecube::clocked
