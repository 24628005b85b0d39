// SPDX-License-Identifier: Apache-2.0
// Computation, in the cycles without library work or phits (hw/README.md section 5, Processor).
#include <algorithm>

#include "hw/event/engine.h"
#include "models/contract/operations.h"

namespace ecube {

/// Rule 5.2.
void Engine::begin_compute(Operation& operation) {
  const NodeId node = operation.node;
  if (loops_.are(operation)) {
    // Its length is known when it begins.
    if (processors_.compute(node, now_, operation, 0)) begin_first(node);
    return;
  }
  Cycles cycles = 0;
  try {
    cycles = processors_.cycles(operation, *work_, now_);
  } catch (const std::exception&) {
    end_.fails(node, std::current_exception());
  }
  if (processors_.compute(node, now_, operation, cycles)) announce_end(node);
}

void Engine::begin_first(NodeId node) {
  const Operation& operation = processors_.first(node);
  if (loops_.are(operation)) {
    try {
      processors_.set_length(node, loops_.begin(operation, now_, processors_.library_until(node)));
    } catch (const std::exception&) {
      end_.fails(node, std::current_exception());
    }
  }
  announce_end(node);
}

void Engine::end_loop(const Operation& operation) {
  const NodeLoops::Run* const run = loops_.end(operation.node);
  if (run == nullptr) return;
  if (run->fault != nullptr) return end_.fails(operation.node, run->fault);
  if (observer_ != nullptr) observer_->loops(operation, run->times, loops_.begun(operation.node));
}

/// Files one event for the end of a node's computation, or none while the computation waits for phits whose end is not
/// known.
void Engine::announce_end(NodeId node) {
  const Cycles end = processors_.next_end(node);
  processors_.suspend(node, end == never);
  if (end != never) push(std::max(now_, end), Kind::computation_ends, node);
}

/// What is newly known of messages and library work may change the loop under way.
void Engine::run_loop_again(NodeId node) {
  const auto change = loops_.run_again(node);
  if (!change) return;
  processors_.change_length(node, now_, change->before, change->after);
  announce_end(node);
}

/// The phits of a circuit share the bus with loops at both ends. `arriving` of them reach the destination.
void Engine::share_bus(CircuitId id, Cycles first_left, Cycles first_arrives, std::uint64_t arriving) {
  const Ratio pace = machine_.phit_cycles();
  const std::uint64_t phits = machine_.phits(circuits_[id].bytes);
  for (const bool arrives : {false, true}) {
    std::vector<Cycles> at(arrives ? arriving : phits, arrives ? first_arrives : first_left);
    for (std::uint64_t phit = 0; phit < at.size(); ++phit) at[phit] += pace.floor_of(phit);
    worm_phits(id, arrives, at);
  }
}

void Engine::worm_phits(CircuitId id, bool arrives, std::span<const Cycles> at) {
  const event::Circuit& circuit = circuits_[id];
  const NodeId node = arrives ? circuit.destination : circuit.source;
  const std::uint8_t port = arrives ? circuit.eject_port : circuit.inject_port;
  loops_.moves(node, {.circuit = id, .phits = machine_.phits(circuit.bytes), .arrive = arrives, .port = port}, at,
               now_);
  run_loop_again(node);
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

/// Rule 5.1.
void Engine::finish_computation(NodeId node) {
  // The loop ended earlier than first announced.
  if (!processors_.computing(node)) return;
  // Later library work has delayed the end.
  if (processors_.next_end(node) > now_) {
    announce_end(node);
    return;
  }
  Operation& operation = processors_.finish(node, now_);
  if (loops_.are(operation)) end_loop(operation);
  if (processors_.computing(node)) begin_first(node);
  finish_part(operation, now_);
}

}  // namespace ecube
