// SPDX-License-Identifier: Apache-2.0
// The shape of a machine's routers.
#include "hw/clocked/shape.h"

#include <bit>
#include <stdexcept>

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
              .channels = topology.channels()};
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

}  // namespace ecube::clocked
