// SPDX-License-Identifier: Apache-2.0
// What was wrong with a command line that could not be read, in the words of this program.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "models/machine/error.h"

namespace ecube {

/// The error that `problem`, thrown while `app` read `arguments` (without the program's name), means to a person:
/// unknown commands and options with the nearest spelling, and the page of help that belongs to the command.
[[nodiscard]] InputError usage_error(const CLI::App& app, std::span<const std::string> arguments,
                                     const CLI::ParseError& problem);

}  // namespace ecube
