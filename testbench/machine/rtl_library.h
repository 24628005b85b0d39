// SPDX-License-Identifier: Apache-2.0
// The shared libraries of the verilated routers and ports: built on first use, kept beside the program. Routers of the
// user's own in SystemVerilog are linted, built with the interface ports of hw/rtl, and kept by their contents.
#pragma once

#include <filesystem>

#include "hw/rtl/lone_router.h"
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
[[nodiscard]] inline RtlLibrary& loaded_rtl(const std::filesystem::path& library, const std::string& target) {
  return *reinterpret_cast<RtlLibrary* (*)()>(symbol_of_rtl(library, target, rtl_library_symbol))();
}
/// InputError when the machine cannot be run in RTL.
void check_rtl(const Machine& machine, unsigned dim);

/// The library of a target of hw/rtl/CMakeLists.txt, built first if it does not exist. Processes that ask at the same
/// time wait for the one that builds. InputError, with the packages to install, when the library cannot be built.
[[nodiscard]] std::filesystem::path built_rtl_library(const std::string& target);

/// Where CMake builds: a tree, which is configured first where it has `sources`, with a further option or none.
struct BuildTree {
  std::filesystem::path tree;
  std::filesystem::path sources;
  std::string option;
};
/// Whether the targets of hw/rtl/CMakeLists.txt were built; `log` has what CMake said. Interrupted when a signal came.
[[nodiscard]] bool build_rtl(const BuildTree& place, const std::vector<std::string>& targets,
                             const std::filesystem::path& log);

/// Whether a library is there as it was built. Only such a library may be loaded: one that is cut off ends the program.
[[nodiscard]] bool is_whole(const std::filesystem::path& library);

[[noreturn]] void refuse_rtl(const std::string& target, const std::string& why);

/// The verilated parts of nodes whose router is the module of `file`, which has the name, the parameters and the pins
/// of hw/rtl/ecube_router.sv or, for worms, of ecube_worm_router.sv. Built on first use in the user's cache, which
/// takes some twenty seconds. InputError, with the line of the file, where it does not pass verilator -Wall; InputError
/// when the machine cannot be run in RTL or nothing can be built.
[[nodiscard]] RtlLibrary& own_router_library(const std::string& file, const Machine& machine, unsigned dim);

struct RouterSetup {
  Machine machine;
  unsigned dim = 1;
};

/// The variant of a library that has a router alone.
inline constexpr const char* alone = "alone";

/// The router of `file` alone, for each of these machines, which have one kind of switching; built together.
[[nodiscard]] std::vector<MakeLoneRouter*> lone_routers(const std::string& file,
                                                        const std::vector<RouterSetup>& setups);
/// True when a library of the router needs no building.
[[nodiscard]] bool own_router_is_built(const std::string& file, const RouterSetup& setup,
                                       const std::string& variant = "");

/// The text of a router. InputError unless `file` can be read.
[[nodiscard]] std::string own_router_text(const std::string& file);

/// True when its code has this module. Comments and strings are no code.
[[nodiscard]] bool own_router_has(const std::string& file, std::string_view module);

/// A copy of hw/rtl with the file in the place of its router, for this machine: where `verify prove` reads it.
[[nodiscard]] std::filesystem::path own_router_sources(const std::string& file, const Machine& machine);

}  // namespace ecube
