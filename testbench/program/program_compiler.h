// SPDX-License-Identifier: Apache-2.0
// Compiling a file of programs into a shared object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ecube {

/// How a program's accesses to memory are checked: not at all, or by AddressSanitizer and UBSan.
enum class MemoryChecks : std::uint8_t { none, sanitizers };

/// How programs are compiled here. InputError, with the package to install, when there is no compiler, or no headers.
struct ProgramCompiler {
  std::filesystem::path headers;  ///< the folder of "sw/..." and "models/..."
  std::string program;            ///< the compiler
  MemoryChecks checks;
  std::string version;  ///< SHA-256 of the compiler, its options and all headers of models and sw
};
[[nodiscard]] ProgramCompiler find_compiler(MemoryChecks checks);

/// Begins the process anew with the sanitizers' library loaded before everything else, as a sanitized program needs it;
/// returns where it is loaded. InputError with the package to install when the compiler has none.
void load_sanitizers();

/// Compiles `source` to `object`, and writes the names of all user files that were read into `inputs`, as a rule of
/// make. InputError with the compiler's first error, at the user's line, when the file does not compile.
void compile_program(const ProgramCompiler& compiler, const std::filesystem::path& source,
                     const std::filesystem::path& object, const std::filesystem::path& inputs);

/// The first error in a compiler's output, as an error of the user's file `source`. The line is that of the error, or,
/// for an error in a header, the line of `source` that led there.
[[nodiscard]] std::string first_compiler_error(const std::string& output, const std::string& source);

}  // namespace ecube
