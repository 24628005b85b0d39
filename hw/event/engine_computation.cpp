// SPDX-License-Identifier: Apache-2.0
// Computation, in the cycles without library work or phits (hw/README.md section 5, Processor).
#include <algorithm>

#include "hw/event/engine.h"

namespace ecube {

void Engine::begin_compute(Operation& operation) {
  Cycles cycles = operation.amount;
  if (operation.work == Work::permute_bytes) cycles = machine_.permute_cycles(operation.amount);
  if (operation.work == Work::copy_bytes) cycles = machine_.copy_cycles(operation.amount);
  if (operation.work == Work::combine_items) cycles = combining_left(operation);
  if (operation.work == Work::calls) cycles = machine_.call_cycles(operation.amount, operation.bytes);
  if (processors_.compute(operation.node, now_, operation, cycles)) announce_end(operation.node);
}

/// Cycles of combining that are left when the messages have been received.
Cycles Engine::combining_left(const Operation& operation) const {
  const Cycles all = machine_.combine_cycles(operation.amount, operation.bytes);
  if (machine_.library.combining == Combining::received || operation.since == 0 || operation.amount == 0) return all;
  // The last phit of each message cannot be combined before it has arrived.
  const std::uint64_t item_bytes = operation.bytes / operation.amount;
  const std::uint64_t items = (machine_.link.phit_bytes + item_bytes - 1) / item_bytes * operation.messages;
  const Cycles last = machine_.combine_cycles(items, items * item_bytes);
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
