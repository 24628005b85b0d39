// SPDX-License-Identifier: Apache-2.0
// Several observers of one run.
#pragma once

#include <vector>

#include "hw/observed/observer.h"

namespace ecube {

/// Passes every report on to all of its observers, in the order in which they were added.
class ObserverList final : public Observer {
 public:
  void add(Observer& one) { observers_.push_back(&one); }
  [[nodiscard]] bool empty() const { return observers_.empty(); }
  /// Who is to be told: the only observer itself, or else this list.
  [[nodiscard]] Observer& observer() { return observers_.size() == 1 ? *observers_.front() : *this; }

  void injected(CircuitId id, const CircuitRecord& circuit) override { tell(&Observer::injected, id, circuit); }
  void granted(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles asked,
               Cycles at) override {
    tell(&Observer::granted, id, circuit, router, output, asked, at);
  }
  void waits(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles at) override {
    tell(&Observer::waits, id, circuit, router, output, at);
  }
  void phits_leave(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    tell(&Observer::phits_leave, id, circuit, at);
  }
  void phits_arrive(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    tell(&Observer::phits_arrive, id, circuit, at);
  }
  void established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    tell(&Observer::established, id, circuit, edges);
  }
  void released(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles free_from) override {
    tell(&Observer::released, id, circuit, router, output, free_from);
  }
  void lost(const CircuitRecord& circuit, Cycles at) override { tell(&Observer::lost, circuit, at); }
  void goes_dark(NodeId node, unsigned plane, NodeId mask, Cycles at) override {
    tell(&Observer::goes_dark, node, plane, mask, at);
  }
  void comes_up(NodeId node, unsigned plane, NodeId mask, Cycles at) override {
    tell(&Observer::comes_up, node, plane, mask, at);
  }
  void program_starts(NodeId node, Cycles at) override { tell(&Observer::program_starts, node, at); }
  void program_ends(NodeId node, Cycles at) override { tell(&Observer::program_ends, node, at); }
  void issued(const Operation& operation, Cycles at) override { tell(&Observer::issued, operation, at); }
  void begins(const Operation& operation, Cycles at) override { tell(&Observer::begins, operation, at); }
  void loops(const Operation& operation, const node::LoopTimes& times, Cycles at) override {
    tell(&Observer::loops, operation, times, at);
  }
  void left(const Operation& operation, Cycles at) override { tell(&Observer::left, operation, at); }
  void completed(const Operation& operation, Cycles at) override { tell(&Observer::completed, operation, at); }

 private:
  template <typename Method, typename... Arguments>
  void tell(Method method, const Arguments&... arguments) {
    for (Observer* const one : observers_) (one->*method)(arguments...);
  }

  std::vector<Observer*> observers_;
};

}  // namespace ecube
