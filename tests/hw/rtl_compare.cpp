// SPDX-License-Identifier: Apache-2.0
// Compares a library of verilated modules, right or wrong, with the event engine: rtl_compare LIBRARY one|n BUFFER
// PROGRAMS. Prints the first difference and exits with 1, or with 0 when random programs do not tell the two apart.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "hw/rtl/library.h"
#include "hw/rtl/parts.h"
#include "tests/hw/both_engines.h"
#include "tests/hw/late_worms.h"

namespace ecube {
namespace {

/// What differs in the first of the random programs that tells a difference, with its number.
std::string difference(BothEngines& engines, const RandomShape& shape, std::uint64_t programs) {
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const bool late = shape.buffer > 0 && seed % 2 == 0;
    const RandomProgram program = late ? late_worms(seed, shape, 6) : random_program(seed, shape, 6, seed % 4 == 1);
    CircuitRecorder event;
    CircuitRecorder rtl;
    RandomFirmware on_event(program);
    RandomFirmware on_rtl(program);
    const RunResult expected =
        engines.run_event(on_event.program(), program.machine, program.dim, program.conditions, event);
    const RunResult result =
        engines.run_clocked(on_rtl.program(), program.machine, program.dim, program.conditions, rtl);
    const std::string where = "program " + std::to_string(seed) + ": ";
    if (result.fault != expected.fault) return where + result.fault;
    if (const auto edge = first_difference(event, rtl, "rtl"); edge) return where + *edge;
    if (result.status != expected.status) return where + "one machine stalls";
    if (expected.status == RunResult::Status::finished && result.cycles != expected.cycles) return where + "last cycle";
    const ClockedCube& cube = *engines.find(program.machine, program.dim);
    if (all_links(cube) != all_links(engines.event())) return where + "figures of links";
    if (counted(cube.statistics()) != counted(engines.event().engine().statistics())) return where + "statistics";
    if (on_rtl.wrong() != on_event.wrong()) return where + "what has arrived";
  }
  return "";
}

int run(const std::string& file, const RandomShape& shape, std::uint64_t programs) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::fprintf(stderr, "rtl_compare: %s\n", dlerror());
    return 2;
  }
  auto* const make = reinterpret_cast<RtlLibrary* (*)()>(dlsym(handle, rtl_library_symbol));
  if (make == nullptr) {
    std::fprintf(stderr, "rtl_compare: %s\n", dlerror());
    return 2;
  }
  BothEngines engines("rtl");
  engines.elaborate(machine_of(shape), shape.dim, RtlParts(*make()));
  const std::string found = difference(engines, shape, programs);
  std::printf("%s\n", found.empty() ? "no difference" : found.substr(0, found.find('\n')).c_str());
  std::fflush(stdout);
  std::_Exit(found.empty() ? 0 : 1);  // A wrong machine may have stopped anywhere; nothing of it is taken down.
}

}  // namespace
}  // namespace ecube

int sc_main(int argc, char* argv[]) {
  const std::string ports = argc == 5 ? argv[2] : "";
  if (ports != "one" && ports != "n" && ports != "two") {
    std::fprintf(stderr, "usage: rtl_compare LIBRARY one|n|two BUFFER PROGRAMS\n");
    return 2;
  }
  const ecube::RandomShape shape{.dim = ports == "two" ? 3U : 2U,
                                 .engines = ports == "n"     ? std::uint32_t{ecube::Ports::n}
                                            : ports == "two" ? 2U
                                                             : 1U,
                                 .buffer = static_cast<unsigned>(std::atoi(argv[3]))};
  return ecube::run(argv[1], shape, std::strtoull(argv[4], nullptr, 10));
}
