// SPDX-License-Identifier: Apache-2.0
// Runs and their measurements.
#include "testbench/test_bench.h"

#include <algorithm>
#include <utility>

#include "hw/cube.h"
#include "models/options.h"
#include "testbench/run/interruption.h"

namespace ecube {

namespace {

constexpr std::size_t most_named = 8;

void measure_links(RunMeasurement& measurement, const Cube& cube) {
  if (measurement.result.cycles == 0) return;
  const auto cycles = static_cast<double>(measurement.result.cycles);
  const NodeId nodes = NodeId{1} << cube.dim();
  for (unsigned dimension = 0; dimension < cube.dim(); ++dimension) {
    for (NodeId node = 0; node < nodes; ++node) {
      const double use = static_cast<double>(cube.engine().fabric().statistics({node, dimension}).busy) / cycles;
      measurement.utilisation_mean += use / (static_cast<double>(nodes) * cube.dim());
      measurement.utilisation_max = std::max(measurement.utilisation_max, use);
    }
  }
}

std::vector<WaitingProbe> blocked_circuits(const Engine& engine) {
  std::vector<WaitingProbe> result;
  for (const WaitingCircuit& waiting : engine.fabric().waiting()) {
    if (result.size() == most_named) break;
    const Circuit& circuit = engine.circuits()[waiting.circuit];
    WaitingProbe probe{.source = circuit.source,
                       .destination = circuit.destination,
                       .router = waiting.router,
                       .output = waiting.output};
    if (waiting.holder != no_circuit) {
      probe.held = true;
      probe.holder_source = engine.circuits()[waiting.holder].source;
      probe.holder_destination = engine.circuits()[waiting.holder].destination;
    }
    result.push_back(probe);
  }
  return result;
}

}  // namespace

TestBench::TestBench(unsigned dim, Hierarchy hierarchy, std::span<RtlModel* const> rtl)
    : cube_(std::make_unique<Cube>("cube", std::max(dim, calibration_dim), hierarchy, rtl)) {}

TestBench::~TestBench() = default;

const Calibration& TestBench::calibrate(const Machine& machine) {
  const std::string text = machine_as_toml(machine);
  if (text != calibrated_) {
    calibration_ = ecube::calibrate(*cube_, machine);
    calibrated_ = text;
  }
  return calibration_;
}

RunMeasurement TestBench::run(const RunSetup& setup, Program& program, const IdealCosts& costs) {
  RunMeasurement measurement =
      setup.engine == EngineChoice::ideal ? run_ideal(setup, program, costs) : run_cube(setup, program);
  // Whoever asked for progress knows what an interrupted run means; others need all of it.
  if (!progress_ && measurement.result.status == RunResult::Status::interrupted) {
    throw Interrupted("in one of the runs that the result depends on; nothing was written");
  }
  return measurement;
}

RunMeasurement TestBench::run_aside(const RunSetup& setup, Program& program, const IdealCosts& costs, Observer* aside) {
  Observer* const observer = std::exchange(observer_, aside);
  std::string trace = std::exchange(trace_, {});
  RunMeasurement measurement = run(setup, program, costs);
  observer_ = observer;
  trace_ = std::move(trace);
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
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) {
      // Ends elaboration; that there is nothing to simulate yet is no reason to warn.
      sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
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
  measurement.blocked = blocked_circuits(cube_->engine());
  measurement.unfinished = interfaces.unfinished();
  measurement.escaped_error = interfaces.error() != nullptr;
  measure_links(measurement, *cube_);
  cube_->unload();
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
