// SPDX-License-Identifier: Apache-2.0
// Naming the library, and loading it.
#include "testbench/machine/rtl_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>

#include "models/machine/error.h"
#include "testbench/machine/rtl_build.h"

namespace ecube {

void check_rtl(const Machine& machine, unsigned dim) {
  if (const std::string refused = rtl_refusal(machine, dim); !refused.empty()) {
    throw InputError("the RTL cannot be this machine: " + refused).hint("--engine event runs it");
  }
}

std::string rtl_target(const Machine& machine, unsigned dim, const std::string& variant) {
  const bool one = machine.node.ports.physical(dim) == 1;
  const bool worms = machine.network.switching == Switching::wormhole;
  return fmt::format("ecube_rtl_d{}_{}{}{}", dim, one ? "one" : "n",
                     worms ? fmt::format("_worms{}", machine.buffer_phits()) : "",
                     variant.empty() ? "" : "_" + variant);
}

void* symbol_of_rtl(const std::filesystem::path& library, const std::string& target, const char* name) {
  // Never closed: SystemC objects of the library live as long as the simulation.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse_rtl(target, dlerror());
  void* const symbol = dlsym(handle, name);
  if (symbol == nullptr) refuse_rtl(target, dlerror());
  return symbol;
}

RtlLibrary& loaded_rtl(const std::filesystem::path& library, const std::string& target) {
  return *reinterpret_cast<RtlLibrary* (*)()>(symbol_of_rtl(library, target, rtl_library_symbol))();
}

RtlLibrary& rtl_library(const Machine& machine, unsigned dim, const std::string& variant) {
  check_rtl(machine, dim);
  const std::string target = rtl_target(machine, dim, variant);
  return loaded_rtl(built_rtl_library(target), target);
}

}  // namespace ecube
