// SPDX-License-Identifier: Apache-2.0
// Computation, in the cycles without library work or phits (hw/README.md section 5, Processor).
#include <algorithm>

#include "hw/event/core_work.h"
#include "hw/event/engine.h"
#include "models/contract/operations.h"

namespace ecube {

void Engine::begin_compute(Operation& operation) {
  const Cycles cycles = work_of(operation);
  if (observer_ != nullptr && work_->times() != nullptr && is_loop(operation.work)) {
    observer_->loops(operation, work_->times()->scaled_to(cycles), now_);
  }
  if (processors_.compute(operation.node, now_, operation, cycles)) announce_end(operation.node);
}

/// Cycles that the work of an operation takes. A loop that faults takes none: the run ends.
Cycles Engine::work_of(const Operation& operation) {
  try {
    return event::cycles_of_work(operation, machine_, *work_, processors_, now_);
  } catch (const std::exception&) {
    if (error_ == nullptr) {
      error_ = std::current_exception();
      fault_ = escaped(operation.node, error_);
    }
  }
  return 0;
}

/// Files one event for the end of a node's computation, or none while the computation waits for phits whose end is not
/// known.
void Engine::announce_end(NodeId node) {
  const Cycles end = processors_.next_end(node);
  processors_.suspend(node, end == never);
  if (end != never) push(std::max(now_, end), Kind::computation_ends, node);
}

/// The interface of a node moves phits: the node computes only in other cycles.
void Engine::moves(NodeId node, Cycles from, Cycles until) {
  processors_.moves(node, now_, from, until);
  if (processors_.suspended(node)) announce_end(node);
}

void Engine::worm_stops(NodeId node, Cycles from, Cycles until) {
  processors_.stops(node, now_, from, until);
  if (processors_.suspended(node)) announce_end(node);
}

void Engine::finish_computation(NodeId node) {
  // Later library work has put the end off.
  if (processors_.next_end(node) > now_) {
    announce_end(node);
    return;
  }
  Operation& operation = processors_.finish(node, now_);
  if (processors_.computing(node)) announce_end(node);
  finish_part(operation, now_);
}

}  // namespace ecube
