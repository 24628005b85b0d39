// SPDX-License-Identifier: Apache-2.0
// The next state of a router of worms, rule by rule.
#include "hw/clocked/worm_router.h"

#include "hw/clocked/broken.h"
#include "hw/clocked/drive_pins.h"

namespace ecube::clocked {

void WormBuffer::push(const Wire& word) {
  if (words++ == 0) front = word;
  tail = word.kind == WireKind::tail;
}

Wire WormBuffer::pop() {
  Wire word = front;
  --words;
  if (words == 0) {
    front = {};
    tail = false;
    return word;
  }
  // Behind a probe comes phit 0, behind a phit the next one.
  front.sequence = word.kind == WireKind::probe ? std::uint16_t{0} : static_cast<std::uint16_t>(word.sequence + 1);
  front.kind = words == 1 && tail ? WireKind::tail : WireKind::phit;
  front.port = front.source = front.route = 0;
  return word;
}

WormRouterState next(const WormRouterState& now, const WormRouterWires& wires, const Shape& shape, Cycles route_delay,
                     Cycles phit_cycles) {
  WormRouterState after = now;
  after.granted = after.released = after.refused = after.stopped = 0;
  after.asking = {};
  const unsigned lines = shape.lines();

  // A word driven before this edge is in the buffer now, and can be driven on.
  for (unsigned i = 0; i < lines; ++i) {
    WormRouterState::In& in = after.in[i];
    const Wire& wire = wires.wire[i];
    if (wire.kind != WireKind::idle) {
      if (in.buffer.words == shape.buffer) after.broken = "a buffer has room for what comes";
      if ((wire.kind == WireKind::probe) != in.expects_probe) {
        after.broken = "phits follow a probe, a probe follows a tail";
      }
      in.expects_probe = wire.kind == WireKind::tail;
      in.buffer.push(wire);
    }
    if (wire.kind == WireKind::probe) {
      if (in.buffer.words != 1) after.broken = "a buffer holds one worm";
      in.delay = route_delay;
    } else if (in.delay > 0) {
      --in.delay;
    }
  }

  // A probe waits r cycles, and then asks at every edge until it is granted.
  Lines<LineMask> requests{};  // [output]
  for (unsigned i = 0; i < lines; ++i) {
    const WormRouterState::In& in = after.in[i];
    if (in.buffer.front.kind != WireKind::probe || in.delay > 0) continue;
    const unsigned output = wanted_output(shape, in.buffer.front.route, i);
    requests[output] |= static_cast<LineMask>(1U << i);
    after.refused |= static_cast<LineMask>(1U << i);  // unless it is granted below
    after.asking[i] = static_cast<LineMask>(1U << output);
  }

  for (unsigned o = 0; o < lines; ++o) {
    WormRouterState::Out& out = after.out[o];
    out.drive = {};
    if (out.pace > 0) --out.pace;
    if (wires.stop[o]) after.stopped |= static_cast<LineMask>(1U << o);
    // A word is driven only if no stop was seen, and c edges or more after the word before.
    if (out.pace > 0 || wires.stop[o]) continue;
    if (out.closing) {
      // The tail has had its time on the link, and has left the buffer at the link's end: the output can be granted
      // again.
      out.closing = false;
      after.released |= static_cast<LineMask>(1U << o);
    }
    if (out.owner == nobody) {
      const std::uint8_t input = winner(requests[o], out.pointer);
      if (input == nobody) continue;
      out.owner = input;
      out.pointer = static_cast<std::uint8_t>((input + 1U) % lines);
    }
    WormBuffer& buffer = after.in[out.owner].buffer;
    if (buffer.empty()) continue;
    out.drive = buffer.pop();
    out.pace = phit_cycles;
    if (out.drive.kind == WireKind::probe) {
      out.drive = onward(out.drive);
      after.granted |= static_cast<LineMask>(1U << o);
      after.refused &= static_cast<LineMask>(~(1U << out.owner));
    } else if (out.drive.kind == WireKind::tail) {
      out.owner = nobody;
      out.closing = true;
    }
  }

  // A full buffer stops further words; a buffer that holds a tail stops the next worm.
  for (unsigned i = 0; i < lines; ++i) {
    const WormBuffer& buffer = after.in[i].buffer;
    after.out[i].stop = buffer.words == shape.buffer || buffer.tail;
  }
  return after;
}

bool moving(const WormRouterState& state, const Shape& shape) {
  if ((state.granted | state.released) != 0) return true;
  for (unsigned i = 0; i < shape.lines(); ++i) {
    const WormRouterState::Out& out = state.out[i];
    const bool stopped = (state.stopped >> i & 1U) != 0;
    if (out.drive.kind != WireKind::idle || out.pace > 0 || (out.closing && !stopped)) return true;
    if (out.owner != nobody && !stopped && !state.in[out.owner].buffer.empty()) return true;
    const WormRouterState::In& in = state.in[i];
    if (in.buffer.front.kind != WireKind::probe) continue;
    if (in.delay > 0 || (state.refused >> i & 1U) == 0) return true;
    const unsigned output = wanted_output(shape, in.buffer.front.route, i);
    if (state.out[output].owner == nobody && (state.stopped >> output & 1U) == 0) return true;
  }
  return false;
}

WormRouter::WormRouter(const sc_core::sc_module_name& name, const Shape& shape) : WormRouterPins(name, shape) {
  SC_HAS_PROCESS(WormRouter);
  SC_METHOD(clock_edge);
  sensitive << clk_i.pos();
  dont_initialize();
}

WormRouterState WormRouter::after(const WormRouterState& now, const WormRouterWires& wires) const {
  return next(now, wires, shape(), route_delay_i.read(), phit_cycles_i.read());
}

void WormRouter::clock_edge() {
  WormRouterState next_state;
  if (!rst_i.read()) {
    WormRouterWires wires;
    for (unsigned i = 0; i < shape().lines(); ++i) {
      wires.wire[i] = wire_i[i].read();
      wires.stop[i] = acknowledge_i[i].read();
    }
    next_state = after(state_, wires);
    report_broken(*this, next_state.broken);
  }
  drive_pins(*this, state_, next_state, &WormRouterState::Out::stop);
  state_ = next_state;
}

}  // namespace ecube::clocked
