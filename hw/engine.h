// SPDX-License-Identifier: Apache-2.0
// One machine without SystemC around it: fabric and interfaces, advanced cycle by cycle.
#pragma once

#include <algorithm>

#include "hw/event_fabric.h"
#include "hw/network_interface.h"

namespace ecube {

/// Owns the state of all routers, links and interfaces. Who calls step() for the cycles in order decides what time is.
class Engine {
 public:
  Engine() : fabric_(circuits_, interfaces_), interfaces_(circuits_, fabric_) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void reset(const Machine& machine, unsigned dim, const RunConditions& conditions) {
    circuits_.reset();
    fabric_.reset(machine, dim);
    interfaces_.reset(machine, dim, conditions);
  }
  /// The next cycle in which anything happens, or never.
  [[nodiscard]] Cycles next_cycle() const { return std::min(fabric_.next_cycle(), interfaces_.next_cycle()); }
  /// Does all the work of cycle `now`, in the order of hw/README.md section 8.
  void step(Cycles now) {
    interfaces_.begin_cycle(now);
    fabric_.advance(now);
    interfaces_.advance(now);
  }
  /// Events processed since the reset.
  [[nodiscard]] std::uint64_t events() const { return fabric_.events() + interfaces_.events(); }
  void observe(Observer* observer) {
    fabric_.observe(observer);
    interfaces_.observe(observer);
  }

  [[nodiscard]] NetworkInterfaces& interfaces() { return interfaces_; }
  [[nodiscard]] const NetworkInterfaces& interfaces() const { return interfaces_; }
  [[nodiscard]] const EventFabric& fabric() const { return fabric_; }
  [[nodiscard]] Circuits& circuits() { return circuits_; }
  [[nodiscard]] const Circuits& circuits() const { return circuits_; }

 private:
  Circuits circuits_;
  EventFabric fabric_;
  NetworkInterfaces interfaces_;
};

}  // namespace ecube
