// SPDX-License-Identifier: Apache-2.0
// The next state of an interface port, rule by rule.
#include "hw/clocked/interface_port.h"

#include "hw/clocked/routing.h"

namespace ecube::clocked {

using Sending = InterfacePortState::Sending;
using Receiving = InterfacePortState::Receiving;

namespace {

void next_sending(const InterfacePortState& now, const PortWires& wires, const InterfacePortParameters& parameters,
                  InterfacePortState& after) {
  after.drive = {};
  after.sent_first = after.sent_tail = false;
  if (wires.back && (now.sending != Sending::probing || now.acknowledged)) {
    after.broken = "one acknowledge comes to each circuit, while it is waited for";
  }
  if (wires.start) {
    // The probe left at p, the edge before; 3.4: F - h - 3 edges behind it the first phit may leave.
    if (now.sending != Sending::idle) after.broken = "the circuits of a port are set up one after the other";
    after.sending = Sending::probing;
    after.acknowledged = false;
    after.since_probe = 2;
    after.padding = parameters.setup == 0 ? 0 : parameters.setup - wires.hops - 3;
    after.phits_left = wires.phits;
    after.fraction = 0;
    after.since_first = 0;
    after.sent_phits = 0;
    return;
  }
  bool drive_phit = false;
  if (now.sending == Sending::probing) {
    // 3.3, T0: the first phit leaves with the acknowledge, on a fixed-distance machine not before p + F - h - 3.
    after.acknowledged = now.acknowledged || wires.back;
    drive_phit = after.acknowledged && now.since_probe >= now.padding;
    after.sent_first = drive_phit;
    if (now.since_probe < now.padding) ++after.since_probe;
  } else if (now.sending == Sending::moving) {
    drive_phit = now.until_phit == 1;
    --after.until_phit;
    if (now.since_first < parameters.together) ++after.since_first;
  }
  if (!drive_phit) return;
  // 3.5: phit j leaves at T0 + floor(j c).
  const bool tail = now.phits_left == 1;
  const Cycles fraction = now.fraction + parameters.extra_num;
  const bool carry = fraction >= parameters.extra_den;
  after.drive = {.kind = tail ? WireKind::tail : WireKind::phit, .sequence = now.sent_phits};
  after.sending = tail ? Sending::idle : Sending::moving;
  after.sent_tail = tail;
  --after.phits_left;
  ++after.sent_phits;
  after.fraction = carry ? fraction - parameters.extra_den : fraction;
  after.until_phit = carry ? parameters.phit_cycles + 1 : parameters.phit_cycles;
}

void next_receiving(const InterfacePortState& now, const PortWires& wires, const InterfacePortParameters& parameters,
                    InterfacePortState& after) {
  const bool probe = wires.wire.kind == WireKind::probe;
  const bool phit = wires.wire.kind > WireKind::probe;
  after.acknowledge = false;
  after.probe_seen = probe;
  after.received_first = after.received_tail = false;
  if (probe) {
    if (now.receiving != Receiving::idle) after.broken = "an eject port has one circuit at a time";
    after.probe = wires.wire;
    after.receiving = Receiving::waiting;
    after.received_phits = 0;
    after.begun = false;
    // 4.7: a node with sends that have been under way for too long accepts a circuit when those sends have ended.
    after.serialised = parameters.together_only ? wires.late_ports : PortMask{0};
    after.engine = wires.engine;
  } else if (now.receiving == Receiving::waiting) {
    after.serialised = now.serialised & wires.sending_ports;
    after.engine = now.engine || wires.engine;
  } else if (now.receiving == Receiving::accepting) {
    --after.until_acknowledge;
    after.acknowledge = now.until_acknowledge == 1;
    if (after.acknowledge) after.receiving = Receiving::moving;
  }
  if (after.receiving == Receiving::waiting && after.serialised == 0 && after.engine) {
    // 3.2, 3.3: acceptance begins; the acknowledge is driven A - 1 edges later.
    after.receiving = parameters.accept_delay == 1 ? Receiving::moving : Receiving::accepting;
    after.acknowledge = parameters.accept_delay == 1;
    after.until_acknowledge = parameters.accept_delay - 1;
    after.engine = false;
  }
  if (!phit) return;
  if (now.receiving != Receiving::moving) after.broken = "phits come to a circuit that has been accepted";
  if (wires.wire.sequence != now.received_phits) after.broken = "phits come in order";
  after.received_first = !now.begun;
  after.begun = true;
  ++after.received_phits;
  if (wires.wire.kind != WireKind::tail) return;
  after.received_tail = true;
  after.receiving = Receiving::idle;
}

}  // namespace

InterfacePortState next(const InterfacePortState& now, const PortWires& wires,
                        const InterfacePortParameters& parameters) {
  InterfacePortState after = now;
  next_sending(now, wires, parameters, after);
  next_receiving(now, wires, parameters, after);
  return after;
}

namespace {

bool happened(const InterfacePortState& state) {
  return state.sent_first || state.sent_tail || state.probe_seen || state.received_first || state.received_tail ||
         state.acknowledge;
}

}  // namespace

bool reports(const InterfacePortState& state) {
  return happened(state) || state.receiving == Receiving::waiting || state.receiving == Receiving::accepting;
}

bool moving(const InterfacePortState& state) {
  const bool padding = state.sending == Sending::probing && (state.since_probe < state.padding || state.acknowledged);
  return happened(state) || padding || state.sending == Sending::moving || state.drive.kind != WireKind::idle ||
         state.receiving == Receiving::accepting || state.serialised != 0;
}

InterfacePortParameters InterfacePort::read_parameters() const {
  return {.phit_cycles = phit_cycles_i.read(),
          .extra_num = phit_extra_num_i.read(),
          .extra_den = phit_extra_den_i.read(),
          .accept_delay = accept_delay_i.read(),
          .setup = setup_i.read(),
          .together_only = together_only_i.read(),
          .together = together_only_i.read() ? together_i.read() : 0};
}

void InterfacePort::read_own_pins(PortWires& wires) const {
  if (wires.start) wires.hops = hops_of(shape_, wires.route);
  if (!parameters().together_only) return;
  wires.sending_ports = wires.late_ports = 0;
  for (unsigned p = 0; p < sending_ports_i.size(); ++p) {
    wires.sending_ports |= static_cast<PortMask>(sending_ports_i[p].read() ? 1U << p : 0U);
    wires.late_ports |= static_cast<PortMask>(late_ports_i[p].read() ? 1U << p : 0U);
  }
}

void InterfacePort::drive_own_pins(bool reports) {
  if (parameters().together_only || resets()) {
    late_o.write(state().sending == Sending::moving && state().since_first >= parameters().together);
  }
  if (!reports) return;
  report_o.write(clocked::reports(state()));
  acknowledge_o.write(state().acknowledge);
  accepted_o.write(state().acknowledge);
  sent_o.write(state().sent_tail);
  sending_o.write(state().sending == Sending::moving);
  serialised_o.write(state().receiving == Receiving::waiting && state().serialised != 0);
}

}  // namespace ecube::clocked
