// SPDX-License-Identifier: Apache-2.0
// The longest simulated time of a run.
#pragma once

#include <string>

#include "models/machine/error.h"
#include "models/machine/machine.h"

namespace ecube {

/// The cost in cycles of an operation that takes longer than the limit of simulated time. Sums of a few of these costs
/// fit in 64 bits.
inline constexpr Cycles endless = Cycles{1} << 60;

/// The last cycle that begins within simulated time: SystemC counts picoseconds in 64 bits, half of which are left for
/// its differences of times.
[[nodiscard]] inline Cycles last_counted_cycle(const Machine& machine) {
  constexpr long double most_seconds = 9e6L;
  return static_cast<Cycles>(most_seconds * static_cast<long double>(machine.clock_hz));
}

/// For a run that would exceed its last cycle.
[[nodiscard]] inline InputError too_long_a_run(Cycles last_cycle) {
  return InputError("the run takes longer than simulated time can be counted: 9000000 s (104 days), here " +
                    std::to_string(last_cycle) + " cycles")
      .hint("give shorter times, fewer bytes, a higher --rate, or a faster clock");
}

}  // namespace ecube
