// SPDX-License-Identifier: Apache-2.0
// The next state of a router, rule by rule.
#include "hw/clocked/router.h"

namespace ecube::clocked {

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
  LineMask waiting = after.seeking;
  for_each_bit(wires.words, [&](unsigned i) {
    const Wire& word = wires.wire[i];
    const LineMask line = LineMask{1} << i;
    if (word.kind == WireKind::probe) {
      if (((after.seeking | after.held) & line) != 0) after.events.broken = "a link carries one circuit at a time";
      after.seeking |= line;
      after.held &= ~line;
      after.probe[i] = {word, route_delay};
      waiting &= ~line;
      return;
    }
    if ((after.held & line) == 0) after.events.broken = "phits come where a circuit is";
    if (word.kind == WireKind::tail) after.held &= ~line;
  });
  std::array<LineMask, max_lines> requests;  // [output] of those that are asked for
  LineMask requested = 0;
  for_each_bit(waiting, [&](unsigned i) {
    RouterState::Probe& probe = after.probe[i];
    if (probe.delay > 1) {
      --probe.delay;
      return;
    }
    const unsigned output = wanted_output(shape, probe.word.route, i);
    if ((requested >> output & 1U) == 0) requests[output] = 0;
    requested |= LineMask{1} << output;
    requests[output] |= LineMask{1} << i;
    after.events.ask(i, output);
  });

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
    const LineMask granted = LineMask{1} << out.owner;
    out.drive = onward(shape, after.probe[out.owner].word);
    after.seeking &= ~granted;
    after.held |= granted;
    after.events.grant(out.owner, o);
  }
  return after;
}

bool moving(const RouterState& state, const Shape& shape) {
  if ((state.events.granted | state.events.released | state.back) != 0) return true;
  if ((state.seeking & ~state.events.refused) != 0) return true;
  for (unsigned i = 0; i < shape.lines(); ++i) {
    if (state.out[i].drive.kind != WireKind::idle) return true;
    const bool asks = (state.seeking >> i & 1U) != 0;
    if (asks && state.out[wanted_output(shape, state.probe[i].word.route, i)].owner == nobody) return true;
  }
  return false;
}

}  // namespace ecube::clocked
