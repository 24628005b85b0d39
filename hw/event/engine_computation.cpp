// SPDX-License-Identifier: Apache-2.0
// Computation, in the cycles without library work or phits (hw/README.md section 5, Processor).
#include <algorithm>

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
    switch (operation.work) {
      case Work::permute_bytes:
        return work_->permute(operation);
      case Work::copy_bytes:
        return work_->copy(operation.node, operation.amount);
      case Work::combine_items:
        return combining_left(operation);
      case Work::calls:
        return machine_.call_cycles(operation.amount, operation.bytes);
      case Work::loop:
        return work_->loop(operation.node, *static_cast<const node::Loop*>(operation.context));
      case Work::cycles:
      case Work::until:
        return operation.amount;
    }
  } catch (const std::exception&) {
    if (error_ == nullptr) {
      error_ = std::current_exception();
      fault_ = escaped(operation.node, error_);
    }
  }
  return 0;
}

/// Cycles of combining that are left when the messages have been received.
Cycles Engine::combining_left(const Operation& operation) {
  const Cycles all = work_->combine(operation.node, operation.amount, operation.bytes);
  if (machine_.library.combining == Combining::received || operation.since == 0 || operation.amount == 0) return all;
  // The last phit of each message cannot be combined before it has arrived.
  const std::uint64_t item_bytes = operation.bytes / operation.amount;
  const std::uint64_t items = (machine_.link.phit_bytes + item_bytes - 1) / item_bytes * operation.messages;
  const Cycles last = work_->combine(operation.node, items, items * item_bytes);
  const Cycles done = processors_.idle(operation.node, operation.since, now_);
  return std::min(all, std::max(last, all > done ? all - done : 0));
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
