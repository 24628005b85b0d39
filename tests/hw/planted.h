// SPDX-License-Identifier: Apache-2.0
// The fault that is planted in the sources of planted.txt; only tests are linked with those.
#pragma once

#include <string_view>

namespace ecube {

inline std::string_view planted_fault;  ///< by its name; empty: none

[[nodiscard]] inline bool planted(std::string_view fault) { return fault == planted_fault; }

/// While a module of the node that alone has the fault is clocked.
inline bool planted_here = false;

[[nodiscard]] inline bool planted_in_node_1(std::string_view fault) { return planted_here && planted(fault); }

}  // namespace ecube
