// SPDX-License-Identifier: Apache-2.0
// The machine of the diagrams in hw/README.md, whose cycles can be worked out by hand.
#pragma once

#include "models/machine/machine.h"
#include "sw/traffic/traffic.h"
#include "tests/test.h"

namespace ecube {

/// r = 1, A = 1, c = 1, phits of a byte, no start-up.
inline Machine diagram_machine() {
  Machine machine;
  machine.link.phit_bytes = 1;
  machine.link.cycles_per_phit = {1, 1};
  machine.router.route_cycles = 1;
  machine.network.accept_cycles = 1;
  machine.library.send_cycles = 0;
  machine.library.send_zero_cycles = 0;
  return machine;
}

/// On three dimensions: 6 -> 2 holds link 6:2 for long; 4 -> 2 holds link 4:1 and waits for 6:2; 5 -> 6 holds 5:0 and
/// waits for 4:1. By hand: 6 -> 2 has its first phit at 8, its tail at 107: link 6:2 is free from 109. 4 -> 2 asked for
/// 6:2 at 4, is granted it at 109, accepted at 112, drives phits 116 .. 125: link 4:1 is free from 127. 5 -> 6 asked
/// for 4:1 at 4.
inline std::vector<TrafficMessage> chain_of_three() {
  return {{.source = 6, .destination = 2, .bytes = 100, .cycle = 0},
          {.source = 4, .destination = 2, .bytes = 10, .cycle = 0},
          {.source = 5, .destination = 6, .bytes = 10, .cycle = 0}};
}

}  // namespace ecube
