// SPDX-License-Identifier: Apache-2.0
// The test bench: runs a program on the machine under test, on whichever engine, and measures.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/hierarchy.h"
#include "hw/observed/link.h"
#include "models/ideal_machine.h"
#include "testbench/calibration.h"

namespace sc_core {
class sc_module;
class sc_trace_file;
}  // namespace sc_core

namespace ecube {

class ClockedCube;
class Cube;
class Observer;
class RtlModel;

/// event: tables on one wheel, fast. clocked: SystemC modules with pins on a clock. rtl: the event machine with its
/// network in RTL. ideal: no network, every operation costs what the equation says.
enum class EngineChoice : std::uint8_t { event, clocked, rtl, ideal };

/// The engine is modules, the signals of which can be traced.
[[nodiscard]] constexpr bool has_modules(EngineChoice engine) { return engine == EngineChoice::clocked; }

struct RunSetup {
  Machine machine;
  unsigned dim = 1;
  RunConditions conditions;
  EngineChoice engine = EngineChoice::event;
};

/// What the machine says of a run, whatever ran.
struct RunMeasurement {
  RunResult result;
  RunStatistics network;
  std::uint64_t events = 0;     ///< of the engine; 0 on the ideal machine
  double utilisation_mean = 0;  ///< of the links, busy cycles / cycles; 0 on the ideal machine
  double utilisation_max = 0;
  std::vector<WaitingNode> waiting;     ///< some of the nodes that have not finished
  std::vector<WaitingCircuit> blocked;  ///< some of the circuits that wait
  NodeId unfinished = 0;
  bool escaped_error = false;  ///< a program ended with an error of its own
};

/// How far a run has come.
struct RunProgress {
  double us = 0;
  std::uint64_t circuits = 0;
};

/// One machine of each engine, elaborated once, run many times.
class TestBench {
 public:
  /// Called now and then during run(); returning false interrupts it.
  using Progress = std::function<bool(const RunProgress&)>;

  /// `dim` is the largest dimension to be run on the event engine; calibration has what it needs in any case.
  /// `rtl` are the models for what is to be run on the RTL engine.
  explicit TestBench(unsigned dim, Hierarchy hierarchy = Hierarchy::flat, std::span<RtlModel* const> rtl = {});
  ~TestBench();

  /// Makes the clocked machine of this shape, which is the only one that this bench can then run on the clocked engine.
  /// Before the first run.
  void elaborate_clocked(const Machine& machine, unsigned dim);
  /// The clocked engine can run this machine.
  [[nodiscard]] bool has_clocked(const Machine& machine, unsigned dim) const;

  /// Cost parameters measured back on the event engine; those of the machine calibrated last are remembered.
  [[nodiscard]] const Calibration& calibrate(const Machine& machine);
  /// Runs `program` to its end and abandons what is left of it. `costs` are for the ideal engine. Where nobody has
  /// asked for progress, a signal ends the run with Interrupted.
  [[nodiscard]] RunMeasurement run(const RunSetup& setup, Program& program, const IdealCosts& costs = {});

  /// The same for a run to compare with, which only `observer` observes, if there is one.
  [[nodiscard]] RunMeasurement run_aside(const RunSetup& setup, Program& program, const IdealCosts& costs = {},
                                         Observer* observer = nullptr);

  void on_progress(Progress progress) { progress_ = std::move(progress); }
  /// Writes the RTL's signals of the next run to an FST file.
  void trace(std::string file) { trace_ = std::move(file); }
  /// The machine that runs on this engine, elaborated, with its signals below it; null unless it has_modules().
  [[nodiscard]] const sc_core::sc_module* modules(EngineChoice engine) const;
  /// Traces the signals of runs on an engine that has_modules(), not those aside; the simulator hears of `signals` only
  /// while such a run lasts.
  void trace_signals(sc_core::sc_trace_file* signals) { signals_ = signals; }
  /// Watches the runs on any engine but the ideal one, not the calibration.
  void observe(Observer* observer) { observer_ = observer; }
  /// Event and RTL engine at the end of their last run.
  [[nodiscard]] const Cube& cube() const { return *cube_; }
  /// The links of the machine that ran last, unless that was the ideal one.
  [[nodiscard]] const Links& links() const;
  /// Where the RTL is in the hierarchy; empty when there is none.
  [[nodiscard]] std::string rtl_scope() const;

 private:
  [[nodiscard]] RunMeasurement run_cube(const RunSetup& setup, Program& program);
  [[nodiscard]] RunMeasurement run_clocked(const RunSetup& setup, Program& program);
  [[nodiscard]] RunMeasurement run_ideal(const RunSetup& setup, Program& program, const IdealCosts& costs);

  std::unique_ptr<Cube> cube_;
  std::unique_ptr<ClockedCube> clocked_;
  bool clocked_last_ = false;
  IdealMachine ideal_;
  std::string calibrated_;  ///< the machine that calibration_ belongs to, as a file
  Calibration calibration_;
  Progress progress_;
  std::string trace_;
  sc_core::sc_trace_file* signals_ = nullptr;
  Observer* observer_ = nullptr;
};

}  // namespace ecube
