// SPDX-License-Identifier: Apache-2.0
// programs.csv: what the program of every node did, from edge to edge; dark.csv: when links of planes were dark.
#pragma once

#include <map>
#include <string>
#include <utility>

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

/// Writes a line for every time that a node's link was dark, in order of its end, then of node and plane: node, plane,
/// the mask to which it was tuned, edges from and until. The last is empty where a stalled machine left the link dark.
class DarkLog final : public TraceSink {
 public:
  /// std::runtime_error when the file cannot be made.
  DarkLog(const std::string& file, unsigned planes);

  void link_changed(Cycles at, const OutputId& output, const LinkView& view) override;
  void program_changed(Cycles, NodeId, const ProgramView&) override {}
  void edge_over(Cycles at) override;

  /// std::runtime_error when the file is incomplete.
  void finish();

 private:
  TraceFile stream_;
  std::string file_;
  unsigned planes_;
  struct Dark {
    Cycles from;
    NodeId mask;
    bool over;
  };
  std::map<std::pair<NodeId, unsigned>, Dark> dark_;
  bool any_over_ = false;
};

}  // namespace ecube
