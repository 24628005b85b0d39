// SPDX-License-Identifier: Apache-2.0
// Route computation and arbitration: the output that a probe asks for, and the input that is granted it (hw/README.md
// section 2).
#pragma once

#include <bit>

#include "hw/clocked/lines.h"
#include "hw/clocked/wires/wire.h"

namespace ecube::clocked {

inline constexpr std::uint8_t nobody = 0xFF;

/// Rules 2.1 and 2.7: the output that a probe from `input` asks for: the lowest dimension left to travel, or an eject
/// port.
[[nodiscard]] inline unsigned wanted_output(const Shape& shape, Label route, unsigned input) {
  if (route != 0) return static_cast<unsigned>(std::countr_zero(route));
  if (input >= shape.dim) return input;  // a message to itself: the eject port of the inject port's number
  return shape.ports == 1 ? shape.dim : shape.dim + input;
}

/// Rule 2.2: a granted probe as it leaves: the lowest dimension, if any was left, is cleared from its route.
[[nodiscard]] inline Wire onward(Wire probe) {
  probe.route = static_cast<Label>(probe.route & (probe.route - 1));
  return probe;
}

/// Rule 2.3: the first requesting input at or after the pointer, cyclically; `nobody` if none requests.
[[nodiscard]] inline std::uint8_t winner(LineMask requests, unsigned pointer) {
  if (requests == 0) return nobody;
  const LineMask behind = requests >> pointer << pointer;
  return static_cast<std::uint8_t>(std::countr_zero(behind != 0 ? behind : requests));
}

}  // namespace ecube::clocked
