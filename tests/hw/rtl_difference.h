// SPDX-License-Identifier: Apache-2.0
// Verilated modules from a file beside the event engine, and what differs first, for programs that are no GoogleTest.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "hw/rtl/library.h"
#include "hw/rtl/parts.h"
#include "tests/hw/both_engines.h"
#include "tests/hw/random_program.h"

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

/// Runs the program on the event engine and in RTL. What differs first, or nothing. `engines.event()` then has the
/// figures of this run.
inline std::string difference(BothEngines& engines, const RandomProgram& program) {
  CircuitRecorder event;
  CircuitRecorder rtl;
  RandomFirmware on_event(program);
  RandomFirmware on_rtl(program);
  const RunResult expected =
      engines.run_event(on_event.program(), program.machine, program.dim, program.conditions, event);
  const RunResult result = engines.run_clocked(on_rtl.program(), program.machine, program.dim, program.conditions, rtl);
  if (result.fault != expected.fault) return result.fault;
  if (auto edge = first_difference(event, rtl, "rtl"); edge) return *edge;
  if (result.status != expected.status) return "one machine stalls";
  if (expected.status == RunResult::Status::finished && result.cycles != expected.cycles) return "last cycle";
  const ClockedCube& cube = *engines.find(program.machine, program.dim);
  if (all_links(cube) != all_links(engines.event())) return "figures of links";
  if (counted(cube.statistics()) != counted(engines.event().engine().statistics())) return "statistics";
  if (on_rtl.wrong() != 0 || on_event.wrong() != 0) return "what has arrived";
  return "";
}

}  // namespace ecube
