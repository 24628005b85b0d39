// SPDX-License-Identifier: Apache-2.0
// Errors of command lines that could not be read, in the words of this program.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "models/machine/error.h"

namespace ecube {

/// Translates `problem`, thrown while `app` read `arguments` (without the program's name), into an error for a person:
/// unknown commands and options with the nearest spelling, and the page of help that belongs to the command.
[[nodiscard]] InputError usage_error(const CLI::App& app, std::span<const std::string> arguments,
                                     const CLI::ParseError& problem);

}  // namespace ecube
