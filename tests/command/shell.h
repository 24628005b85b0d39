// SPDX-License-Identifier: Apache-2.0
// Commands as a user types them.
#pragma once

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "tests/test.h"

/// What a line of the shell has printed, and how it has ended.
struct Outcome {
  std::string line;
  std::string output;
  int status = -1;
};

/// Runs a line of the shell.
inline Outcome shell(const std::string& line) {
  Outcome outcome;
  outcome.line = line;
  FILE* const pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) outcome.output += buffer.data();
  const int ended = pclose(pipe);
  outcome.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);  // as a shell says it
  return outcome;
}

/// Runs the program with a shell's arguments, errors included in the output if `errors`.
inline Outcome ecube(const std::string& arguments, bool errors = false) {
  std::string line = ecube_program() + " ";
  line += arguments;
  return shell(line + (errors ? " 2>&1" : " 2>/dev/null"));
}

inline bool has(const Outcome& outcome, const std::string& words) {
  return outcome.output.find(words) != std::string::npos;
}

/// Expects, where it is called, this status, and an output that has all of `words` and none of `others`.
inline Outcome expect(Outcome outcome, int status, const std::vector<std::string>& words = {},
                      const std::vector<std::string>& others = {}, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  const ::testing::ScopedTrace trace(file, line, outcome.line);
  EXPECT_EQ(outcome.status, status) << outcome.output;
  for (const std::string& each : words) EXPECT_HAS(outcome.output, each);
  for (const std::string& each : others) EXPECT_LACKS(outcome.output, each);
  return outcome;
}

/// The object that a run of the program prints.
inline nlohmann::json json_of(const std::string& arguments, int status = 0) {
  return nlohmann::json::parse(expect(ecube(arguments + " --json"), status).output, nullptr, false);
}

/// The data of a page, by which it draws itself.
inline nlohmann::json data_of(const std::string& file) {
  const std::string page = file_text(file);
  const std::string mark = "<script id=\"data\" type=\"application/json\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}
