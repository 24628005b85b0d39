// SPDX-License-Identifier: Apache-2.0
// The next state of a router of worms, rule by rule.
#include "hw/clocked/worm_router.h"

namespace ecube::clocked {

/// Rule 10.1.
void WormBuffer::push(const Wire& flit) {
  if (flits++ == 0) front = flit;
  tail = flit.kind == WireKind::tail;
}

Wire WormBuffer::pop() {
  Wire flit = front;
  --flits;
  if (flits == 0) {
    front = {};
    tail = false;
    return flit;
  }
  // Behind a probe comes phit 0, behind a phit the next one.
  front.sequence = flit.kind == WireKind::probe ? std::uint16_t{0} : static_cast<std::uint16_t>(flit.sequence + 1);
  front.kind = flits == 1 && tail ? WireKind::tail : WireKind::phit;
  front.route = front.source = front.port = 0;
  return flit;
}

WormRouterState& next(WormRouterState& after, const RouterWires& wires, const Shape& shape, Cycles route_delay,
                      Cycles phit_cycles) {
  after.events.clear();
  after.stopped = wires.back;
  const unsigned lines = shape.lines();

  // 10.1: a flit driven before this edge is in the buffer now, and can be driven on.
  for (unsigned i = 0; i < lines; ++i) {
    WormRouterState::In& in = after.in[i];
    const Wire& wire = wires.wire[i];
    if (wire.kind != WireKind::idle) {
      if (in.buffer.flits == shape.buffer) after.events.broken = "a buffer has room for what comes";
      if ((wire.kind == WireKind::probe) != in.expects_probe) {
        after.events.broken = "phits follow a probe, a probe follows a tail";
      }
      in.expects_probe = wire.kind == WireKind::tail;
      in.buffer.push(wire);
    }
    if (wire.kind == WireKind::probe) {
      if (in.buffer.flits != 1) after.events.broken = "a buffer holds one worm";
      in.delay = route_delay;
    } else if (in.delay > 0) {
      --in.delay;
    }
  }

  // 10.3: a probe waits r cycles, and then asks at every edge until it is granted.
  std::array<LineMask, max_lines> requests{};  // [output]
  for (unsigned i = 0; i < lines; ++i) {
    const WormRouterState::In& in = after.in[i];
    if (in.buffer.front.kind != WireKind::probe || in.delay > 0) continue;
    const unsigned output = wanted_output(shape, in.buffer.front.route, i);
    requests[output] |= LineMask{1} << i;
    after.events.ask(i, output);
  }

  for (unsigned o = 0; o < lines; ++o) {
    WormRouterState::Out& out = after.out[o];
    out.drive = {};
    if (out.pace > 0) --out.pace;
    // 10.2: a flit is driven only if no stop was seen, and c edges or more after the flit before.
    if (out.pace > 0 || (wires.back >> o & 1U) != 0) continue;
    if (out.closing) {
      // 10.4: the tail has had its time on the link, and has left the buffer at the link's end: the output can be
      // granted again.
      out.closing = false;
      after.events.released |= LineMask{1} << o;
    }
    if (out.owner == nobody && !out.arbitrate(requests[o], lines)) continue;
    WormBuffer& buffer = after.in[out.owner].buffer;
    if (buffer.empty()) continue;
    out.drive = buffer.pop();
    out.pace = phit_cycles;
    if (out.drive.kind == WireKind::probe) {
      out.drive = onward(shape, out.drive);
      after.events.grant(out.owner, o);
    } else if (out.drive.kind == WireKind::tail) {
      out.owner = nobody;
      out.closing = true;
    }
  }

  // 10.2: a full buffer stops further flits; a buffer that holds a tail stops the next worm.
  after.back = 0;
  for (unsigned i = 0; i < lines; ++i) {
    const WormBuffer& buffer = after.in[i].buffer;
    if (buffer.flits == shape.buffer || buffer.tail) after.back |= LineMask{1} << i;
  }
  return after;
}

bool moving(const WormRouterState& state, const Shape& shape) {
  if ((state.events.granted | state.events.released) != 0) return true;
  for (unsigned i = 0; i < shape.lines(); ++i) {
    const WormRouterState::Out& out = state.out[i];
    const bool stopped = (state.stopped >> i & 1U) != 0;
    if (out.drive.kind != WireKind::idle || out.pace > 0 || (out.closing && !stopped)) return true;
    if (out.owner != nobody && !stopped && !state.in[out.owner].buffer.empty()) return true;
    const WormRouterState::In& in = state.in[i];
    if (in.buffer.front.kind != WireKind::probe) continue;
    if (in.delay > 0 || (state.events.refused >> i & 1U) == 0) return true;
    const unsigned output = wanted_output(shape, in.buffer.front.route, i);
    if (state.out[output].owner == nobody && (state.stopped >> output & 1U) == 0) return true;
  }
  return false;
}

}  // namespace ecube::clocked
