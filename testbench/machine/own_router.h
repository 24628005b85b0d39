// SPDX-License-Identifier: Apache-2.0
// A router of the user's own in SystemVerilog: linted, built with the interface ports of hw/rtl, and kept by its
// contents.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hw/rtl/lone_router.h"
#include "hw/rtl/parts.h"
#include "models/machine/machine.h"

namespace ecube {

/// The verilated parts of nodes whose router is the module of `file`, which has the name, the parameters and the pins
/// of hw/rtl/ecube_router.sv or, for worms, of ecube_worm_router.sv. Built on first use in the user's cache, which
/// takes some twenty seconds. InputError, with the line of the file, where it does not pass verilator -Wall; InputError
/// when the machine cannot be run in RTL or nothing can be built.
[[nodiscard]] RtlLibrary& own_router_library(const std::string& file, const Machine& machine, unsigned dim);

struct RouterSetup {
  Machine machine;
  unsigned dim = 1;
};

/// The variant (rtl_library.h) of a library that has a router alone.
inline constexpr const char* alone = "alone";

/// The router of `file` alone, for each of these machines, which have one kind of switching; built together.
[[nodiscard]] std::vector<MakeLoneRouter*> lone_routers(const std::string& file,
                                                        const std::vector<RouterSetup>& setups);
/// True when a library of the router needs no building.
[[nodiscard]] bool own_router_is_built(const std::string& file, const RouterSetup& setup,
                                       const std::string& variant = "");

/// The text of a router. InputError unless `file` can be read.
[[nodiscard]] std::string own_router_text(const std::string& file);

/// True when its code has the word `name`, after the word `before` if one is given. Comments and strings are no code.
[[nodiscard]] bool own_router_names(const std::string& file, std::string_view name, std::string_view before = {});

/// A copy of hw/rtl with the file in the place of its router, for this machine: where `verify prove` reads it.
[[nodiscard]] std::filesystem::path own_router_sources(const std::string& file, const Machine& machine);

}  // namespace ecube
