// SPDX-License-Identifier: Apache-2.0
// Starting a process and reading its output.
#include "tests/benchmarks/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace ecube::bench {

ProgramRun run(const char* program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(program)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::FILE* const output = std::tmpfile();
  if (output == nullptr) return {};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, fileno(output), STDOUT_FILENO);
  ProgramRun result;
  pid_t child = 0;
  int status = 1;
  rusage usage{};
  const auto begin = std::chrono::steady_clock::now();
  if (posix_spawn(&child, program, &files, nullptr, argv.data(), environ) == 0) wait4(child, &status, 0, &usage);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  posix_spawn_file_actions_destroy(&files);
  result.peak_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
  result.good = status == 0;
  std::rewind(output);
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, output)) text.append(buffer, got);
  std::fclose(output);
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_object()) result.alone_seconds = json.value("seconds", 0.0);
  const auto number = [&](const char* part, const char* name) {
    if (!json.is_object() || !json.contains(part) || !json.at(part).contains(name)) return 0.0;
    return json.at(part).at(name).get<double>();
  };
  result.circuits = number("network", "circuits");
  result.events = number("simulation", "events");
  result.cycles = number("measured", "cycles");
  return result;
}

}  // namespace ecube::bench
