// SPDX-License-Identifier: Apache-2.0
// Another router with the same pins: a probe takes the highest dimension in which node and destination differ, not the
// lowest. Beside routers of the e-cube order it can deadlock.
#pragma once

#include "hw/clocked/router.h"

namespace ecube::clocked {

/// It is the e-cube router with its dimensions numbered backwards: registers and their next value are those of
/// next(), behind wires that change places and routes that are read from the other end.
class MirroredRouter final : public RouterPins {
 public:
  MirroredRouter(const sc_core::sc_module_name& name, const Shape& shape) : RouterPins(name, shape) {
    SC_HAS_PROCESS(MirroredRouter);
    SC_METHOD(clock_edge);
    sensitive << clk_i.pos();
    dont_initialize();
  }

 private:
  [[nodiscard]] unsigned mirrored(unsigned line) const { return line < shape().dim ? shape().dim - 1 - line : line; }
  [[nodiscard]] LineMask mirrored_mask(LineMask mask) const {
    LineMask result = 0;
    for_each_bit(mask, [&](unsigned line) { result |= LineMask{1} << mirrored(line); });
    return result;
  }
  [[nodiscard]] Wire mirrored_wire(Wire wire) const {
    wire.route = static_cast<RouteWord>(mirrored_mask(wire.route));
    return wire;
  }

  void clock_edge() {
    if (rst_i.read()) {
      state_ = RouterState(shape().lines());
    } else {
      RouterWires wires;
      for (unsigned line = 0; line < shape().lines(); ++line) {
        wires.come(mirrored(line), mirrored_wire(wire_i[line].read()));
        if (acknowledge_i[line].read()) wires.back |= LineMask{1} << mirrored(line);
      }
      next(state_, wires, shape(), route_delay_i.read());
    }
    LineMatrix owners;
    LineMatrix asking;
    for (unsigned line = 0; line < shape().lines(); ++line) {
      const RouterOutput& out = state_.out[mirrored(line)];
      wire_o[line].write(mirrored_wire(out.drive));
      acknowledge_o[line].write((state_.back >> mirrored(line) & 1U) != 0);
      if (out.owner != nobody) owners.rows[line] = LineMask{1} << mirrored(out.owner);
      asking.rows[line] = mirrored_mask(state_.events.asking[mirrored(line)]);
    }
    owners_o.write(owners);
    asking_o.write(asking);
    granted_o.write(mirrored_mask(state_.events.granted));
    released_o.write(mirrored_mask(state_.events.released));
    refused_o.write(mirrored_mask(state_.events.refused));
    moving_o.write(moving(state_, shape()));
  }

  RouterState state_;
};

}  // namespace ecube::clocked
