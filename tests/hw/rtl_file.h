// SPDX-License-Identifier: Apache-2.0
// Verilated modules from a file, for programs that are no GoogleTest.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "hw/rtl/library.h"
#include "hw/rtl/parts.h"

namespace ecube {

/// The modules of this file, or nullptr after a message on standard error.
inline RtlLibrary* library_of(const std::string& file, const char* program) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto* const make =
      handle == nullptr ? nullptr : reinterpret_cast<RtlLibrary* (*)()>(dlsym(handle, rtl_library_symbol));
  if (make == nullptr) {
    std::fprintf(stderr, "%s: %s\n", program, dlerror());
    return nullptr;
  }
  return make();
}

}  // namespace ecube
