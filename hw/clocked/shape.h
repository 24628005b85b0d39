// SPDX-License-Identifier: Apache-2.0
// The parameters that the modules of a clocked cube are built for. All other parameters of a machine can change from
// run to run.
#pragma once

#include <cstdint>

#include "models/machine/machine.h"

namespace ecube::clocked {

/// Largest cube: 4096 nodes with a module for every part take 4 GB on n ports.
inline constexpr unsigned max_dim = 12;

/// A bit for each port of a node.
using PortMask = std::uint16_t;

struct Shape {
  unsigned dim = 1;
  unsigned ports = 1;           ///< inject ports, and eject ports, of a router
  bool shared_engines = false;  ///< fewer receive engines than ports
  bool worms = false;           ///< wormhole switching, else circuits
  std::uint64_t buffer = 0;     ///< of an input, phits; worms only
  [[nodiscard]] unsigned lines() const { return dim + ports; }
  bool operator==(const Shape&) const = default;
};

[[nodiscard]] inline Shape shape_of(const Machine& machine, unsigned dim) {
  const bool worms = machine.network.switching == Switching::wormhole;
  return {.dim = dim,
          .ports = machine.node.ports.physical(dim),
          .shared_engines = machine.node.ports.shared(dim),
          .worms = worms,
          .buffer = worms ? machine.buffer_phits() : 0};
}

}  // namespace ecube::clocked
