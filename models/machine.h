// SPDX-License-Identifier: Apache-2.0
// A machine: every parameter of the modelled hardware and its message library, as one plain value.
#pragma once

#include <cstdint>
#include <string>

#include "models/cube.h"
#include "models/ratio.h"

namespace ecube {

enum class Startups : std::uint8_t { queued, overlapped };
enum class Distance : std::uint8_t { real, fixed };
enum class Protocol : std::uint8_t { none, forced, unforced };
enum class Barrier : std::uint8_t { none, phase, step };
enum class IdentityShuffle : std::uint8_t { charge, skip };

/// Simultaneous links per node: one, one for each dimension (n), or at most `engines` at a time.
struct Ports {
  static constexpr std::uint32_t n = 0;
  std::uint32_t engines = 1;  ///< 1 = one-port, Ports::n = n-port, otherwise K engines

  /// Inject (and eject) ports of a router in a cube of dimension `dim`.
  [[nodiscard]] constexpr std::uint32_t physical(unsigned dim) const { return engines == 1 ? 1 : dim; }
  /// True when fewer engines than ports exist, so that the interface has to share them.
  [[nodiscard]] constexpr bool shared(unsigned dim) const { return engines > 1 && engines < dim; }
  friend constexpr bool operator==(const Ports&, const Ports&) = default;
};

/// Field meanings and cycle rules: hw/README.md. Names, units, ranges and help: models/options.h, the one table.
struct Machine {
  std::string name = "custom";
  double clock_hz = 40e6;

  struct Link {
    std::uint32_t phit_bytes = 1;
    Ratio cycles_per_phit{1, 1};
  } link;

  struct Router {
    Cycles route_cycles = 1;
  } router;

  struct Network {
    Cycles accept_cycles = 1;
    Distance distance = Distance::real;
    Cycles setup_cycles = 0;  ///< probe edge to receiver ready of a one-phit message, used when distance is fixed
  } network;

  struct Node {
    Ports ports;
    Startups startups = Startups::overlapped;
    Cycles startup_cycles = 100;
    Cycles startup_zero_cycles = 100;
    Ratio permute_cycles_per_byte{0, 1};
    Ratio combine_cycles_per_item{0, 1};
  } node;

  struct Library {
    Protocol protocol = Protocol::none;
    Barrier barrier = Barrier::none;
    IdentityShuffle identity_shuffle = IdentityShuffle::charge;
  } library;

  [[nodiscard]] double us(double cycles) const { return cycles * 1e6 / clock_hz; }
  [[nodiscard]] Cycles startup(Bytes bytes) const {
    return bytes == 0 ? node.startup_zero_cycles : node.startup_cycles;
  }
  /// Phits of a message; a message without bytes is one phit, the tail.
  [[nodiscard]] std::uint64_t phits(Bytes bytes) const {
    return bytes == 0 ? 1 : (bytes + link.phit_bytes - 1) / link.phit_bytes;
  }
  /// Cycles from the first phit to the tail of a message.
  [[nodiscard]] Cycles data_cycles(Bytes bytes) const { return link.cycles_per_phit.floor_of(phits(bytes) - 1); }
  [[nodiscard]] Cycles permute_cycles(Bytes bytes) const { return node.permute_cycles_per_byte.ceil_of(bytes); }
  [[nodiscard]] Cycles combine_cycles(std::uint64_t items) const { return node.combine_cycles_per_item.ceil_of(items); }
  /// Probe edge to receiver ready of an uncontended one-phit message over `hop_count` links (hw/README.md section 3).
  [[nodiscard]] Cycles one_phit_cycles(unsigned hop_count) const {
    return network.distance == Distance::fixed
               ? network.setup_cycles
               : (hop_count + 1) * (router.route_cycles + 3) + network.accept_cycles + 3;
  }
};

}  // namespace ecube
