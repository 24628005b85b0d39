// SPDX-License-Identifier: Apache-2.0
// Route computation and arbitration: the output that a probe asks for, and the input that is granted it (hw/README.md
// section 2).
#pragma once

#include <bit>

#include "hw/clocked/lines.h"
#include "hw/clocked/wires/wire.h"

namespace ecube::clocked {

inline constexpr std::uint8_t nobody = 0xFF;

// A probe carries the way that is left, and routers do not know their labels. In a cube it is source XOR destination.
// In other topologies it has a number for each dimension: of a complete graph, what has to be added to the digit; of a
// line, the links to go in the direction +, or radix - 1 more than the links to go in the direction -. 0 is no way.

/// The way between two nodes.
[[nodiscard]] inline RouteWord route_between(const Shape& shape, NodeId from, NodeId to) {
  if (shape.digits == 0) return from ^ to;
  RouteWord route = 0;
  for (unsigned i = 0; i < shape.digits; ++i) {
    const RouteDigit& digit = shape.digit[i];
    const NodeId own = from % digit.radix;
    const NodeId goal = to % digit.radix;
    const NodeId back = digit.line ? digit.radix - 1 + own - goal : digit.radix + goal - own;
    route |= RouteWord{goal >= own ? goal - own : back} << digit.shift;
    from /= digit.radix;
    to /= digit.radix;
  }
  return route;
}

/// The number of links on the way.
[[nodiscard]] inline unsigned hops_of(const Shape& shape, RouteWord route) {
  if (shape.digits == 0) return static_cast<unsigned>(std::popcount(route));
  unsigned sum = 0;
  for (unsigned i = 0; i < shape.digits; ++i) {
    const RouteDigit& digit = shape.digit[i];
    const RouteWord left = route >> digit.shift & digit.mask;
    sum += !digit.line ? unsigned{left != 0} : left < digit.radix ? left : left - (digit.radix - 1U);
  }
  return sum;
}

/// The lowest dimension of a route that is not over.
[[nodiscard]] inline const RouteDigit& lowest_digit(const Shape& shape, RouteWord route) {
  unsigned i = 0;
  while ((route >> shape.digit[i].shift & shape.digit[i].mask) == 0) ++i;
  return shape.digit[i];
}

/// The output that a probe from `input` asks for: the lowest dimension left to travel, or an eject port.
[[nodiscard]] inline unsigned wanted_output(const Shape& shape, RouteWord route, unsigned input) {
  if (route != 0 && shape.digits == 0) return static_cast<unsigned>(std::countr_zero(route));
  if (route != 0) {
    const RouteDigit& digit = lowest_digit(shape, route);
    const RouteWord left = route >> digit.shift & digit.mask;
    return digit.first_output + (digit.line ? unsigned{left >= digit.radix} : left - 1);
  }
  if (input >= shape.dim) return input;  // a message to itself: the eject port of the inject port's number
  return shape.ports == 1 ? shape.dim : shape.dim + input;
}

/// A granted probe as it leaves: its way is shorter by the link, if any was left.
[[nodiscard]] inline Wire onward(const Shape& shape, Wire probe) {
  if (shape.digits == 0) {
    probe.route &= probe.route - 1;
  } else if (probe.route != 0) {
    const RouteDigit& digit = lowest_digit(shape, probe.route);
    const RouteWord left = probe.route >> digit.shift & digit.mask;
    const RouteWord crossed = !digit.line || left == digit.radix ? left : 1;
    probe.route -= crossed << digit.shift;
  }
  return probe;
}

/// The first requesting input at or after the pointer, cyclically; `nobody` if none requests.
[[nodiscard]] inline std::uint8_t winner(LineMask requests, unsigned pointer) {
  if (requests == 0) return nobody;
  const LineMask behind = requests >> pointer << pointer;
  return static_cast<std::uint8_t>(std::countr_zero(behind != 0 ? behind : requests));
}

}  // namespace ecube::clocked
