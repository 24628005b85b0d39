// SPDX-License-Identifier: Apache-2.0
// The layout of a word on a wire of the RTL, as in ecube_pkg.sv.
#pragma once

#include <cstdint>

#include "hw/clocked/wires/wire.h"

namespace ecube::rtl {

/// Bits of a wire in a cube of `dim` dimensions.
constexpr unsigned wire_bits(unsigned dim) { return 2 * dim + 3 + 16 + 2; }

inline std::uint64_t packed(const clocked::Wire& wire, unsigned dim) {
  const std::uint64_t numbers =
      std::uint64_t{static_cast<std::uint8_t>(wire.kind)} << 19 | std::uint64_t{wire.sequence} << 3 | wire.port;
  return numbers << 2 * dim | std::uint64_t{wire.source} << dim | wire.route;
}

inline clocked::Wire unpacked(std::uint64_t word, unsigned dim) {
  const std::uint64_t label = (std::uint64_t{1} << dim) - 1;
  const std::uint64_t numbers = word >> 2 * dim;
  return {.kind = static_cast<clocked::WireKind>(numbers >> 19 & 3),
          .port = static_cast<std::uint8_t>(numbers & 7),
          .source = static_cast<clocked::Label>(word >> dim & label),
          .route = static_cast<clocked::RouteWord>(word & label),
          .sequence = static_cast<std::uint16_t>(numbers >> 3)};
}

}  // namespace ecube::rtl
