// SPDX-License-Identifier: Apache-2.0
// How much of the cube is SystemC modules.
#pragma once

#include <cstdint>

namespace ecube {

/// full: an sc_module for every node and router. flat: the cube alone. Cycles are the same.
enum class Hierarchy : std::uint8_t { full, flat };

/// Above this dimension Hierarchy::full costs more memory than the machine itself, and `auto` means flat.
inline constexpr unsigned max_auto_full_dim = 14;

}  // namespace ecube
