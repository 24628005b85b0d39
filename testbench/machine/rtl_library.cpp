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
    throw ErrorText("the RTL cannot be this machine: " + refused).hint("--engine event runs it").error();
  }
}

RtlLibrary& rtl_library(const Machine& machine, unsigned dim, const std::string& variant) {
  check_rtl(machine, dim);
  const bool one = machine.node.ports.physical(dim) == 1;
  const bool worms = machine.network.switching == Switching::wormhole;
  const std::string target =
      fmt::format("ecube_rtl_d{}_{}{}{}", dim, one ? "one" : "n",
                  worms ? fmt::format("_worms{}", machine.buffer_phits()) : "", variant.empty() ? "" : "_" + variant);
  const std::filesystem::path library = built_rtl_library(target);
  // Never closed: SystemC objects of the library live as long as the simulation.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse_rtl(target, dlerror());
  auto* const make = reinterpret_cast<RtlLibrary* (*)()>(dlsym(handle, rtl_library_symbol));
  if (make == nullptr) refuse_rtl(target, dlerror());
  return *make();
}

}  // namespace ecube
