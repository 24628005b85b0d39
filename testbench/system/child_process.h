// SPDX-License-Identifier: Apache-2.0
// Other programs: cmake, GTKWave, sbatch, and workers of a study.
#pragma once

#include <sys/types.h>

#include <chrono>

#include "testbench/system/open_files.h"

namespace ecube {

struct ChildCommand {
  /// Where standard output goes, and standard error; with `pipe` standard error is this program's own.
  enum class Output : std::uint8_t {
    file,         ///< which begins anew
    end_of_file,  ///< behind what is in the file
    kept,         ///< in memory, for ChildProcess::printed()
    pipe,
  };

  std::string program{};           ///< a path, where the first word is only a name to be shown
  std::vector<std::string> words;  ///< the program, a path or a name found in PATH, and its arguments
  std::string directory{};         ///< in which the program runs; empty: the current one
  bool told = false;               ///< standard input of the program is a pipe; else nothing
  Output output = Output::kept;
  std::string file{};  ///< for Output::file and Output::end_of_file
  /// Ctrl-C does not reach the child, and kill() also ends the programs that the child has started.
  bool own_group = false;
  /// SIGINT and SIGTERM are left to this program: the child never gets them.
  bool ours_to_end = false;
};

struct ChildEnd {
  bool by_signal = false;
  int number = 0;  ///< the exit status, or the signal
  [[nodiscard]] bool well() const { return !by_signal && number == 0; }
};

class ChildProcess {
 public:
  /// Throws std::system_error, with the reason, when the program cannot be started.
  explicit ChildProcess(ChildCommand command);
  ~ChildProcess() {
    to_.close();
    from_.close();
    if (!end_) (void)kill();
  }

  /// Our ends of the child's pipes, where it is told something and with Output::pipe. The writing end can be closed.
  [[nodiscard]] int to() const { return to_.number(); }
  [[nodiscard]] int from() const { return from_.number(); }
  void close_to() { to_.close(); }

  std::optional<ChildEnd> ended_within(std::chrono::milliseconds most);
  ChildEnd wait() {
    while (!ended_within(std::chrono::hours(1))) {
    }
    return *end_;
  }
  /// SIGKILL, to the program's group if it has one of its own.
  ChildEnd kill();
  [[nodiscard]] std::string printed() const;

 private:
  pid_t pid_ = -1;
  bool own_group_;
  std::optional<ChildEnd> end_;
  FileDescriptor to_;
  FileDescriptor from_;
  FileDescriptor kept_;
};

}  // namespace ecube
