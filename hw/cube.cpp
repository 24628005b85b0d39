// SPDX-License-Identifier: Apache-2.0
// The cube's one process: it wakes for the cycles in which something happens, and does all the work of each; or, where
// nothing but the cube is simulated, of one after the other.
#include "hw/cube.h"

#include <stdexcept>
#include <utility>

namespace ecube {

namespace {
constexpr std::uint64_t steps_between_progress = 64;
}

Cube::Cube(const sc_core::sc_module_name& name, unsigned dim, Hierarchy hierarchy)
    : sc_core::sc_module(name), elaborated_dim_(dim), dim_(dim), wake_("wake"), finished_("finished") {
  if (dim < 1 || dim > max_simulated_dim) {
    throw std::invalid_argument("a cube has dimension 1.." + std::to_string(max_simulated_dim));
  }
  const std::size_t count = std::size_t{1} << dim;
  if (hierarchy == Hierarchy::full) {
    nodes_.reserve(count);
    for (NodeId id = 0; id < count; ++id) {
      nodes_.push_back(std::make_unique<NodeModule>(("node" + std::to_string(id)).c_str(), id));
    }
  }
  SC_HAS_PROCESS(Cube);
  SC_METHOD(advance);
  sensitive << wake_;
  dont_initialize();
  reset(machine_, dim);
}

void Cube::reset(const Machine& machine, unsigned dim, const RunConditions& conditions) {
  if (dim < 1 || dim > elaborated_dim_) {
    throw std::invalid_argument("a cube elaborated for dimension " + std::to_string(elaborated_dim_) +
                                " cannot run dimension " + std::to_string(dim));
  }
  unload();
  machine_ = machine;
  dim_ = dim;
  engine_.observe(nullptr);
  engine_.reset(machine, dim, conditions);
  scheduled_ = 0;
  steps_ = 0;
  interrupted_ = false;
}

void Cube::unload() {
  if (program_ != nullptr) program_->stop();
  program_ = nullptr;
  wake_.cancel();
}

void Cube::load(Program& program) {
  program_ = &program;
  alone_ = false;
  engine_.load(program);
  started_ = sc_core::sc_time_stamp();
  scheduled_ = engine_.next_cycle();
  wake_.notify(time_of(scheduled_));
}

RunResult Cube::run(Program& program) {
  load(program);
  alone_ = true;
  sc_core::sc_start();
  return result();
}

sc_core::sc_time Cube::time_of(Cycles cycle) const {
  const long double picoseconds = static_cast<long double>(cycle) * 1e12L / static_cast<long double>(machine_.clock_hz);
  // SystemC counts time in 64 bits; a run of months of simulated time at 1 ps is refused, not wrapped.
  if (picoseconds >= 9e18L)
    throw std::overflow_error("the run is longer than simulated time can be counted (100 days)");
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(picoseconds + 0.5L));
}

void Cube::advance() {
  const Cycles entered = scheduled_;
  for (;;) {
    engine_.step(scheduled_);
    if (++steps_ % steps_between_progress == 0 && progress_ && !progress_(scheduled_)) interrupted_ = true;
    const Cycles next = engine_.next_cycle();
    if (next == never || interrupted_ || !engine_.fault().empty()) {
      finished_.notify(time_of(scheduled_) - time_of(entered));
      return;
    }
    const Cycles last = std::exchange(scheduled_, next);
    if (alone_) continue;
    next_trigger(time_of(next) - time_of(last));
    return;
  }
}

RunResult Cube::result() const {
  RunResult result;
  result.cycles = scheduled_;
  if (!engine_.fault().empty()) {
    result.status = RunResult::Status::fault;
    result.fault = engine_.fault();
  } else if (interrupted_) {
    result.status = RunResult::Status::interrupted;
  } else if (engine_.unfinished() != 0) {
    result.status = RunResult::Status::stalled;
  } else {
    result.cycles = engine_.last_finish();
  }
  result.us = machine_.us(static_cast<double>(result.cycles));
  return result;
}

}  // namespace ecube
