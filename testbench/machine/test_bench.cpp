// SPDX-License-Identifier: Apache-2.0
// Runs and their measurements.
#include "testbench/machine/test_bench.h"

#include <malloc.h>

#include <bit>
#include <systemc>

#include "hw/clocked/cube.h"
#include "hw/clocked/mirrored_router.h"
#include "hw/cube.h"
#include "hw/folded/cube.h"
#include "models/machine/error.h"
#include "models/machine/machine_parameters.h"
#include "testbench/machine/rtl_library.h"
#include "testbench/system/process.h"

namespace ecube {

namespace {

/// Routers of circuits that take the lowest dimension first at nodes whose label has an even number of ones, and the
/// highest first at all other nodes. Neighbours differ, so circuits can wait for each other in a ring.
class MixedRouters final : public clocked::NodeParts {
 public:
  [[nodiscard]] std::unique_ptr<clocked::RouterPins> make_router(const char* name, NodeId node,
                                                                 const clocked::Shape& shape) const override {
    if (std::popcount(node) % 2 == 0) return NodeParts::make_router(name, node, shape);
    return std::make_unique<clocked::MirroredRouter>(name, shape);
  }
};

constexpr std::size_t most_waits_kept = 8;
constexpr NodeId frugal_nodes = 1U << 14U;
constexpr int mapped_bytes = 1'500'000;  ///< blocks from here on are pages of their own

void measure_links(RunMeasurement& measurement, const Links& links) {
  if (measurement.result.cycles == 0) return;
  const auto cycles = static_cast<double>(measurement.result.cycles);
  const Topology& topology = links.topology();
  const auto count = static_cast<double>(topology.links());
  for (unsigned output = 0; output < topology.outputs(); ++output) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (!topology.exists(node, output)) continue;
      const double use = static_cast<double>(links.statistics({node, output}).busy) / cycles;
      measurement.utilisation_mean += use / count;
      measurement.utilisation_max = std::max(measurement.utilisation_max, use);
    }
  }
}

/// How a machine stands at the end of a run; `circuits` are those that wait. Where links or nodes fail, all are kept:
/// the report tells how far that has spread.
template <class Machine>
void take_end(RunMeasurement& measurement, const RunSetup& setup, const Machine& machine,
              std::vector<WaitingCircuit> circuits) {
  measurement.network = machine.statistics();
  measurement.network.planes = machine.plane_statistics();
  measurement.events = machine.events();
  measurement.waiting = machine.waiting_nodes(most_waits_kept);
  measurement.ring = ring_among(circuits);
  measurement.blocked = circuits;
  if (circuits.size() > most_waits_kept) measurement.blocked.resize(most_waits_kept);
  measurement.unfinished = machine.unfinished();
  measurement.escaped_error = machine.error() != nullptr;
  if (setup.conditions.failures.empty() || measurement.result.status != RunResult::Status::stalled) return;
  measurement.failed_circuits = std::move(circuits);
  measurement.failed_nodes = machine.waiting_nodes(machine.unfinished());
  // Of a receive that was promised to its message before, nodes say that nothing is under way.
  const auto name_lost = [&measurement](WaitingNode& wait) {
    if (wait.waits_for != WaitingNode::For::nothing) return;
    for (const CutCircuit& cut : measurement.network.first_cut) {
      if (cut.destination != wait.node) continue;
      wait = {wait.node, WaitingNode::For::cut_message, cut.source, cut.tag, cut.at};
    }
  };
  std::ranges::for_each(measurement.failed_nodes, name_lost);
  std::ranges::for_each(measurement.waiting, name_lost);
}

}  // namespace

std::shared_ptr<const LogicalCube> RunSetup::logical_cube() const {
  const std::optional<Topology>& network = machine.network.topology;
  // Complete dimensions join all that differ in their digit.
  if (engine == EngineChoice::ideal || !network || network->diameter() <= network->dimensions().size()) return nullptr;
  return std::make_shared<const LogicalCube>(*network, nodes_of_cube(*network, embedding.value_or(Embedding::number)));
}

TestBench::TestBench(unsigned dim, Hierarchy hierarchy) : dim_(std::max(dim, calibration_dim)), hierarchy_(hierarchy) {}

TestBench::~TestBench() = default;

Cube& TestBench::event() {
  if (cube_ == nullptr) {
    cube_ = std::make_unique<Cube>(clocked_.empty() ? HierarchyNames().cube().c_str() : "event", dim_, hierarchy_);
  }
  return *cube_;
}

bool TestBench::elaborating() { return sc_core::sc_get_status() == sc_core::SC_ELABORATION; }

