// SPDX-License-Identifier: Apache-2.0
// Errors of command lines that could not be read, in the words of this program; and words of earlier versions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "models/machine/error.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace ecube {

/// The machine parameter of which an option of earlier versions was another name, without its dashes; empty for others.
[[nodiscard]] std::string_view parameter_of_old_option(std::string_view option);

/// Translates `problem`, thrown while `app` read `arguments` (without the program's name), into an error for a person:
/// unknown commands and options with the nearest spelling, and the page of help that belongs to the command.
[[nodiscard]] InputError usage_error(const CLI::App& app, std::span<const std::string> arguments,
                                     const CLI::ParseError& problem);

}  // namespace ecube
