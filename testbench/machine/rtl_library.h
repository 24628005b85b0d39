// SPDX-License-Identifier: Apache-2.0
// The shared libraries of the verilated routers and ports: built on first use, kept beside the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hw/rtl/parts.h"
#include "models/machine/machine.h"

namespace ecube {

/// The verilated parts of nodes for this dimension and its ports. Their library is built first if it does not exist,
/// which takes some twenty seconds and a note on standard error. `variant` names another build of the library, as
/// "coverage". InputError when the machine cannot be run in RTL or the library cannot be built. The library stays
/// loaded until the program ends.
[[nodiscard]] RtlLibrary& rtl_library(const Machine& machine, unsigned dim, const std::string& variant = "");
/// The target of hw/rtl/CMakeLists.txt for this machine.
[[nodiscard]] std::string rtl_target(const Machine& machine, unsigned dim, const std::string& variant = "");
/// The function `name` of a library that was built for this target.
[[nodiscard]] void* symbol_of_rtl(const std::filesystem::path& library, const std::string& target, const char* name);
/// The modules of a library that was built for this target.
[[nodiscard]] RtlLibrary& loaded_rtl(const std::filesystem::path& library, const std::string& target);
/// InputError when the machine cannot be run in RTL.
void check_rtl(const Machine& machine, unsigned dim);

/// The library of a target of hw/rtl/CMakeLists.txt, built first if it does not exist. Processes that ask at the same
/// time wait for the one that builds. InputError, with the packages to install, when the library cannot be built.
[[nodiscard]] std::filesystem::path built_rtl_library(const std::string& target);

/// The command by which CMake configures `tree` for `sources`.
[[nodiscard]] std::vector<std::string> configure_words(const std::filesystem::path& sources,
                                                       const std::filesystem::path& tree);

/// Whether a library is there as it was built. Only such a library may be loaded: one that is cut off ends the program.
[[nodiscard]] bool is_whole(const std::filesystem::path& library);

/// Throws the error of a library that cannot be built.
[[noreturn]] void refuse_rtl(const std::string& target, const std::string& why);

}  // namespace ecube