void TestBench::elaborate(const RunSetup& setup) {
  const bool rtl = setup.engine == EngineChoice::rtl;
  if (!has_modules(setup.engine) || has(setup)) return;
  const std::string name = clocked_.empty() && cube_ == nullptr
                               ? HierarchyNames().cube()
                               : (rtl ? "rtl" : "clocked") + std::to_string(clocked_.size());
  const auto make = [&](const clocked::NodeParts& parts) {
    clocked_.push_back({setup.engine, setup.rtl_nodes, setup.router,
                        std::make_unique<ClockedCube>(name.c_str(), setup.machine, setup.dim, parts)});
  };
  if (rtl) {
    make(RtlParts(setup.router.empty() ? rtl_library(setup.machine, setup.dim)
                                       : own_router_library(setup.router, setup.machine, setup.dim),
                  setup.rtl_nodes));
  } else if (setup.router == mixed_router) {
    make(MixedRouters());
  } else {
    make({});
  }
}

ClockedCube* TestBench::find(const RunSetup& setup) const {
  const auto runs = [&](const Clocked& one) {
    return one.engine == setup.engine && one.rtl_nodes == setup.rtl_nodes && one.router == setup.router &&
           one.cube->shape() == clocked::shape_of(setup.machine, setup.dim);
  };
  const auto found = std::find_if(clocked_.begin(), clocked_.end(), runs);
  return found == clocked_.end() ? nullptr : found->cube.get();
}

TracedMachine TestBench::traced(const RunSetup& setup) {
  const std::string name = event().name();
  if (!has_modules(setup.engine)) return {.names = HierarchyNames(name)};
  if (elaborating()) {
    // Binds all pins; no module can be made afterwards. SystemC would warn that there is nothing to simulate yet.
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  const ClockedCube* const cube = find(setup);
  return {.names = HierarchyNames(cube->name()), .modules = cube};
}

const Links& TestBench::links() const { return last_ != nullptr ? *last_ : *cube_; }

/// What an equation charges for messages and hops does not depend on where links lead: it is measured on a cube.
const Calibration& TestBench::calibrate(const Machine& of) {
  Machine machine = of;
  machine.network.topology.reset();
  const std::string text = machine_as_toml(machine);
  if (text != calibrated_) {
    calibration_ = ecube::calibrate(event(), machine);
    calibrated_ = text;
  }
  return calibration_;
}

RunMeasurement TestBench::run(const RunSetup& setup, Program& of_setup, const IdealCosts& costs) {
  (void)event();
  std::optional<EmbeddedProgram> embedded;
  if (setup.embedding) embedded.emplace(of_setup, setup.topology(), *setup.embedding);
  Program& program = embedded ? *embedded : of_setup;
  ClockedCube* const clocked = find(setup);
  RunMeasurement measurement = setup.folded                          ? run_folded(setup, program)
                               : setup.engine == EngineChoice::ideal ? run_ideal(setup, program, costs)
                               : setup.engine == EngineChoice::event ? run_cube(setup, program)
                                                                     : run_clocked(*clocked, setup, program);
  last_ = setup.folded ? static_cast<const Links*>(folded_.get()) : clocked;
  // A caller with a progress function handles interrupted runs; other callers need a whole run.
  if (!progress_ && measurement.result.status == RunResult::Status::interrupted) {
    throw Interrupted("in one of the runs that the result depends on; nothing was written");
  }
  return measurement;
}

RunMeasurement TestBench::run_aside(const RunSetup& setup, Program& program, const IdealCosts& costs, Observer* aside) {
  Observer* const observer = std::exchange(observer_, aside);
  sc_core::sc_trace_file* const signals = std::exchange(signals_, nullptr);
  RunMeasurement measurement = run(setup, program, costs);
  observer_ = observer;
  signals_ = signals;
  return measurement;
}

bool TestBench::goes_on(double us, std::uint64_t circuits) const {
  return progress_ ? progress_(us, circuits) : !interrupt_wanted();
}

RunMeasurement TestBench::run_folded(const RunSetup& setup, Program& program) {
  if (folded_ == nullptr) folded_ = std::make_unique<FoldedCube>();
  folded_->reset(setup.machine, setup.dim, setup.conditions);
  folded_->on_progress([&](Cycles cycle) {
    return goes_on(setup.machine.us(static_cast<double>(cycle)), folded_->statistics().circuits);
  });
  RunMeasurement measurement;
  measurement.result = folded_->run(program);
  measurement.network = folded_->statistics();
  measurement.events = folded_->events();
  measurement.folded = true;
  measure_links(measurement, *folded_);
  return measurement;
}

RunMeasurement TestBench::run_cube(const RunSetup& setup, Program& program) {
  // Of a large cube the C library gives back what is free at the end of its heap; otherwise it would keep megabytes.
  if (setup.topology().nodes() >= frugal_nodes) mallopt(M_MMAP_THRESHOLD, mapped_bytes);
  cube_->reset(setup.machine, setup.dim, setup.conditions);
  cube_->observe(observer_);
  return run_observed(*cube_, cube_->engine(), setup, program);
}

RunMeasurement TestBench::run_clocked(ClockedCube& cube, const RunSetup& setup, Program& program) {
  cube.observe(observer_);
  cube.reset(setup.machine, setup.conditions);
  const auto stop_tracing = [](sc_core::sc_trace_file* file) {
    sc_core::sc_get_curr_simcontext()->remove_trace_file(file);
  };
  const std::unique_ptr<sc_core::sc_trace_file, decltype(stop_tracing)> traced(signals_, stop_tracing);
  if (traced) sc_core::sc_get_curr_simcontext()->add_trace_file(traced.get());
  return run_observed(cube, cube, setup, program);
}

template <class AnyCube, class State>
RunMeasurement TestBench::run_observed(AnyCube& cube, const State& state, const RunSetup& setup, Program& program) {
  cube.on_progress([&](Cycles cycle) {
    const RunStatistics& statistics = state.statistics();
    return goes_on(setup.machine.us(static_cast<double>(cycle)), statistics.circuits - statistics.control_circuits);
  });
  RunMeasurement measurement;
  measurement.result = cube.run(program);
  cube.on_progress({});
  cube.observe(nullptr);
  take_end(measurement, setup, state, state.waiting());
  measure_links(measurement, cube);
  cube.unload();
  try {
    if (state.error() != nullptr) std::rethrow_exception(state.error());
  } catch (const InputError&) {  // the program has asked for what the machine does not have
    throw;
  } catch (...) {  // a fault of the program, which is reported with the run
  }
  return measurement;
}

RunMeasurement TestBench::run_ideal(const RunSetup& setup, Program& program, const IdealCosts& costs) {
  ideal_.reset(setup.machine, setup.dim, setup.conditions, costs);
  ideal_.on_progress([&](double us) { return goes_on(us, ideal_.statistics().circuits); });
  RunMeasurement measurement;
  measurement.result = ideal_.run(program);
  measurement.network = ideal_.statistics();
  measurement.waiting = ideal_.waiting_nodes(most_waits_kept);
  measurement.unfinished = ideal_.unfinished();
  measurement.escaped_error = ideal_.error() != nullptr;
  ideal_.unload();
  return measurement;
}

std::vector<std::size_t> holders_among(const std::vector<WaitingCircuit>& waiting) {
  // A port drives one probe at an edge, so these name a circuit.
  const auto name = [](const CircuitRecord& circuit) {
    return std::tuple(circuit.source, circuit.inject_port, circuit.probe);
  };
  std::map<std::tuple<NodeId, unsigned, Cycles>, std::size_t> places;
  for (std::size_t i = 0; i < waiting.size(); ++i) places.emplace(name(waiting[i].waiting), i);
  std::vector<std::size_t> holders(waiting.size(), waiting.size());
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const auto holder = places.find(name(waiting[i].holder));
    if (waiting[i].held && holder != places.end()) holders[i] = holder->second;
  }
  return holders;
}

