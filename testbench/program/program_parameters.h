// SPDX-License-Identifier: Apache-2.0
// The values of a program's parameters, from --param.
#pragma once

#include <span>
#include <string>

#include "sw/program/program.h"

namespace ecube {

/// The values of all parameters of `program`: those of `given`, each "name=value", and defaults. Times become cycles
/// of `machine`. InputError for a name that the program does not declare, with the nearest one, for a value that is
/// not of its type or out of its range, and for a name that is given twice.
[[nodiscard]] ParameterValues parameter_values(const ProgramEntry& program, std::span<const std::string> given,
                                               const Machine& machine);

/// Lines for people: every parameter with type, unit, default and help.
[[nodiscard]] std::string parameters_text(const ProgramEntry& program);

}  // namespace ecube
