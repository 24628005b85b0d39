// SPDX-License-Identifier: Apache-2.0
// One `run` command from its experiment to its exit status: progress, interruption, files, output.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testbench/publication/publication.h"
#include "testbench/run/experiment.h"
#include "testbench/run/progress_line.h"
#include "testbench/run/run_files.h"
#include "testbench/system/process.h"
#include "testbench/trace/run_trace.h"

namespace ecube {

class RunSession {
 public:
  /// Makes the run directory, if one is wanted (InputError when it cannot be made), and shows progress from here on.
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
  [[nodiscard]] int tell(const RunMeasurement& measurement, const std::vector<std::string>& command);
  void write_files(const nlohmann::ordered_json& summary);
  /// A line for each directed link: circuits, bytes, busy and blocked cycles, most waiters (hw/README.md section 6),
  /// the blocked cycles within the traced window unless that is the whole run, and the longest wait with its chain.
  void write_links() const;
  /// Puts the files in the place of those of an earlier run, with version, build, seed, arguments and time of this one.
  void publish(const std::vector<std::string>& command);
  [[nodiscard]] bool traces_into_directory(const TraceRequest& request) const;
  [[nodiscard]] const StagedFiles* files_for_trace(const TraceRequest& request);
  [[nodiscard]] std::vector<std::string> names_in_directory(const TraceRequest& request) const;
  void tell_replaced() const;
  void tell_size() const;
  void tell_hidden() const;
  [[nodiscard]] int tell_trace(RunTrace::Outcome outcome, Cycles cycles) const;

  const RunArguments& arguments_;
  Experiment& experiment_;
  const RunSetup& setup_;
  TestBench& bench_;
  RunSize size_;
  Style style_;
  Interruptible interruptible_;
  std::optional<Publication> directory_;
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
