// SPDX-License-Identifier: Apache-2.0
// How neighbours prepare for each other's messages, and the operations that these messages are.
#pragma once

#include "sw/api/node.h"

namespace ecube {

/// How neighbours in a collective routine exchange and send.
struct Handshake {
  /// Whether partners synchronise before an exchange or a message: on where this is free, and on machines that discard
  /// early messages.
  PairwiseSync sync = PairwiseSync::on;
  /// Whether a one-way message is an exchange with an empty half, which synchronises it where messages cannot wait.
  bool paired = false;
};

/// The handshake that a machine's message protocol needs: none where messages wait for their receives.
[[nodiscard]] inline Handshake handshake_of(const Machine& machine) {
  return {.sync = machine.library.protocol == Protocol::unforced ? PairwiseSync::off : PairwiseSync::on,
          .paired = machine.library.protocol == Protocol::forced};
}

/// Which halves of an exchange there are, and whether an exchange takes the place of a single half.
struct ExchangeHalves {
  bool paired = false;
  bool sends = false;
  bool receives = false;
};

/// `use` of the exchange `both`, or, where there is only one half of it, of that message or receive.
template <class Use>
auto as_message(const Exchange& both, const ExchangeHalves& halves, const Use& use) {
  if (halves.paired || (halves.sends && halves.receives)) return use(both);
  if (!halves.sends) {
    return use(
        Incoming{.from = both.with, .tag = both.tag, .bytes = both.room, .data = both.incoming, .sync = both.sync});
  }
  return use(Outgoing{.to = both.with,
                      .tag = both.tag,
                      .bytes = both.bytes,
                      .data = both.outgoing,
                      .check = both.check,
                      .port = both.port,
                      .phase = both.phase,
                      .sync = both.sync});
}

}  // namespace ecube
