// SPDX-License-Identifier: Apache-2.0
// Several observers of one run.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "hw/observed/observer.h"

namespace ecube {

/// Passes every report on to the observers whose classes take it, in the order in which they were added. Most take a
/// few of the reports, and there are several reports for each link that a circuit takes.
class ObserverList final : public Observer {
 public:
  template <class One>
  void add(One& one) {
    static_assert(std::is_final_v<One> && !std::is_same_v<One, ObserverList>,
                  "what an observer takes is read from its class");
    add<&One::injected>(Report::injected, &Observer::injected, one);
    add<&One::granted>(Report::granted, &Observer::granted, one);
    add<&One::waits>(Report::waits, &Observer::waits, one);
    add<&One::phits_leave>(Report::phits_leave, &Observer::phits_leave, one);
    add<&One::phits_arrive>(Report::phits_arrive, &Observer::phits_arrive, one);
    add<&One::established>(Report::established, &Observer::established, one);
    add<&One::released>(Report::released, &Observer::released, one);
    add<&One::lost>(Report::lost, &Observer::lost, one);
    add<&One::program_starts>(Report::program_starts, &Observer::program_starts, one);
    add<&One::program_ends>(Report::program_ends, &Observer::program_ends, one);
    add<&One::issued>(Report::issued, &Observer::issued, one);
    add<&One::begins>(Report::begins, &Observer::begins, one);
    add<&One::loops>(Report::loops, &Observer::loops, one);
    add<&One::left>(Report::left, &Observer::left, one);
    add<&One::completed>(Report::completed, &Observer::completed, one);
    observers_.push_back(&one);
  }
  /// The observers that are in the other list now.
  void add_all(const ObserverList& other) {
    for (std::size_t i = 0; i < takers_.size(); ++i) {
      takers_[i].insert(takers_[i].end(), other.takers_[i].begin(), other.takers_[i].end());
    }
    observers_.insert(observers_.end(), other.observers_.begin(), other.observers_.end());
  }
  [[nodiscard]] bool empty() const { return observers_.empty(); }
  /// Who is to be told: the only observer itself, or else this list.
  [[nodiscard]] Observer* observer() { return observers_.size() == 1 ? observers_.front() : this; }

  void injected(CircuitId id, const CircuitRecord& circuit) override {
    for (Observer* const one : takers(Report::injected)) one->injected(id, circuit);
  }
  void granted(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles asked,
               Cycles at) override {
    for (Observer* const one : takers(Report::granted)) one->granted(id, circuit, router, output, asked, at);
  }
  void waits(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles at) override {
    for (Observer* const one : takers(Report::waits)) one->waits(id, circuit, router, output, at);
  }
  void phits_leave(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    for (Observer* const one : takers(Report::phits_leave)) one->phits_leave(id, circuit, at);
  }
  void phits_arrive(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    for (Observer* const one : takers(Report::phits_arrive)) one->phits_arrive(id, circuit, at);
  }
  void established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    for (Observer* const one : takers(Report::established)) one->established(id, circuit, edges);
  }
  void released(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles free_from) override {
    for (Observer* const one : takers(Report::released)) one->released(id, circuit, router, output, free_from);
  }
  void lost(const CircuitRecord& circuit, Cycles at) override {
    for (Observer* const one : takers(Report::lost)) one->lost(circuit, at);
  }
  void program_starts(NodeId node, Cycles at) override {
    for (Observer* const one : takers(Report::program_starts)) one->program_starts(node, at);
  }
  void program_ends(NodeId node, Cycles at) override {
    for (Observer* const one : takers(Report::program_ends)) one->program_ends(node, at);
  }
  void issued(const Operation& operation, Cycles at) override {
    for (Observer* const one : takers(Report::issued)) one->issued(operation, at);
  }
  void begins(const Operation& operation, Cycles at) override {
    for (Observer* const one : takers(Report::begins)) one->begins(operation, at);
  }
  void loops(const Operation& operation, const node::LoopTimes& times, Cycles at) override {
    for (Observer* const one : takers(Report::loops)) one->loops(operation, times, at);
  }
  void left(const Operation& operation, Cycles at) override {
    for (Observer* const one : takers(Report::left)) one->left(operation, at);
  }
  void completed(const Operation& operation, Cycles at) override {
    for (Observer* const one : takers(Report::completed)) one->completed(operation, at);
  }

 private:
  enum class Report : std::uint8_t {
    injected,
    granted,
    waits,
    phits_leave,
    phits_arrive,
    established,
    released,
    lost,
    program_starts,
    program_ends,
    issued,
    begins,
    loops,
    left,
    completed,
    count
  };
  [[nodiscard]] std::vector<Observer*>& takers(Report report) { return takers_[static_cast<std::size_t>(report)]; }
  /// A class that does not override `method` has the base's, whose type is of the base.
  template <auto method, class Inherited>
  void add(Report report, Inherited, Observer& one) {
    if constexpr (!std::is_same_v<decltype(method), Inherited>) takers(report).push_back(&one);
  }

  std::array<std::vector<Observer*>, static_cast<std::size_t>(Report::count)> takers_;
  std::vector<Observer*> observers_;
};

}  // namespace ecube
