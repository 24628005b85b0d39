// SPDX-License-Identifier: Apache-2.0
// The shared libraries of the verilated nodes: built on first use, kept beside the program.
#pragma once

#include <string>

#include "hw/rtl_node.h"
#include "models/machine.h"

namespace ecube {

/// The verilated node for this dimension and its ports, from the library of that name, which is built first if it is
/// not there (some ten seconds, said on standard error). `variant` names another build of it, as "trace". InputError
/// when the machine cannot be run in RTL or the library cannot be had; the model lives as long as the program.
[[nodiscard]] RtlModel& rtl_model(const Machine& machine, unsigned dim, const std::string& variant = "");

}  // namespace ecube
