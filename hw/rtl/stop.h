// SPDX-License-Identifier: Apache-2.0
// Assertions of the RTL that failed in a run.
#pragma once

#include <string>

namespace ecube::rtl {

/// The first assertion that failed, as file:line; empty while none has.
std::string& failed_assertion();

}  // namespace ecube::rtl
