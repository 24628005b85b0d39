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
  /// What it reads: nothing, as a rule.
  enum class Input : std::uint8_t { nothing, text, pipe };
  /// Where standard output goes; standard error goes there too, but with `nowhere` and `pipe`, where it stays ours.
  enum class Output : std::uint8_t { nowhere, file, end_of_file, kept, pipe };

  std::vector<std::string> words;  ///< the program, a path or a name found in PATH, and its arguments
  std::string directory{};         ///< in which it runs; empty: the current one
  Input input = Input::nothing;
  std::string text{};  ///< for Input::text
  Output output = Output::nowhere;
  std::string file{};  ///< for Output::file, which begins anew, and Output::end_of_file
  /// Ctrl-C is for us; who ends it ends the programs that it has started too.
  bool own_group = false;
};

struct ChildEnd {
  bool by_signal = false;
  int number = 0;  ///< the exit status, or the signal
  [[nodiscard]] bool well() const { return !by_signal && number == 0; }
};

/// A program that runs beside this one. It is ended and waited for when this object goes.
class ChildProcess {
 public:
  /// Throws std::runtime_error, with the reason, when it cannot be started.
  explicit ChildProcess(ChildCommand command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Our ends of its pipes, with Input::pipe and Output::pipe. The writing end can be closed.
  [[nodiscard]] int to() const { return to_; }
  [[nodiscard]] int from() const { return from_; }
  void close_to();

  /// How it ended, as soon as it has; nothing when it runs for longer than `most`.
  std::optional<ChildEnd> ended_within(std::chrono::milliseconds most);
  ChildEnd wait();
  /// SIGKILL, to its group if it has one of its own.
  ChildEnd kill();
  /// What it has printed, with Output::kept.
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
