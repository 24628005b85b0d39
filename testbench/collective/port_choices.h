// SPDX-License-Identifier: Apache-2.0
// How many of its ports an algorithm uses, and the command that runs the algorithm with that number.
#pragma once

#include <string>
#include <vector>

#include "models/machine/machine.h"

namespace ecube {

struct RunArguments;

/// Numbers of ports that an algorithm may use on a machine: all ports first, then fewer, down to one; above 64 powers
/// of two only.
[[nodiscard]] std::vector<Ports> port_choices(Ports ports, unsigned dim);

/// "one", "n" or the number, as `--ports` takes it.
[[nodiscard]] std::string ports_word(Ports ports);

/// "./ecube run WORKLOAD" with the machine, dimension and other options of `arguments`, and these ports.
[[nodiscard]] std::string run_command(const std::string& workload, const RunArguments& arguments, Ports ports);

}  // namespace ecube
