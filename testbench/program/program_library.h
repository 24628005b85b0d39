// SPDX-License-Identifier: Apache-2.0
// Files of programs: compiled when their contents are new, kept, loaded, and guarded while they run.
#pragma once

#include <functional>
#include <stdexcept>

#include "models/contract/node_ports.h"
#include "sw/program/program.h"

namespace ecube {

/// How a program's accesses to memory are checked: not at all, or by AddressSanitizer and UBSan.
enum class MemoryChecks : std::uint8_t { none, sanitizers };

/// Begins the process anew with the sanitizers' library loaded before everything else, as a sanitized program needs it;
/// returns where it is loaded. InputError with the package to install when the compiler has none.
void load_sanitizers();

/// Seconds of processor time that a program may take from one wait to the next, where --step-limit says nothing.
inline constexpr double default_program_step_limit = 10;

/// Whether a word after `run program` names a file and not a program that comes with ecube.
[[nodiscard]] inline bool names_program_file(std::string_view word) {
  return word.find('/') != std::string_view::npos || word.ends_with(".cpp") || word.ends_with(".cc") ||
         word.ends_with(".cxx");
}

struct ProgramLibrary {
  std::string file;
  std::string hash;  ///< SHA-256 of the contents of the file and of the user's files that it includes
  ProgramList programs;
};

/// The programs of a file in C++, compiled first if the file, a file that it includes, the compiler or the headers of
/// ecube have changed since. InputError when the file cannot be read or does not compile, or has no programs. A file
/// stays loaded until the process ends. With sanitizers, after load_sanitizers(). ProgramCrash when static initialisers
/// or parameters() of the file crash, or take more than `step_limit` seconds.
[[nodiscard]] const ProgramLibrary& program_library(const std::string& file,
                                                    double step_limit = default_program_step_limit,
                                                    MemoryChecks checks = MemoryChecks::none);

/// The program of this name; the only one when `name` is empty. InputError with the names that there are.
[[nodiscard]] const ProgramEntry& program_of(const ProgramLibrary& library, const std::string& name);

/// A program has crashed, or runs without waiting.
class ProgramCrash : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs a machine whose programs are not trusted to be right: in a child process, which goes on as this process when
/// all is well. Else this process goes on where it was.
class ProgramGuard {
 public:
  /// `seconds`: of processor time, from one wait to the next. With sanitizers, faults are theirs to report.
  ProgramGuard(std::string program, double seconds, MemoryChecks checks)
      : program_(std::move(program)), seconds_(seconds), checks_(checks) {}

  /// The time from one wait of a node to the next, or all time: of static initialisers, parameters(), constructors and
  /// predict(), before any node starts.
  enum class Counts : std::uint8_t { time_between_waits, all_time };

  /// Calls `run`, once. ProgramCrash, with program, node and cycle, for a fault (a wild pointer, a division by zero, a
  /// full stack, abort()), or when a program does not wait.
  void run(const std::function<void()>& run, Counts counts = Counts::time_between_waits) const;
  /// The machine on which the programs run; called when the first of them starts.
  static void watch(const NodePorts& ports);

 private:
  std::string program_;
  double seconds_;
  MemoryChecks checks_;
};

}  // namespace ecube
