// SPDX-License-Identifier: Apache-2.0
// Several observers of one run.
#pragma once

#include <vector>

#include "hw/observed/observer.h"

namespace ecube {

/// Passes every report on to all observers, in the order in which they were added.
class ObserverList final : public Observer {
 public:
  void add(Observer& observer) { observers_.push_back(&observer); }
  [[nodiscard]] bool empty() const { return observers_.empty(); }

  void injected(CircuitId id, const CircuitRecord& circuit) override {
    for (Observer* const one : observers_) one->injected(id, circuit);
  }
  void granted(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles asked,
               Cycles at) override {
    for (Observer* const one : observers_) one->granted(id, circuit, router, output, asked, at);
  }
  void waits(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles at) override {
    for (Observer* const one : observers_) one->waits(id, circuit, router, output, at);
  }
  void phits_leave(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    for (Observer* const one : observers_) one->phits_leave(id, circuit, at);
  }
  void phits_arrive(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    for (Observer* const one : observers_) one->phits_arrive(id, circuit, at);
  }
  void established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    for (Observer* const one : observers_) one->established(id, circuit, edges);
  }
  void released(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles free_from) override {
    for (Observer* const one : observers_) one->released(id, circuit, router, output, free_from);
  }
  void lost(const CircuitRecord& circuit, Cycles at) override {
    for (Observer* const one : observers_) one->lost(circuit, at);
  }
  void program_starts(NodeId node, Cycles at) override {
    for (Observer* const one : observers_) one->program_starts(node, at);
  }
  void program_ends(NodeId node, Cycles at) override {
    for (Observer* const one : observers_) one->program_ends(node, at);
  }
  void issued(const Operation& operation, Cycles at) override {
    for (Observer* const one : observers_) one->issued(operation, at);
  }
  void begins(const Operation& operation, Cycles at) override {
    for (Observer* const one : observers_) one->begins(operation, at);
  }
  void loops(const Operation& operation, const node::LoopTimes& times, Cycles at) override {
    for (Observer* const one : observers_) one->loops(operation, times, at);
  }
  void left(const Operation& operation, Cycles at) override {
    for (Observer* const one : observers_) one->left(operation, at);
  }
  void completed(const Operation& operation, Cycles at) override {
    for (Observer* const one : observers_) one->completed(operation, at);
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace ecube
