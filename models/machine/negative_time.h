// SPDX-License-Identifier: Apache-2.0
// Negative times of an equation, which are refused.
#pragma once

#include <string>
#include <string_view>

#include "models/machine/error.h"

namespace ecube {

/// InputError when `us`, the time of `what` by its equation, is negative beyond rounding. A fitted start-up excludes
/// the first phit of a message, so it is negative where a phit takes longer than a start-up; the equation then holds
/// for messages of whole phits, but not for shorter ones.
inline void require_no_negative_time(double us, std::string_view what) {
  constexpr double rounding_us = 1e-6;
  if (!(us < -rounding_us)) return;
  throw InputError("the equation gives " + std::string(what) + " a negative time, " + std::to_string(us) +
                   " us: a phit of this machine takes longer than a start-up, and the message is shorter than a phit")
      .hint("give messages of whole phits (link.phit), which take as long, or a faster link and memory");
}

}  // namespace ecube
