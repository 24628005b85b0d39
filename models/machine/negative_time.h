// SPDX-License-Identifier: Apache-2.0
// Times that an equation gives below zero, which no message can take.
#pragma once

#include <string>
#include <string_view>

#include "models/machine/error.h"

namespace ecube {

/// InputError when `us`, the time of `what` by its equation, is negative beyond rounding. The start-up that is fitted
/// on a machine is less the first phit of a message, so that it is below zero where a phit takes longer than a
/// start-up; the equation then holds for messages of whole phits, and not for shorter ones.
inline void require_no_negative_time(double us, std::string_view what) {
  constexpr double rounding_us = 1e-6;
  if (!(us < -rounding_us)) return;
  throw InputError("the equation gives " + std::string(what) + " a negative time, " + std::to_string(us) +
                   " us: a phit of this machine takes longer than a start-up, and the message is shorter than a phit")
      .hint("give messages of whole phits (link.phit), which take as long, or a faster link and memory");
}

}  // namespace ecube
