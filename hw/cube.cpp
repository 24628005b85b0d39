// SPDX-License-Identifier: Apache-2.0
// The cube's one process. It wakes for each cycle in which something happens and does all the work of that cycle or,
// where only the cube is simulated, of all cycles one after the other.
#include "hw/cube.h"

#include <algorithm>
#include <stdexcept>

#include "models/machine/hierarchy_names.h"

namespace ecube {

Cube::Cube(const sc_core::sc_module_name& name, unsigned dim, Hierarchy hierarchy)
    : sc_core::sc_module(name), elaborated_dim_(dim) {
  if (dim < 1 || dim > max_simulated_dim) {
    throw std::invalid_argument("a cube has dimension 1.." + std::to_string(max_simulated_dim));
  }
  if (hierarchy == Hierarchy::full) {
    nodes_.init(std::size_t{1} << dim, [this](const char* /*name*/, std::size_t id) {
      return new NodeModule(HierarchyNames::part_of_node(static_cast<NodeId>(id)).c_str(),
                            access(engine_, static_cast<NodeId>(id)));
    });
  }
  SC_HAS_PROCESS(Cube);
  SC_METHOD(advance);
  sensitive << wake_;
  dont_initialize();
  // Modules may ask their node before the first run. Where there are none, tables for the largest cube are made when
  // it is run first.
  if (hierarchy == Hierarchy::full) reset({}, dim);
}

void Cube::reset(const Machine& machine, unsigned dim, const RunConditions& conditions) {
  const unsigned needed = machine.network.topology ? machine.network.topology->label_bits() : dim;
  if (needed < 1 || needed > elaborated_dim_) {
    throw std::invalid_argument("a cube elaborated for dimension " + std::to_string(elaborated_dim_) +
                                " cannot run dimension " + std::to_string(needed));
  }
  fresh_ = false;
  CubeRun::reset(machine);
  engine_.observe(nullptr);
  engine_.reset(machine, dim, conditions);
}

NodeModule& Cube::node(NodeId id) {
  if (nodes_.size() == 0) {
    throw std::invalid_argument("node " + std::to_string(id) +
                                " of a flat cube is no module: elaborate it with Hierarchy::full");
  }
  if (id >= nodes_.size()) throw std::invalid_argument("the cube has no node " + std::to_string(id));
  return nodes_[id];
}

void Cube::load(Program& program) {
  if (fresh_) reset({}, elaborated_dim_);
  program_ = nodes_.size() > 0 ? &beside(program) : &program;
  begun_ = false;
  engine_.load(*program_);
  begin_run();
  schedule(engine_.next_cycle());
}

void Cube::schedule(Cycles cycle) {
  scheduled_ = cycle;
  wake_.notify(until(cycle));
}

void Cube::wake(NodeId node, Cycles at) {
  engine_.wake(node, at);
  if (idle_ || at < scheduled_) schedule(at);
  idle_ = false;
}

/// An exception in a process is an error of the kernel, which then stops for good. Where the cube is alone, run()
/// reports the cause instead, and later runs are possible.
void Cube::advance() {
  try {
    work();
  } catch (const sc_core::sc_report&) {
    throw;  // a broken invariant of the hardware
  } catch (const std::exception&) {
    if (!alone_) throw;
    failure_ = std::current_exception();
  }
}

void Cube::work() {
  if (!begun_) {
    // Known only now: ports are bound at the end of elaboration.
    begun_ = true;
    foreign_ = any_module(topology().nodes());
    if (foreign_) alone_ = false;
  }
  for (;;) {
    engine_.step(scheduled_);
    make_progress();
    const Cycles next = engine_.next_cycle();
    if (interrupted_ || !engine_.fault().empty()) return end();
    if (next == never) {
      // Programs that are modules may act at any time.
      idle_ = foreign_ && engine_.unfinished() > 0;
      return idle_ ? void() : end();
    }
    if (!alone_) return schedule(next);
    if (next > last_cycle()) throw too_long_a_run(last_cycle());
    scheduled_ = next;
  }
}

/// Programs have ended, or nothing can move any more.
void Cube::end() {
  finished_.notify(alone_ ? until(scheduled_) : sc_core::SC_ZERO_TIME);
  // Modules around the cube might never end.
  if (foreign_) sc_core::sc_pause();
}

RunResult Cube::result() const {
  RunResult result(engine_.fault(), interrupted_, engine_.unfinished() == 0);
  result.cycles = scheduled_;
  if (result.status == RunResult::Status::stalled) result.cycles = std::max(result.cycles, engine_.last_early());
  if (result.status == RunResult::Status::finished) result.cycles = engine_.last_finish();
  result.us = machine().us(static_cast<double>(result.cycles));
  return result;
}

}  // namespace ecube
