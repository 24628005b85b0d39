// SPDX-License-Identifier: Apache-2.0
// Commands as a user types them.
#pragma once

#include <sys/wait.h>

#include "tests/test.h"

struct Outcome {
  std::string output;
  int status = -1;
};

/// Runs a line of the shell.
inline Outcome shell(const std::string& line) {
  Outcome outcome;
  FILE* const pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) outcome.output += buffer.data();
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

/// Runs the program with a shell's arguments, errors included in the output if `errors`.
inline Outcome ecube(const std::string& arguments, bool errors = false) {
  std::string line = ECUBE_PROGRAM " ";
  line += arguments;
  return shell(line + (errors ? " 2>&1" : " 2>/dev/null"));
}
