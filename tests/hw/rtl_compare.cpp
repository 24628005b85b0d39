// SPDX-License-Identifier: Apache-2.0
// Compares a library of verilated modules, right or wrong, with the event engine: rtl_compare LIBRARY one|n|two BUFFER
// PROGRAMS. Prints the first difference and exits with 1, or with 0 when random programs do not tell the two apart.
#include <cstdlib>

#include "tests/hw/both_engines.h"
#include "tests/hw/late_worms.h"
#include "tests/hw/rtl_file.h"

namespace ecube {
namespace {

RandomProgram drawn(std::uint64_t seed, const RandomShape& shape) {
  if (shape.buffer > 0 && seed % 2 == 0) return late_worms(seed, shape, 6);
  return seed % 8 == 7 ? wide_program(seed, shape) : random_program(seed, shape, 6, seed % 4 == 1);
}

int run(const std::string& file, const RandomShape& shape, std::uint64_t programs) {
  RtlLibrary* const library = library_of(file, "rtl_compare");
  if (library == nullptr) return 2;
  BothEngines engines("rtl");
  engines.elaborate(machine_of(shape), shape.dim, RtlParts(*library));
  const std::string found = first_found(engines, programs, [&](std::uint64_t seed) { return drawn(seed, shape); });
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
