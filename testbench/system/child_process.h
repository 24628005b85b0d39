// SPDX-License-Identifier: Apache-2.0
// Other programs: gnuplot, cmake, GTKWave, sbatch, and workers of a study.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ecube {

/// How a program is to be started.
struct ChildCommand {
  /// Standard input of the program; as a rule nothing.
  enum class Input : std::uint8_t { nothing, text, pipe };
  /// Where standard output goes. Standard error goes to the same place, except with `nowhere` and `pipe`: there the
  /// child writes to our standard error.
  enum class Output : std::uint8_t { nowhere, file, end_of_file, kept, pipe };

  std::vector<std::string> words;  ///< the program, a path or a name found in PATH, and its arguments
  std::string directory{};         ///< in which the program runs; empty: the current one
  Input input = Input::nothing;
  std::string text{};  ///< for Input::text
  Output output = Output::nowhere;
  std::string file{};  ///< for Output::file, which begins anew, and Output::end_of_file
  /// Ctrl-C reaches this process alone, and kill() also ends the programs that the child has started.
  bool own_group = false;
};

struct ChildEnd {
  bool by_signal = false;
  int number = 0;  ///< the exit status, or the signal
  [[nodiscard]] bool well() const { return !by_signal && number == 0; }
};

/// A program that runs beside this one. The destructor ends the program and waits for it.
class ChildProcess {
 public:
  /// Throws std::runtime_error, with the reason, when the program cannot be started.
  explicit ChildProcess(ChildCommand command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Our ends of the child's pipes, with Input::pipe and Output::pipe. The writing end can be closed.
  [[nodiscard]] int to() const { return to_; }
  [[nodiscard]] int from() const { return from_; }
  void close_to();

  /// How the program ended, as soon as it has; nothing when it runs for longer than `most`.
  std::optional<ChildEnd> ended_within(std::chrono::milliseconds most);
  ChildEnd wait();
  /// SIGKILL, to the program's group if it has one of its own.
  ChildEnd kill();
  /// The program's output so far, with Output::kept.
  [[nodiscard]] std::string printed() const;

 private:
  pid_t pid_ = -1;
  bool own_group_;
  std::optional<ChildEnd> end_;
  int to_ = -1;
  int from_ = -1;
  int kept_ = -1;
};

}  // namespace ecube
