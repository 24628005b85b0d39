// SPDX-License-Identifier: Apache-2.0
// Whole runs of the program: time, memory, and the figures of its JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ecube::bench {

struct ProgramRun {
  bool good = false;   ///< the run ended with exit status 0
  double seconds = 0;  ///< of the whole process
  double peak_bytes = 0;
  // From the JSON of the run, if it printed any.
  double circuits = 0;
  double events = 0;
  double cycles = 0;
  double alone_seconds = 0;  ///< of exchange_alone
};

/// Runs `program` with these arguments.
[[nodiscard]] ProgramRun run(const char* program, const std::vector<std::string>& arguments);

}  // namespace ecube::bench
