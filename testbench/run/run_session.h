// SPDX-License-Identifier: Apache-2.0
// One `run` command from its experiment to its exit status: progress, interruption, files, output.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/circuit_log.h"
#include "testbench/run/experiment.h"
#include "testbench/run/node_times.h"
#include "testbench/run/progress_line.h"
#include "testbench/run/run_directory.h"
#include "testbench/system/interruption.h"
#include "testbench/trace/goal_recorder.h"
#include "testbench/trace/program_log.h"
#include "testbench/trace/run_trace.h"

namespace ecube {

class RunSession {
 public:
  /// Called with checked input. Makes the run directory, if one is wanted (InputError when it cannot be made), and
  /// shows progress from here on.
  RunSession(const RunArguments& arguments, Experiment& experiment);
  ~RunSession();
  RunSession(const RunSession&) = delete;
  RunSession& operator=(const RunSession&) = delete;

  /// Runs the experiment. A run that finishes leaves its files and prints its tables or JSON object; a run that does
  /// not finish leaves the files of an earlier run as they are. Prints errors on standard error and returns the exit
  /// status. `command` is the command line, for the record.
  [[nodiscard]] int run(const std::vector<std::string>& command);
  /// The same without any output: false when the run did not finish. std::runtime_error when its files cannot be
  /// written, Interrupted when the user has stopped it.
  [[nodiscard]] bool record(const std::vector<std::string>& command);

 private:
  bool progress(const RunProgress& reached);
  void print_stored(const RunStatistics& network) const;
  void print_planes(const PlaneStatistics& planes) const;
  /// Files and output of a run that finished. Returns the exit status.
  [[nodiscard]] int tell(const RunMeasurement& measurement, const std::vector<std::string>& command);
  void write_files(const nlohmann::ordered_json& summary);
  void publish(const std::vector<std::string>& command);
  /// Whether the waveform belongs to the run directory.
  [[nodiscard]] bool traces_into_directory(const TraceRequest& request) const;
  /// Where the files of a waveform are written.
  [[nodiscard]] const StagedFiles* files_for_trace(const TraceRequest& request);
  /// The files that this run is going to leave in its directory.
  [[nodiscard]] std::vector<std::string> names_in_directory(const TraceRequest& request) const;
  void tell_replaced() const;
  void tell_size() const;
  /// Says what a trace of tables leaves out, and who shows it.
  void tell_hidden() const;
  /// Prints how the waveform ended. Returns the exit status.
  [[nodiscard]] int tell_trace(RunTrace::Outcome outcome, Cycles cycles) const;

  const RunArguments& arguments_;
  Experiment& experiment_;
  const RunSetup& setup_;
  TestBench& bench_;
  RunSize size_;
  Style style_;
  Interruptible interruptible_;
  std::optional<RunDirectory> directory_;
  std::optional<StagedFiles> beside_;  ///< the files of a waveform that is not in the run directory
  std::unique_ptr<CircuitLog> circuits_;
  std::unique_ptr<ProgramLog> programs_;
  std::unique_ptr<NodeTimes> node_times_;  ///< of detailed nodes
  std::optional<RunTrace> trace_;
  std::optional<GoalRecorder> goal_;
  ObserverList observers_;
  ProgressLine line_;
};

}  // namespace ecube
