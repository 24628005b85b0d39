// SPDX-License-Identifier: Apache-2.0
// One `run` command from its checked options to its exit status: progress, interruption, files, outcome.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "testbench/run/circuit_log.h"
#include "testbench/run/progress_line.h"
#include "testbench/run/run_arguments.h"
#include "testbench/run/run_directory.h"
#include "testbench/system/interruption.h"
#include "testbench/text/text.h"
#include "testbench/trace/run_trace.h"

namespace ecube {

/// What the progress line shows besides the time reached.
struct ProgressPlan {
  std::uint64_t circuits = 0;          ///< of the whole run; 0 = not known
  std::function<std::string()> where;  ///< "phase 2/2"; may be empty
  double hops = 0;                     ///< of a circuit, on average; 0 = half the dimensions
};

/// The output of a run as JSON, filled in by its command; `network` and `host` come from the session.
struct RunReport {
  std::string command;
  nlohmann::ordered_json workload{};
  nlohmann::ordered_json measured{};   ///< beyond cycles and us
  nlohmann::ordered_json predicted{};  ///< null without a prediction
  nlohmann::ordered_json extra{};      ///< members of the whole object
  double error_percent = 0;            ///< with a prediction
  std::optional<bool> verified{};
};

class RunSession {
 public:
  /// Everything about the input has been checked. Makes the run directory, if one is wanted (InputError when it cannot
  /// be), and shows progress from here on.
  RunSession(const RunArguments& arguments, const RunSetup& setup, TestBench& bench, ProgressPlan plan);
  ~RunSession();
  RunSession(const RunSession&) = delete;
  RunSession& operator=(const RunSession&) = delete;

  /// Emphasis for standard output.
  [[nodiscard]] const Style& style() const { return style_; }
  /// True when who waited for whom is told at the end anyway.
  [[nodiscard]] bool reports_contention() const { return arguments_.contention || !arguments_.trace.empty(); }
  /// Prints the hint what to try next, unless it is not wanted.
  void hint(const std::string& text) const;
  /// Ends a run that finished with the files and `print_tables` or the JSON object, says on standard error what went
  /// wrong, if anything did, and gives the exit status. A run that did not finish leaves the files of an earlier one.
  [[nodiscard]] int finish(const RunMeasurement& measurement, const RunReport& report, const Invocation& invocation,
                           const std::function<void()>& print_tables);

 private:
  bool progress(const RunProgress& reached);
  void print_stored(const RunStatistics& network) const;
  void write_files(const nlohmann::ordered_json& summary, const Invocation& invocation);
  void publish();
  [[nodiscard]] OutputDirectory* files_for_trace(const TraceRequest& request);
  void tell_size() const;
  /// Says how the waveform ended. The exit status that this asks for.
  [[nodiscard]] int tell_trace(RunTrace::Outcome outcome, Cycles cycles) const;
  [[nodiscard]] nlohmann::ordered_json json_of(const RunMeasurement& measurement, const RunReport& report) const;

  const RunArguments& arguments_;
  RunSetup setup_;
  TestBench& bench_;
  ProgressPlan plan_;
  Style style_;
  Interruptible interruptible_;
  std::optional<RunDirectory> directory_;
  std::optional<OutputDirectory> beside_;  ///< the files of a waveform that is not in the run directory
  std::unique_ptr<CircuitLog> circuits_;
  std::optional<RunTrace> trace_;
  ObserverList observers_;
  std::chrono::steady_clock::time_point begin_;
  ProgressLine line_;
  RunProgress reached_;
};

/// "machine" of the JSON output.
[[nodiscard]] nlohmann::ordered_json machine_json(const Machine& machine, unsigned dim, EngineChoice engine);

}  // namespace ecube
