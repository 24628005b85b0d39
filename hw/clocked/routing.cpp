// SPDX-License-Identifier: Apache-2.0
// Ways through dimensions of any radix, and the shape of the routers that know them.
#include "hw/clocked/routing.h"

#include <stdexcept>
#include <string>

namespace ecube::clocked {

Shape shape_of(const Machine& machine, unsigned dim) {
  const bool worms = machine.network.switching == Switching::wormhole;
  const Topology topology = machine.topology(dim);
  const unsigned links = topology.outputs();
  Shape shape{.dim = links,
              .ports = machine.node.ports.physical(links),
              .shared_engines = machine.node.ports.shared(links),
              .worms = worms,
              .buffer = worms ? machine.buffer_phits() : 0,
              .channels = topology.channels(),
              .detailed = machine.node.model == NodeModel::detailed};
  if (topology.label_bits() > max_dim || shape.lines() > max_lines) {
    throw std::invalid_argument("a clocked machine has at most 2^" + std::to_string(max_dim) + " nodes, and " +
                                std::to_string(max_lines) + " inputs of a router");
  }
  if (topology.planes() != 0) {  // a way is the bit of the plane
    shape.label_bits = topology.label_bits();
    return shape;
  }
  if (topology.is_cube()) return shape;
  unsigned shift = 0;
  unsigned output = 0;
  for (const Topology::Dimension& dimension : topology.dimensions()) {
    const bool line = dimension.kind == Topology::Kind::line;
    // What is left to travel: forward by 1 .. radix - 1, and in a line also backward.
    const unsigned most = line ? 2 * (dimension.radix - 1) : dimension.radix - 1;
    const auto bits = static_cast<unsigned>(std::bit_width(most));
    if (shift + bits > way_bits) {
      throw std::invalid_argument("a wire of a clocked machine has room for ways of " + std::to_string(way_bits) +
                                  " bits");
    }
    shape.digit[shape.digits++] = {.shift = static_cast<std::uint8_t>(shift),
                                   .first_output = static_cast<std::uint8_t>(output),
                                   .kind = dimension.kind,
                                   .radix = static_cast<std::uint16_t>(dimension.radix),
                                   .mask = static_cast<std::uint16_t>((1U << bits) - 1)};
    shift += bits;
    output += dimension.radix == 2 ? 1 : line ? 2 : dimension.radix - 1;
  }
  return shape;
}

namespace {

unsigned way_in(const RouteDigit& digit, RouteWord route) { return route >> digit.shift & digit.mask; }

/// What the first link of a way that is left in a dimension other than a line adds to the digit.
unsigned first_jump(const RouteDigit& digit, unsigned left) {
  return Topology::first_jump({digit.radix, digit.kind}, left);
}

/// The lowest dimension of a way that is not over.
const RouteDigit& lowest_digit(const Shape& shape, RouteWord route) {
  unsigned i = 0;
  while (way_in(shape.digit[i], route) == 0) ++i;
  return shape.digit[i];
}

}  // namespace

/// Rule 1.3.
RouteWord route_between(const Shape& shape, NodeId from, NodeId to) {
  if (shape.digits == 0) return static_cast<RouteWord>(from ^ to);
  std::uint32_t route = 0;
  for (unsigned i = 0; i < shape.digits; ++i) {
    const RouteDigit& digit = shape.digit[i];
    const NodeId own = from % digit.radix;
    const NodeId goal = to % digit.radix;
    const NodeId back = digit.line() ? own - goal + digit.radix - 1 : goal + digit.radix - own;
    route |= (goal >= own ? goal - own : back) << digit.shift;
    from /= digit.radix;
    to /= digit.radix;
  }
  return static_cast<RouteWord>(route);
}

unsigned hops_of(const Shape& shape, RouteWord route) {
  if (shape.digits == 0) return static_cast<unsigned>(std::popcount(route));
  unsigned sum = 0;
  for (unsigned i = 0; i < shape.digits; ++i) {
    const RouteDigit& digit = shape.digit[i];
    const unsigned left = way_in(digit, route);
    sum += !digit.line()        ? unsigned{left != 0} + unsigned{first_jump(digit, left) != left}
           : left < digit.radix ? left
                                : left - (digit.radix - 1U);
  }
  return sum;
}

/// Rule 1.2.
unsigned output_of_way(const Shape& shape, RouteWord route) {
  const RouteDigit& digit = lowest_digit(shape, route);
  const unsigned left = way_in(digit, route);
  return digit.first_output + (digit.line() ? unsigned{left >= digit.radix} : first_jump(digit, left) - 1);
}

/// Rule 1.3.
RouteWord beyond_link(const Shape& shape, RouteWord route) {
  const RouteDigit& digit = lowest_digit(shape, route);
  const unsigned left = way_in(digit, route);
  const unsigned crossed = !digit.line() ? first_jump(digit, left) : left == digit.radix ? left : 1;
  return static_cast<RouteWord>(route - (crossed << digit.shift));
}

}  // namespace ecube::clocked
