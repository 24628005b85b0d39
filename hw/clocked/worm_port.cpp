// SPDX-License-Identifier: Apache-2.0
// The next state of an interface port for worms, rule by rule.
#include "hw/clocked/worm_port.h"

namespace ecube::clocked {

using Sending = PortState::Sending;
using Receiving = PortState::Receiving;

namespace {

void next_sending(const WormPortState& now, const PortWires& wires, const WormPortParameters& parameters,
                  WormPortState& after) {
  after.drive = {};
  after.sent_first = after.sent_tail = false;
  if (after.pace > 0) --after.pace;
  after.stopped = wires.back;
  const bool ready = now.pace == 0 && !wires.back;  // 10.2: a flit may be driven
  if (now.sending == Sending::closing && ready) after.sending = Sending::idle;
  if (wires.start) {
    // 10.5: the probe left at the edge before.
    if (now.sending != Sending::idle && now.sending != Sending::closing) {
      after.broken = "the worms of a port are sent one after the other";
    }
    after.begin_sending(Sending::moving, wires.phits);
    after.pace = parameters.phit_cycles - 2;
    after.begun = false;
    return;
  }
  if (now.sending != Sending::moving || !ready) return;
  after.sent_first = !now.begun;
  after.begun = true;
  if (after.drive_phit()) after.sending = Sending::closing;
  after.pace = parameters.phit_cycles - 1;
}

void next_receiving(const WormPortState& now, const PortWires& wires, const WormPortParameters& parameters,
                    WormPortState& after) {
  const bool probe = wires.wire.kind == WireKind::probe;
  const bool phit = wires.wire.kind > WireKind::probe;
  after.probe_seen = probe;
  after.accepted = after.received_first = after.received_tail = false;
  if (probe) {
    after.see(wires.wire);
  } else if (now.receiving == Receiving::accepting) {
    after.accepted = --after.until_accepted == 0;
  }
  if (after.receiving == Receiving::waiting && wires.engine) {
    // 10.5: acceptance begins; the probe is taken A - 1 edges later.
    after.receiving = Receiving::accepting;
    after.accepted = parameters.accept_delay == 1;
    after.until_accepted = parameters.accept_delay - 1;
  }
  if (after.accepted) after.receiving = Receiving::moving;
  if (phit) {
    if (now.receiving == Receiving::idle) after.broken = "phits follow their probe";
    after.count_phit(wires.wire);
    if (now.receiving != Receiving::moving && now.held == parameters.buffer) after.broken = "a buffer has room";
  }
  // Flits wait behind the probe; once the probe has been taken, all flits are taken as they come.
  const bool tail = now.tail_held || wires.wire.kind == WireKind::tail;
  if (after.receiving == Receiving::moving) {
    const bool phit_held = now.held > 1;
    after.received_first = !after.first_taken && (phit || phit_held);
    after.first_taken = after.first_taken || after.received_first;
    after.received_tail = tail;
    after.held = 0;
    after.tail_held = false;
    if (tail) after.receiving = Receiving::idle;
  } else {
    after.held = now.held + (wires.wire.kind != WireKind::idle ? 1 : 0);
    after.tail_held = tail;
  }
  after.back = after.held == parameters.buffer || after.tail_held;
}

}  // namespace

WormPortState next(const WormPortState& now, const PortWires& wires, const WormPortParameters& parameters) {
  WormPortState after = now;
  next_sending(now, wires, parameters, after);
  next_receiving(now, wires, parameters, after);
  return after;
}

bool moving(const WormPortState& state) { return state.pace > 0 || (state.sending != Sending::idle && !state.stopped); }

WormPort::WormPort(const sc_core::sc_module_name& name, NodeId node, unsigned number, std::uint64_t buffer)
    : PortModule(name, node, number), buffer_(buffer) {
  SC_HAS_PROCESS(WormPort);
  SC_METHOD(tell_sent);
  sensitive << start_i << acknowledge_i;
  dont_initialize();
}

void WormPort::tell_sent() {
  const bool sent = state().sending == Sending::closing && state().pace == 0 && !acknowledge_i.read();
  sent_o.write(sent);
  report_o.write(sent || reports(state()));
}

WormPortParameters WormPort::read_parameters() const {
  return {.phit_cycles = phit_cycles_i.read(), .accept_delay = accept_delay_i.read(), .buffer = buffer_};
}

void WormPort::drive_own_pins(bool /*reports*/) { tell_sent(); }

}  // namespace ecube::clocked
