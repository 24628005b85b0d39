// SPDX-License-Identifier: Apache-2.0
// From the registers of a router, of circuits or of worms, to its pins.
#pragma once

#include "hw/clocked/router_pins.h"
#include "hw/clocked/routing.h"

namespace ecube::clocked {

/// Drives the pins from the registers `after` an edge; `back` is the wire against the direction of a link. A pin that
/// keeps its value is not written, because most pins keep theirs at most edges.
template <typename State>
void drive_pins(RouterPins& pins, const State& before, const State& after, bool State::Out::*back) {
  const unsigned lines = pins.shape().lines();
  for (unsigned i = 0; i < lines; ++i) {
    const auto& out = after.out[i];
    if (out.drive != before.out[i].drive) pins.wire_o[i].write(out.drive);
    if (out.*back != before.out[i].*back) pins.acknowledge_o[i].write(out.*back);
  }
  if (after.granted != 0) {
    LineMatrix owners;
    for (unsigned i = 0; i < lines; ++i) {
      if (after.out[i].owner != nobody) owners.rows[i] = static_cast<LineMask>(1U << after.out[i].owner);
    }
    pins.owners_o.write(owners);
  }
  if (after.refused != 0) pins.asking_o.write({.rows = after.asking});
  if (after.granted != before.granted) pins.granted_o.write(after.granted);
  if (after.released != before.released) pins.released_o.write(after.released);
  if (after.refused != before.refused) pins.refused_o.write(after.refused);
  pins.moving_o.write(moving(after, pins.shape()));
}

}  // namespace ecube::clocked
