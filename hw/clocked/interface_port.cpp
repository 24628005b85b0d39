// SPDX-License-Identifier: Apache-2.0
// The next state of an interface port, rule by rule.
#include "hw/clocked/interface_port.h"

#include "hw/clocked/routing.h"

namespace ecube::clocked {

using Sending = PortState::Sending;
using Receiving = PortState::Receiving;

namespace {

void next_sending(const InterfacePortState& now, const PortWires& wires, const InterfacePortParameters& parameters,
                  InterfacePortState& after) {
  after.drive = {};
  after.sent_first = after.sent_tail = false;
  if (wires.back && (now.sending != Sending::waiting || now.acknowledged)) {
    after.broken = "one acknowledge comes to each circuit, while it is waited for";
  }
  if (wires.start) {
    // The probe left at p, the edge before; 3.4: F - h - 3 edges behind it the first phit may leave.
    if (now.sending != Sending::idle) after.broken = "the circuits of a port are set up one after the other";
    after.begin_sending(Sending::waiting, wires.phits);
    after.acknowledged = false;
    after.since_probe = 2;
    after.padding = parameters.setup == 0 ? 0 : parameters.setup - wires.hops - 3;
    after.fraction = 0;
    after.since_first = 0;
    return;
  }
  bool drives = false;
  if (now.sending == Sending::waiting) {
    // 3.3, T0: the first phit leaves with the acknowledge, on a fixed-distance machine not before p + F - h - 3.
    after.acknowledged = now.acknowledged || wires.back;
    drives = after.acknowledged && now.since_probe >= now.padding;
    after.sent_first = drives;
    if (now.since_probe < now.padding) ++after.since_probe;
  } else if (now.sending == Sending::moving) {
    drives = now.until_phit == 1;
    --after.until_phit;
    if (now.since_first < parameters.together) ++after.since_first;
  }
  if (!drives) return;
  // 3.5: phit j leaves at T0 + floor(j c).
  after.sending = after.drive_phit() ? Sending::idle : Sending::moving;
  const Cycles fraction = now.fraction + parameters.extra_num;
  const bool carry = fraction >= parameters.extra_den;
  after.fraction = carry ? fraction - parameters.extra_den : fraction;
  after.until_phit = carry ? parameters.phit_cycles + 1 : parameters.phit_cycles;
}

void next_receiving(const InterfacePortState& now, const PortWires& wires, const InterfacePortParameters& parameters,
                    InterfacePortState& after) {
  const bool probe = wires.wire.kind == WireKind::probe;
  const bool phit = wires.wire.kind > WireKind::probe;
  after.accepted = false;
  after.probe_seen = probe;
  after.received_first = after.received_tail = false;
  if (probe) {
    after.see(wires.wire);
    // 4.7: a node with sends that have been under way for too long accepts a circuit when those sends have ended.
    after.serialised = parameters.together_only ? wires.late_ports : PortMask{0};
    after.engine = wires.engine;
  } else if (now.receiving == Receiving::waiting) {
    after.serialised = now.serialised & wires.sending_ports;
    after.engine = now.engine || wires.engine;
  } else if (now.receiving == Receiving::accepting) {
    after.accepted = --after.until_accepted == 0;
    if (after.accepted) after.receiving = Receiving::moving;
  }
  if (after.receiving == Receiving::waiting && after.serialised == 0 && after.engine) {
    // 3.2, 3.3: acceptance begins; the acknowledge is driven A - 1 edges later.
    after.receiving = parameters.accept_delay == 1 ? Receiving::moving : Receiving::accepting;
    after.accepted = parameters.accept_delay == 1;
    after.until_accepted = parameters.accept_delay - 1;
    after.engine = false;
  }
  after.back = after.accepted;
  if (!phit) return;
  if (now.receiving != Receiving::moving) after.broken = "phits come to a circuit that has been accepted";
  after.count_phit(wires.wire);
  after.received_first = !now.first_taken;
  after.first_taken = true;
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

bool moving(const InterfacePortState& state) {
  const bool padding = state.sending == Sending::waiting && (state.since_probe < state.padding || state.acknowledged);
  return padding || state.sending == Sending::moving || state.serialised != 0;
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
  sent_o.write(state().sent_tail);
  sending_o.write(state().sending == Sending::moving);
  serialised_o.write(state().receiving == Receiving::waiting && state().serialised != 0);
}

}  // namespace ecube::clocked
