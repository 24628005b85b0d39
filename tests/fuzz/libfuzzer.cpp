// SPDX-License-Identifier: Apache-2.0
// The entry of libFuzzer: ECUBE_FUZZ_TARGET names the reader.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <systemc>

#include "tests/directory.h"
#include "tests/fuzz/inputs.h"

namespace {

const FuzzTarget& chosen() {
  const char* const name = std::getenv("ECUBE_FUZZ_TARGET");
  for (const FuzzTarget& target : fuzz_targets()) {
    if (name != nullptr && target.name == name) return target;
  }
  std::cerr << "ECUBE_FUZZ_TARGET is one of:";
  for (const FuzzTarget& target : fuzz_targets()) std::cerr << ' ' << target.name;
  std::cerr << '\n';
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Directory directory;
  static const FuzzPlace place = fuzz_place(directory / "");
  static const FuzzTarget& target = chosen();
  try {
    (void)target.takes({reinterpret_cast<const char*>(data), size}, place);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    std::abort();
  }
  return 0;
}

/// libsystemc refers to it.
int sc_main(int, char**) { return 0; }
