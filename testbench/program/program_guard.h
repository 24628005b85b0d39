// SPDX-License-Identifier: Apache-2.0
// A run of a user's program, which may crash or never wait.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "models/contract/node_ports.h"
#include "testbench/program/program_compiler.h"

namespace ecube {

/// A program has crashed, or has run for too long without waiting. The machine that it ran on is in the middle of a
/// cycle: nothing more can be run in this process.
class ProgramCrash : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs a machine whose programs are not trusted to be right.
class ProgramGuard {
 public:
  /// `program` names the program in errors; `seconds` is the processor time that it may take from one wait to the next.
  /// With sanitizers, faults are theirs to report.
  ProgramGuard(std::string program, double seconds, MemoryChecks checks)
      : program_(std::move(program)), seconds_(seconds), checks_(checks) {}

  /// Calls `run`, once. ProgramCrash, with program, node and cycle, when the processor finds a fault meanwhile (a wild
  /// pointer, a division by zero, a stack that overflows, abort()), or when a node's program does not wait. Objects
  /// that `run` has made are then not destroyed.
  void run(const std::function<void()>& run) const;
  /// The same for code of the program before any node starts: static initialisers, parameters(), constructors,
  /// predict(). All its processor time counts.
  void run_before_nodes(const std::function<void()>& run) const;
  /// The machine on which the programs run; called when the first of them starts.
  static void watch(const NodePorts& ports);

 private:
  void run(const std::function<void()>& run, bool before_nodes) const;

  std::string program_;
  double seconds_;
  MemoryChecks checks_;
};

}  // namespace ecube
