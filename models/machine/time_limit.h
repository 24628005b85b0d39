// SPDX-License-Identifier: Apache-2.0
// How long a run may be.
#pragma once

#include <string>

#include "models/machine/error.h"
#include "models/machine/machine.h"

namespace ecube {

/// The cost in cycles of an operation that costs more than simulated time can be counted to. Sums of a few such costs
/// fit 64 bits.
inline constexpr Cycles endless = Cycles{1} << 60;

/// The last cycle that begins within simulated time: SystemC counts picoseconds in 64 bits, and half of them are for
/// the differences that it takes.
[[nodiscard]] inline Cycles last_counted_cycle(const Machine& machine) {
  constexpr long double most_seconds = 9e6L;
  return static_cast<Cycles>(most_seconds * static_cast<long double>(machine.clock_hz));
}

/// For a run that would go on behind its last cycle.
[[nodiscard]] inline InputError too_long_a_run(Cycles last_cycle) {
  return InputError("the run takes longer than simulated time can be counted: 9000000 s (104 days), here " +
                    std::to_string(last_cycle) + " cycles")
      .hint("give shorter times, fewer bytes, a higher --rate, or a faster clock");
}

}  // namespace ecube
