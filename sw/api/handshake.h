// SPDX-License-Identifier: Apache-2.0
// How neighbours prepare for each other's messages.
#pragma once

#include "models/contract/node_ports.h"

namespace ecube {

/// How neighbours in a collective routine exchange and send: whether they synchronise first, and whether a one-way
/// message is paired with an empty one (CombineWorkload).
struct Handshake {
  PairwiseSync sync = PairwiseSync::on;
  bool paired = false;
};

/// The handshake that a machine's message protocol needs: none where messages wait for their receives.
[[nodiscard]] inline Handshake handshake_of(const Machine& machine) {
  return {.sync = machine.library.protocol == Protocol::unforced ? PairwiseSync::off : PairwiseSync::on,
          .paired = machine.library.protocol == Protocol::forced};
}

}  // namespace ecube
