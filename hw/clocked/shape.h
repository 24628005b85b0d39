// SPDX-License-Identifier: Apache-2.0
// The parameters that the modules of a clocked cube are built for. All other parameters of a machine can change from
// run to run.
#pragma once

#include <array>
#include <cstdint>

#include "models/machine/machine.h"

namespace ecube::clocked {

/// Largest cube: 4096 nodes with a module for every part take 4 GB on n ports.
inline constexpr unsigned max_dim = 12;

/// Network ports, then node ports, of the largest router.
inline constexpr unsigned max_lines = 32;
inline constexpr unsigned max_ports = 16;
/// Of a probe's way.
inline constexpr unsigned way_bits = 16;

/// A bit for each port of a node.
using PortMask = std::uint16_t;

/// The part of a probe's route that one dimension of any radix needs (routing.h): where it is, and what it says.
struct RouteDigit {
  std::uint8_t shift = 0;         ///< bits of the route below it
  std::uint8_t first_output = 0;  ///< of the dimension
  Topology::Kind kind = Topology::Kind::complete;
  std::uint16_t radix = 2;
  std::uint16_t mask = 1;
  [[nodiscard]] bool line() const { return kind == Topology::Kind::line; }
  bool operator==(const RouteDigit&) const = default;
};

struct Shape {
  unsigned dim = 1;             ///< links that leave a node; of a cube, its dimension
  unsigned ports = 1;           ///< inject ports, and eject ports, of a router
  bool shared_engines = false;  ///< fewer receive engines than ports
  bool worms = false;           ///< wormhole switching, else circuits
  std::uint64_t buffer = 0;     ///< of an input, phits; worms only
  unsigned channels = 1;        ///< of a link
  bool detailed = false;        ///< nodes have memories
  unsigned digits = 0;          ///< dimensions of a topology that is not a cube
  std::array<RouteDigit, max_dim> digit{};
  unsigned label_bits = 0;  ///< on planes, whose number says nothing of the nodes
  [[nodiscard]] unsigned lines() const { return dim + ports; }
  bool operator==(const Shape&) const = default;
};

/// std::invalid_argument for a machine that is too large.
[[nodiscard]] Shape shape_of(const Machine& machine, unsigned dim);

}  // namespace ecube::clocked
