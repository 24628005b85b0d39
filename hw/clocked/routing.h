// SPDX-License-Identifier: Apache-2.0
// Route computation and arbitration: the output that a probe asks for, and the input that is granted it (hw/README.md
// section 2).
#pragma once

#include <bit>

#include "hw/clocked/router_pins.h"

namespace ecube::clocked {

inline constexpr std::uint8_t nobody = 0xFF;

// A probe carries the way that is left, and routers do not know their labels. In a cube it is source XOR destination.
// In other topologies it has a number for each dimension: of a complete graph, what has to be added to the digit; of a
// line, the links to go in the direction +, or radix - 1 more than the links to go in the direction -. 0 is no way.

/// The way between two nodes.
[[nodiscard]] RouteWord route_between(const Shape& shape, NodeId from, NodeId to);
/// The number of links on the way.
[[nodiscard]] unsigned hops_of(const Shape& shape, RouteWord route);

// Where the topology is not a cube and the way is not over:
/// The output that the way takes next.
[[nodiscard]] unsigned output_of_way(const Shape& shape, RouteWord route);
/// What is left behind that output.
[[nodiscard]] RouteWord beyond_link(const Shape& shape, RouteWord route);

/// Rule 1.4: of the channel that a router has a probe from, the number of the first link.
[[nodiscard]] inline unsigned first_of_channel(const Shape& shape, unsigned input) {
  if (shape.channels == 1) return 0;
  const unsigned number = input < shape.dim ? input : input - shape.dim;
  return number - number % (shape.dim / shape.channels);
}

/// Rules 2.1 and 2.7: the output that a probe from `input` asks for: the lowest dimension left to travel, or an eject
/// port.
[[nodiscard]] inline unsigned wanted_output(const Shape& shape, RouteWord route, unsigned input) {
  if (route != 0)
    return first_of_channel(shape, input) +
           (shape.digits == 0 ? static_cast<unsigned>(std::countr_zero(route)) : output_of_way(shape, route));
  if (input >= shape.dim) return input;  // a message to itself: the eject port of the inject port's number
  return shape.ports == 1 ? shape.dim : shape.dim + input;
}

/// Rule 2.2: a granted probe as it leaves: its way is shorter by the link, if any was left.
[[nodiscard]] inline Wire onward(const Shape& shape, Wire probe) {
  if (probe.route != 0)
    probe.route =
        shape.digits == 0 ? static_cast<RouteWord>(probe.route & (probe.route - 1)) : beyond_link(shape, probe.route);
  return probe;
}

/// Rule 2.3: the first requesting input at or after the pointer, cyclically; `nobody` if none requests.
[[nodiscard]] inline std::uint8_t winner(LineMask requests, unsigned pointer) {
  if (requests == 0) return nobody;
  const LineMask behind = requests >> pointer << pointer;
  return static_cast<std::uint8_t>(std::countr_zero(behind != 0 ? behind : requests));
}

}  // namespace ecube::clocked
