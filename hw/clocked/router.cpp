// SPDX-License-Identifier: Apache-2.0
// The next state of a router, rule by rule.
#include "hw/clocked/router.h"

namespace ecube::clocked {

using Input = RouterState::Input;

RouterState& next(RouterState& after, const RouterWires& wires, const Shape& shape, Cycles route_delay) {
  after.events.clear();
  const unsigned lines = shape.lines();

  // 2.5: an acknowledge goes back to the input that owns the output before the edge.
  after.back = 0;
  for_each_bit(wires.back, [&](unsigned o) {
    if (after.out[o].owner == nobody) {
      after.events.broken = "an acknowledge follows its circuit";
    } else {
      after.back |= LineMask{1} << after.out[o].owner;
    }
  });

  // 2.2, 3.1: a probe is seen one cycle after it was driven, waits r cycles, and then asks at every edge until it is
  // granted.
  std::array<LineMask, max_lines> requests;  // [output] of those that are asked for
  LineMask requested = 0;
  for (unsigned i = 0; i < lines; ++i) {
    const Wire& wire = wires.wire[i];
    if (wire.kind > WireKind::probe && after.in[i] != Input::held) {
      after.events.broken = "phits come where a circuit is";
    }
    RouterState::Seeking& in = after.seeking[i];
    if (wire.kind == WireKind::probe) {
      if (after.in[i] != Input::idle) after.events.broken = "a link carries one circuit at a time";
      after.in[i] = Input::seeking;
      in = {wire, route_delay};
    } else if (after.in[i] != Input::seeking) {
      if (wire.kind == WireKind::tail) after.in[i] = Input::idle;
    } else if (in.delay > 1) {
      --in.delay;
    } else {
      const unsigned output = wanted_output(shape, in.probe.route, i);
      if ((requested >> output & 1U) == 0) requests[output] = 0;
      requested |= LineMask{1} << output;
      requests[output] |= LineMask{1} << i;
      after.events.ask(i, output);
    }
  }

  for (unsigned o = 0; o < lines; ++o) {
    RouterOutput& out = after.out[o];
    if (out.owner != nobody) {
      // 2.4, 2.6, 3.6: an owned output forwards the words of its owner's input, and is free from the edge after the
      // tail.
      out.drive = wires.wire[out.owner];
      if (out.drive.kind == WireKind::tail) {
        out.owner = nobody;
        after.events.released |= LineMask{1} << o;
      }
      continue;
    }
    out.drive = {};
    if ((requested >> o & 1U) == 0 || !out.arbitrate(requests[o], lines)) continue;
    // 2.3, 8.1: all outputs decide on pointers from before the edge; a probe leaves at the edge at which it is granted.
    out.drive = onward(shape, after.seeking[out.owner].probe);
    after.in[out.owner] = Input::held;
    after.events.grant(out.owner, o);
  }
  return after;
}

bool moving(const RouterState& state, const Shape& shape) {
  if ((state.events.granted | state.events.released | state.back) != 0) return true;
  for (unsigned i = 0; i < shape.lines(); ++i) {
    if (state.out[i].drive.kind != WireKind::idle) return true;
    if (state.in[i] != Input::seeking) continue;
    const bool refused = (state.events.refused >> i & 1U) != 0;
    if (!refused || state.out[wanted_output(shape, state.seeking[i].probe.route, i)].owner == nobody) return true;
  }
  return false;
}

}  // namespace ecube::clocked
