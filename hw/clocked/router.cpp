// SPDX-License-Identifier: Apache-2.0
// The next state of a router, rule by rule.
#include "hw/clocked/router.h"

#include "hw/clocked/broken.h"
#include "hw/clocked/drive_pins.h"

namespace ecube::clocked {

using Input = RouterState::Input;

RouterState next(const RouterState& now, const RouterWires& wires, const Shape& shape, Cycles route_delay) {
  RouterState after = now;
  after.granted = after.released = after.refused = 0;
  after.asking = {};
  const unsigned lines = shape.lines();

  // A probe is seen one cycle after it was driven, waits r cycles, and then asks at every edge until it is granted.
  Lines<LineMask> requests{};  // [output]
  for (unsigned i = 0; i < lines; ++i) {
    const RouterState::In& in = now.in[i];
    const Wire& wire = wires.wire[i];
    if (wire.kind == WireKind::probe) {
      if (in.state != Input::idle) after.broken = "a link carries one circuit at a time";
      after.in[i] = {Input::seeking, wire, route_delay};
    } else if (in.state == Input::seeking && in.delay > 1) {
      --after.in[i].delay;
    } else if (in.state == Input::seeking) {
      const unsigned output = wanted_output(shape, in.probe.route, i);
      requests[output] |= static_cast<LineMask>(1U << i);
      after.refused |= static_cast<LineMask>(1U << i);  // unless it is granted below
      after.asking[i] = static_cast<LineMask>(1U << output);
    } else if (wire.kind == WireKind::tail) {
      after.in[i].state = Input::idle;
    }
    if (wire.kind > WireKind::probe && in.state != Input::held) after.broken = "phits come where a circuit is";
  }

  for (unsigned o = 0; o < lines; ++o) {
    RouterState::Out& out = after.out[o];
    out.drive = {};
    if (now.out[o].owner != nobody) {
      // An owned output forwards the words of its owner's input; the output is free from the edge after the tail.
      out.drive = wires.wire[now.out[o].owner];
      if (out.drive.kind == WireKind::tail) {
        out.owner = nobody;
        after.released |= static_cast<LineMask>(1U << o);
      }
    } else if (const std::uint8_t input = winner(requests[o], now.out[o].pointer); input != nobody) {
      // A free output goes to the first request at or after its pointer, which moves behind the winner. The probe
      // leaves at the edge at which it is granted.
      out.owner = input;
      out.pointer = static_cast<std::uint8_t>((input + 1U) % lines);
      out.drive = onward(now.in[input].probe);
      after.in[input].state = Input::held;
      after.granted |= static_cast<LineMask>(1U << o);
      after.refused &= static_cast<LineMask>(~(1U << input));
    }
  }

  // An acknowledge goes back to the input that owns the output.
  for (unsigned o = 0; o < lines; ++o) after.out[o].acknowledge = false;
  for (unsigned o = 0; o < lines; ++o) {
    if (!wires.acknowledge[o]) continue;
    if (now.out[o].owner == nobody) {
      after.broken = "an acknowledge follows its circuit";
    } else {
      after.out[now.out[o].owner].acknowledge = true;
    }
  }
  return after;
}

bool moving(const RouterState& state, const Shape& shape) {
  if ((state.granted | state.released) != 0) return true;
  for (unsigned i = 0; i < shape.lines(); ++i) {
    const RouterState::Out& out = state.out[i];
    if (out.drive.kind != WireKind::idle || out.acknowledge) return true;
    const RouterState::In& in = state.in[i];
    if (in.state != Input::seeking) continue;
    const bool refused = (state.refused >> i & 1U) != 0;
    if (!refused || state.out[wanted_output(shape, in.probe.route, i)].owner == nobody) return true;
  }
  return false;
}

Router::Router(const sc_core::sc_module_name& name, const Shape& shape) : RouterPins(name, shape) {
  SC_HAS_PROCESS(Router);
  SC_METHOD(clock_edge);
  sensitive << clk_i.pos();
  dont_initialize();
}

RouterState Router::after(const RouterState& now, const RouterWires& wires) const {
  return next(now, wires, shape(), route_delay_i.read());
}

void Router::clock_edge() {
  RouterState next_state;
  if (!rst_i.read()) {
    RouterWires wires;
    for (unsigned i = 0; i < shape().lines(); ++i) {
      wires.wire[i] = wire_i[i].read();
      wires.acknowledge[i] = acknowledge_i[i].read();
    }
    next_state = after(state_, wires);
    report_broken(*this, next_state.broken);
  }
  drive_pins(*this, state_, next_state, &RouterState::Out::acknowledge);
  state_ = next_state;
}

}  // namespace ecube::clocked
