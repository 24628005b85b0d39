// SPDX-License-Identifier: Apache-2.0
// Building the shared libraries of verilated modules: in the program's build tree, or in the user's cache for a program
// that is installed.
#pragma once

#include <filesystem>
#include <string>

namespace ecube {

/// The library of a target of hw/rtl/CMakeLists.txt, built first if it does not exist. Processes that ask at the same
/// time wait for the one that builds. InputError, with the packages to install, when the library cannot be built.
[[nodiscard]] std::filesystem::path built_rtl_library(const std::string& target);

/// Whether a library is there as it was built. Only such a library may be loaded: one that is cut off ends the program.
[[nodiscard]] bool is_whole(const std::filesystem::path& library);

/// Configures `tree` for the project in `sources`, and builds `target`, with what CMake says at the end of `log`. True
/// when both end well.
[[nodiscard]] bool cmake_builds(const std::filesystem::path& sources, const std::filesystem::path& tree,
                                const std::string& target, const std::filesystem::path& log);

/// Throws the error of a library that cannot be built.
[[noreturn]] void refuse_rtl(const std::string& target, const std::string& why);

}  // namespace ecube
