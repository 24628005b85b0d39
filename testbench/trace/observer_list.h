// SPDX-License-Identifier: Apache-2.0
// Several observers of one run.
#pragma once

#include <algorithm>
#include <array>
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
    add<&Observer::injected, &One::injected>(one);
    add<&Observer::granted, &One::granted>(one);
    add<&Observer::waits, &One::waits>(one);
    add<&Observer::phits_leave, &One::phits_leave>(one);
    add<&Observer::phits_arrive, &One::phits_arrive>(one);
    add<&Observer::established, &One::established>(one);
    add<&Observer::released, &One::released>(one);
    add<&Observer::lost, &One::lost>(one);
    add<&Observer::goes_dark, &One::goes_dark>(one);
    add<&Observer::comes_up, &One::comes_up>(one);
    add<&Observer::program_starts, &One::program_starts>(one);
    add<&Observer::program_ends, &One::program_ends>(one);
    add<&Observer::issued, &One::issued>(one);
    add<&Observer::begins, &One::begins>(one);
    add<&Observer::loops, &One::loops>(one);
    add<&Observer::left, &One::left>(one);
    add<&Observer::completed, &One::completed>(one);
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

  void injected(CircuitId id, const CircuitRecord& circuit) override { tell<&Observer::injected>(id, circuit); }
  void granted(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles asked,
               Cycles at) override {
    tell<&Observer::granted>(id, circuit, router, output, asked, at);
  }
  void waits(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles at) override {
    tell<&Observer::waits>(id, circuit, router, output, at);
  }
  void phits_leave(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    tell<&Observer::phits_leave>(id, circuit, at);
  }
  void phits_arrive(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    tell<&Observer::phits_arrive>(id, circuit, at);
  }
  void established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    tell<&Observer::established>(id, circuit, edges);
  }
  void released(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles free_from) override {
    tell<&Observer::released>(id, circuit, router, output, free_from);
  }
  void lost(const CircuitRecord& circuit, Cycles at) override { tell<&Observer::lost>(circuit, at); }
  void goes_dark(NodeId node, unsigned plane, NodeId mask, Cycles at) override {
    tell<&Observer::goes_dark>(node, plane, mask, at);
  }
  void comes_up(NodeId node, unsigned plane, NodeId mask, Cycles at) override {
    tell<&Observer::comes_up>(node, plane, mask, at);
  }
  void program_starts(NodeId node, Cycles at) override { tell<&Observer::program_starts>(node, at); }
  void program_ends(NodeId node, Cycles at) override { tell<&Observer::program_ends>(node, at); }
  void issued(const Operation& operation, Cycles at) override { tell<&Observer::issued>(operation, at); }
  void begins(const Operation& operation, Cycles at) override { tell<&Observer::begins>(operation, at); }
  void loops(const Operation& operation, const node::LoopTimes& times, Cycles at) override {
    tell<&Observer::loops>(operation, times, at);
  }
  void left(const Operation& operation, Cycles at) override { tell<&Observer::left>(operation, at); }
  void completed(const Operation& operation, Cycles at) override { tell<&Observer::completed>(operation, at); }

 private:
  template <auto method>
  using Method = std::integral_constant<decltype(method), method>;
  template <auto one, auto... all>
  static constexpr std::size_t place_among() {
    constexpr std::array same{std::is_same_v<Method<one>, Method<all>>...};
    return static_cast<std::size_t>(std::find(same.begin(), same.end(), true) - same.begin());
  }
  /// The place of a report in takers_.
  template <auto method>
  static constexpr std::size_t place =
      place_among<method, &Observer::injected, &Observer::granted, &Observer::waits, &Observer::phits_leave,
                  &Observer::phits_arrive, &Observer::established, &Observer::released, &Observer::lost,
                  &Observer::goes_dark, &Observer::comes_up, &Observer::program_starts, &Observer::program_ends,
                  &Observer::issued, &Observer::begins, &Observer::loops, &Observer::left, &Observer::completed>();

  template <auto method, typename... Arguments>
  void tell(const Arguments&... arguments) {
    for (Observer* const one : takers_[place<method>]) (one->*method)(arguments...);
  }
  /// A class that does not override `method` has the base's, whose type is of the base.
  template <auto method, auto own>
  void add(Observer& one) {
    if constexpr (!std::is_same_v<decltype(method), decltype(own)>) takers_[place<method>].push_back(&one);
  }

  std::array<std::vector<Observer*>, 17> takers_;
  std::vector<Observer*> observers_;
};

}  // namespace ecube
