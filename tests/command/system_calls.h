// SPDX-License-Identifier: Apache-2.0
// System calls of a program, in which strace makes faults.
#pragma once

#include "tests/test.h"

/// The n-th call of a name in a run of a program, counted from 1.
struct SystemCall {
  std::string name;
  int number = 0;

  /// strace's options with which the call ends the program (signal=KILL) or fails (error=ENOSPC).
  [[nodiscard]] std::string with(const std::string& fault) const {
    return "-e trace=" + name + " -e inject=" + name + ":" + fault + ":when=" + std::to_string(number);
  }
};

/// The calls in a log of strace, from the first after the program's start that names `begin` to the last that names
/// `end`.
inline std::vector<SystemCall> calls_between(const std::string& log, const std::string& begin, const std::string& end) {
  std::map<std::string, int> counts;
  std::vector<SystemCall> calls;
  std::size_t last = 0;
  for (const std::string& line : file_lines(log)) {
    std::string call = line.substr(std::min(line.find_first_not_of("0123456789 "), line.size()));
    if (call.find("resumed>") != std::string::npos || call.find('(') == std::string::npos) continue;
    call.resize(call.find('('));
    const int number = ++counts[call];
    if (calls.empty() && (call == "execve" || line.find(begin) == std::string::npos)) continue;
    calls.push_back({call, number});
    if (line.find(end) != std::string::npos) last = calls.size();
  }
  calls.resize(last);
  EXPECT_GT(calls.size(), 10U) << file_text(log);
  return calls;
}
