// SPDX-License-Identifier: Apache-2.0
// The pins of a verilated router alone, edge by edge beside the registers of the router in SystemC.
#pragma once

#include <optional>
#include <string>

#include "hw/clocked/shape.h"
#include "hw/rtl/lone_router.h"

namespace ecube {

/// The largest that were tried at the pins.
struct PinsTried {
  std::uint64_t edges = 0;
  std::uint64_t grants = 0;
  std::uint64_t route_delay = 0;
};

/// Runs program `seed`: random neighbours that keep the rules, a reset or two, and in half of the programs no clock
/// while the router says that nothing moves. Returns the first difference as lines of text, in which the router is
/// called `name`.
[[nodiscard]] std::optional<std::string> pin_difference(MakeLoneRouter& make, const clocked::Shape& shape,
                                                        std::uint64_t seed, const std::string& name, PinsTried& tried);

}  // namespace ecube
