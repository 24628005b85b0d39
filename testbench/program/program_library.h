// SPDX-License-Identifier: Apache-2.0
// Files of programs: compiled when their contents are new, kept, and loaded.
#pragma once

#include <string>
#include <string_view>

#include "sw/program/program.h"
#include "testbench/program/program_compiler.h"

namespace ecube {

/// Seconds of processor time that a program may take from one wait to the next, where --step-limit says nothing.
inline constexpr double default_program_step_limit = 10;

/// Whether a word after `run program` names a file and not a program that comes with ecube.
[[nodiscard]] bool names_program_file(std::string_view word);

/// A loaded file.
struct ProgramLibrary {
  std::string file;
  std::string hash;  ///< SHA-256 of the contents of the file and of the user's files that it includes
  ProgramList programs;
};

/// The programs of a file in C++, compiled first if the file, a file that it includes, the compiler or the headers of
/// ecube have changed since. InputError when the file cannot be read or does not compile, or has no programs. A file
/// stays loaded until the process ends.
/// With sanitizers, after load_sanitizers().
/// ProgramCrash when static initialisers or parameters() of the file crash, or take more than `step_limit` seconds.
[[nodiscard]] const ProgramLibrary& program_library(const std::string& file,
                                                    double step_limit = default_program_step_limit,
                                                    MemoryChecks checks = MemoryChecks::none);

/// The program of this name; the only one when `name` is empty. InputError with the names that there are.
[[nodiscard]] const ProgramEntry& program_of(const ProgramLibrary& library, const std::string& name);

}  // namespace ecube
