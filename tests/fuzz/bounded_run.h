// SPDX-License-Identifier: Apache-2.0
// Programs run under limits, and the endings that they may have.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/effort.h"
#include "tests/text_file.h"

struct Ending {
  int status = -1;  ///< of wait
  std::string output;
};

struct Bounds {
  long file_bytes = -1;     ///< no file may grow beyond, as on a full disk
  bool stranger = false;    ///< as a user who owns nothing here, where the test may become one
  double kill_after_s = 0;  ///< kills the program and all that it started
};

/// Runs a program in `directory` with limits in CPU time and memory, so that an endless run ends by a signal however
/// busy the machine is.
inline Ending bounded_run(const std::string& program, const std::vector<std::string>& words,
                          const std::string& directory, const Bounds& bounds = {}) {
  const std::string log = directory + "-log";
  // Opened before the stranger loses the right to enter the directories above, which may be anyone's.
  const int file = open(program.c_str(), O_RDONLY | O_CLOEXEC);
  std::fflush(stdout);  // what is printed stays with this process
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    if (chdir(directory.c_str()) != 0 || freopen("/dev/null", "r", stdin) == nullptr ||
        freopen(log.c_str(), "w", stdout) == nullptr || dup2(STDOUT_FILENO, STDERR_FILENO) < 0) {
      _exit(99);
    }
    const auto limit = [](auto resource, rlim_t most) {
      const rlimit both{most, most};
      if (setrlimit(resource, &both) != 0) _exit(99);
    };
    limit(RLIMIT_CPU, sanitized ? 200 : 20);
    if (!sanitized) limit(RLIMIT_AS, rlim_t{4} << 30);
    limit(RLIMIT_CORE, 0);
    if (bounds.file_bytes >= 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      limit(RLIMIT_FSIZE, static_cast<rlim_t>(bounds.file_bytes));
    }
    constexpr uid_t nobody = 65534;
    if (bounds.stranger && geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0))
      _exit(99);
    std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    fexecve(file, arguments.data(), environ);
    _exit(99);
  }
  close(file);
  setpgid(child, child);
  if (bounds.kill_after_s > 0) {
    usleep(static_cast<useconds_t>(bounds.kill_after_s * 1e6));
    kill(-child, SIGKILL);
  }
  Ending ending;
  waitpid(child, &ending.status, 0);
  ending.output = file_text(log);
  return ending;
}

/// Every file below a directory with its contents.
inline std::map<std::string, std::string> contents(const std::string& directory) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    all[entry.path().string()] = entry.is_regular_file() ? file_text(entry.path().string()) : "";
  }
  return all;
}

/// Empty when the ending is one that a command may have.
inline std::string fault_of(const Ending& ending, bool written) {
  if (WIFSIGNALED(ending.status)) return "ended by signal " + std::to_string(WTERMSIG(ending.status));
  const int code = WEXITSTATUS(ending.status);
  if (code > 3) return "exit code " + std::to_string(code);
  if (code == 2 && written) return "refused, but written";
  if (code == 2 && ending.output.find("error: ") == std::string::npos) return "refused without a reason";
  if (ending.output.find("Sanitizer") != std::string::npos ||
      ending.output.find("runtime error:") != std::string::npos) {
    return "a sanitizer's finding";
  }
  if (ending.output.find("terminate called") != std::string::npos) return "an exception that nothing caught";
  return "";
}
