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
    for (unsigned line = 0; line < shape().lines(); ++line) {
      if ((mask >> line & 1U) != 0) result = static_cast<LineMask>(result | 1U << mirrored(line));
    }
    return result;
  }
  [[nodiscard]] Wire mirrored_wire(Wire wire) const {
    wire.route = static_cast<std::uint8_t>(mirrored_mask(wire.route));
    return wire;
  }

  void clock_edge() {
    RouterState after;
    if (!rst_i.read()) {
      RouterWires wires;
      for (unsigned line = 0; line < shape().lines(); ++line) {
        wires.wire[mirrored(line)] = mirrored_wire(wire_i[line].read());
        wires.acknowledge[mirrored(line)] = acknowledge_i[line].read();
      }
      after = next(state_, wires, shape(), route_delay_i.read());
    }
    state_ = after;
    LineMatrix owners;
    LineMatrix asking;
    for (unsigned line = 0; line < shape().lines(); ++line) {
      const auto& out = state_.out[mirrored(line)];
      wire_o[line].write(mirrored_wire(out.drive));
      acknowledge_o[line].write(out.acknowledge);
      if (out.owner != nobody) {
        owners.rows[line] = static_cast<LineMask>(1U << mirrored(out.owner));
      }
      asking.rows[line] = mirrored_mask(state_.asking[mirrored(line)]);
    }
    owners_o.write(owners);
    asking_o.write(asking);
    granted_o.write(mirrored_mask(state_.granted));
    released_o.write(mirrored_mask(state_.released));
    refused_o.write(mirrored_mask(state_.refused));
    moving_o.write(moving(state_, shape()));
  }

  RouterState state_;
};

}  // namespace ecube::clocked
