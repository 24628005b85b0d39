// SPDX-License-Identifier: Apache-2.0
// Runs and their measurements.
#include "testbench/test_bench.h"

#include <algorithm>
#include <systemc>
#include <utility>

#include "hw/clocked/cube.h"
#include "hw/cube.h"
#include "models/options.h"
#include "testbench/run/interruption.h"

namespace ecube {

namespace {

constexpr std::size_t most_named = 8;

void measure_links(RunMeasurement& measurement, const Links& links) {
  if (measurement.result.cycles == 0) return;
  const auto cycles = static_cast<double>(measurement.result.cycles);
  const NodeId nodes = NodeId{1} << links.dim();
  for (unsigned dimension = 0; dimension < links.dim(); ++dimension) {
    for (NodeId node = 0; node < nodes; ++node) {
      const double use = static_cast<double>(links.statistics({node, dimension}).busy) / cycles;
      measurement.utilisation_mean += use / (static_cast<double>(nodes) * links.dim());
      measurement.utilisation_max = std::max(measurement.utilisation_max, use);
    }
  }
}

std::vector<WaitingCircuit> some_of(std::vector<WaitingCircuit> waiting) {
  if (waiting.size() > most_named) waiting.resize(most_named);
  return waiting;
}

/// Ends elaboration, so that all pins are bound.
void elaborate() {
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) return;
  // That there is nothing to simulate yet is no reason to warn.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

/// Has a trace file with the simulator, if there is one.
class Registered {
 public:
  explicit Registered(sc_core::sc_trace_file* file) : file_(file) {
    if (file_ != nullptr) sc_core::sc_get_curr_simcontext()->add_trace_file(file_);
  }
  ~Registered() {
    if (file_ != nullptr) sc_core::sc_get_curr_simcontext()->remove_trace_file(file_);
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

 private:
  sc_core::sc_trace_file* file_;
};

}  // namespace

TestBench::TestBench(unsigned dim, Hierarchy hierarchy, std::span<RtlModel* const> rtl)
    : cube_(std::make_unique<Cube>("cube", std::max(dim, calibration_dim), hierarchy, rtl)) {}

TestBench::~TestBench() = default;

void TestBench::elaborate_clocked(const Machine& machine, unsigned dim) {
  clocked_ = std::make_unique<ClockedCube>("clocked", machine, dim);
}

bool TestBench::has_clocked(const Machine& machine, unsigned dim) const {
  return clocked_ != nullptr && clocked_->shape() == clocked::shape_of(machine, dim);
}

const sc_core::sc_module* TestBench::modules(EngineChoice engine) const {
  if (!has_modules(engine)) return nullptr;
  elaborate();
  return clocked_.get();
}

const Links& TestBench::links() const {
  if (clocked_last_) return *clocked_;
  return *cube_;
}

std::string TestBench::rtl_scope() const { return cube_->rtl().empty() ? "" : cube_->rtl().front()->name(); }

const Calibration& TestBench::calibrate(const Machine& machine) {
  const std::string text = machine_as_toml(machine);
  if (text != calibrated_) {
    calibration_ = ecube::calibrate(*cube_, machine);
    calibrated_ = text;
  }
  return calibration_;
}

RunMeasurement TestBench::run(const RunSetup& setup, Program& program, const IdealCosts& costs) {
  RunMeasurement measurement = setup.engine == EngineChoice::ideal     ? run_ideal(setup, program, costs)
                               : setup.engine == EngineChoice::clocked ? run_clocked(setup, program)
                                                                       : run_cube(setup, program);
  clocked_last_ = setup.engine == EngineChoice::clocked;
  // Whoever asked for progress knows what an interrupted run means; others need all of it.
  if (!progress_ && measurement.result.status == RunResult::Status::interrupted) {
    throw Interrupted("in one of the runs that the result depends on; nothing was written");
  }
  return measurement;
}

RunMeasurement TestBench::run_aside(const RunSetup& setup, Program& program, const IdealCosts& costs, Observer* aside) {
  Observer* const observer = std::exchange(observer_, aside);
  std::string trace = std::exchange(trace_, {});
  sc_core::sc_trace_file* const signals = std::exchange(signals_, nullptr);
  RunMeasurement measurement = run(setup, program, costs);
  observer_ = observer;
  trace_ = std::move(trace);
  signals_ = signals;
  return measurement;
}

RunMeasurement TestBench::run_cube(const RunSetup& setup, Program& program) {
  cube_->reset(setup.machine, setup.dim, setup.conditions,
               setup.engine == EngineChoice::rtl ? FabricKind::rtl : FabricKind::event);
  cube_->observe(observer_);
  const NetworkInterfaces& interfaces = cube_->engine().interfaces();
  if (progress_) {
    cube_->on_progress([&](Cycles cycle) {
      return progress_({setup.machine.us(static_cast<double>(cycle)),
                        interfaces.statistics().circuits - interfaces.statistics().control_circuits});
    });
  } else {
    cube_->on_progress([](Cycles) { return !interrupt_wanted(); });
  }
  RtlFabric* const traced = trace_.empty() ? nullptr : cube_->rtl().front().get();
  if (traced != nullptr) {
    elaborate();
    traced->start_trace(std::exchange(trace_, {}));
  }
  RunMeasurement measurement;
  measurement.result = cube_->run(program);
  if (traced != nullptr) traced->stop_trace();
  cube_->on_progress({});
  cube_->observe(nullptr);
  measurement.network = interfaces.statistics();
  measurement.events = cube_->engine().events();
  measurement.waiting = interfaces.waiting_nodes(most_named);
  measurement.blocked = some_of(cube_->engine().fabric().waiting());
  measurement.unfinished = interfaces.unfinished();
  measurement.escaped_error = interfaces.error() != nullptr;
  measure_links(measurement, *cube_);
  cube_->unload();
  return measurement;
}

RunMeasurement TestBench::run_clocked(const RunSetup& setup, Program& program) {
  clocked_->observe(observer_);
  clocked_->reset(setup.machine, setup.conditions);
  clocked_->on_progress([&](Cycles cycle) {
    if (!progress_) return !interrupt_wanted();
    const RunStatistics statistics = clocked_->statistics();
    return progress_({setup.machine.us(static_cast<double>(cycle)), statistics.circuits - statistics.control_circuits});
  });
  RunMeasurement measurement;
  {
    const Registered traced(signals_);
    measurement.result = clocked_->run(program);
  }
  clocked_->on_progress({});
  clocked_->observe(nullptr);
  measurement.network = clocked_->statistics();
  measurement.events = clocked_->events();
  measurement.waiting = clocked_->waiting_nodes(most_named);
  measurement.blocked = some_of(clocked_->waiting());
  measurement.unfinished = clocked_->unfinished();
  measurement.escaped_error = clocked_->error() != nullptr;
  measure_links(measurement, *clocked_);
  clocked_->unload();
  return measurement;
}

RunMeasurement TestBench::run_ideal(const RunSetup& setup, Program& program, const IdealCosts& costs) {
  ideal_.reset(setup.machine, setup.dim, setup.conditions, costs);
  ideal_.on_progress([&](double us) {
    return progress_ ? progress_({us, ideal_.statistics().circuits}) : !interrupt_wanted();
  });
  RunMeasurement measurement;
  measurement.result = ideal_.run(program);
  measurement.network = ideal_.statistics();
  measurement.waiting = ideal_.waiting_nodes(most_named);
  measurement.unfinished = ideal_.unfinished();
  measurement.escaped_error = ideal_.error() != nullptr;
  ideal_.unload();
  return measurement;
}

}  // namespace ecube