std::vector<WaitingCircuit> ring_among(const std::vector<WaitingCircuit>& waiting) {
  const std::vector<std::size_t> holders = holders_among(waiting);
  std::vector<std::size_t> visited(waiting.size(), 0);  // the search that came by, from 1 on
  for (std::size_t begin = 0; begin < waiting.size(); ++begin) {
    std::size_t at = begin;
    while (at < waiting.size() && visited[at] == 0) {
      visited[at] = begin + 1;
      at = holders[at];
    }
    if (at == waiting.size() || visited[at] != begin + 1) continue;
    std::vector<WaitingCircuit> ring{waiting[at]};
    for (std::size_t next = holders[at]; next != at; next = holders[next]) ring.push_back(waiting[next]);
    return ring;
  }
  return {};
}

std::vector<std::size_t> chain_lengths(const std::vector<std::size_t>& next) {
  std::vector<std::size_t> lengths(next.size(), 0);  // 0: not known yet
  std::vector<bool> on_path(next.size(), false);
  std::vector<std::size_t> path;
  for (std::size_t begin = 0; begin < next.size(); ++begin) {
    path.clear();
    std::size_t at = begin;
    for (; at < next.size() && lengths[at] == 0 && !on_path[at]; at = next[at]) {
      path.push_back(at);
      on_path[at] = true;
    }
    if (at < next.size() && lengths[at] == 0) {  // a ring: a chain from anywhere in it has all of it
      const auto ring = std::find(path.begin(), path.end(), at);
      const auto size = static_cast<std::size_t>(path.end() - ring);
      for (auto member = ring; member != path.end(); ++member) lengths[*member] = size;
      path.erase(ring, path.end());
    }
    for (auto member = path.rbegin(); member != path.rend(); ++member) {
      lengths[*member] = 1 + (next[*member] < next.size() ? lengths[next[*member]] : 0);
    }
  }
  return lengths;
}

}  // namespace ecube
