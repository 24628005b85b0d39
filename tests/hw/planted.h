// SPDX-License-Identifier: Apache-2.0
// The fault that is planted in the sources of planted.txt; only tests are linked with those.
#pragma once

#include <string_view>

namespace ecube {

inline std::string_view planted_fault;  ///< by its name; empty: none

[[nodiscard]] inline bool planted(std::string_view fault) { return fault == planted_fault; }

}  // namespace ecube
