// SPDX-License-Identifier: Apache-2.0
// programs.csv: what the program of every node did, from edge to edge.
#pragma once

#include <string>

#include "testbench/trace/machine_trace.h"
#include "testbench/trace/trace_file.h"

namespace ecube {

/// Writes a line for every change of a program: node, edge from which on it holds, state, phase, step
/// (testbench/trace/README.md lists the states). Links are not written: circuits.csv has them.
class ProgramLog final : public TraceSink {
 public:
  /// std::runtime_error when the file cannot be made.
  explicit ProgramLog(const std::string& file);

  void link_changed(Cycles, const OutputId&, const LinkView&) override {}
  void program_changed(Cycles at, NodeId node, const ProgramView& view) override;

  /// std::runtime_error when the file is incomplete.
  void finish();

 private:
  TraceFile stream_;
  std::string file_;
};

}  // namespace ecube
