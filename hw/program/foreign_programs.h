// SPDX-License-Identifier: Apache-2.0
// Programs that are SystemC modules, beside firmware on the other nodes.
#pragma once

#include <memory>
#include <vector>

#include "hw/program/node_access.h"

namespace ecube {

/// The simulation time of a cube, whose cycles are counted from the start of a run.
class CubeClock {
 public:
  /// The last edge that is not after the current simulation time.
  [[nodiscard]] Cycles edge_reached() const;
  /// Calls Program::woken() for `node` at edge `at`, the one after edge_reached().
  virtual void wake(NodeId node, Cycles at) = 0;

 protected:
  ~CubeClock() = default;
  void reset(const Machine& machine);
  /// Cycle 0 is now.
  void begin_run() { started_ = sc_core::sc_time_stamp(); }
  /// From now until an edge. InputError where simulation time cannot be counted so far.
  [[nodiscard]] sc_core::sc_time until(Cycles edge) const;
  [[nodiscard]] Cycles last_cycle() const { return last_cycle_; }

 private:
  [[nodiscard]] sc_core::sc_time time_of(Cycles edge) const;

  double clock_hz_ = 1;
  Cycles last_cycle_ = 0;  ///< that simulation time can be counted to
  sc_core::sc_time started_;
};

/// The program of a run, where modules are bound to some of the nodes.
class ForeignPrograms final : public Program {
 public:
  /// Operations of modules are passed to `machine`.
  ForeignPrograms(NodePorts& machine, CubeClock& clock);
  ~ForeignPrograms() override;
  ForeignPrograms(const ForeignPrograms&) = delete;
  ForeignPrograms& operator=(const ForeignPrograms&) = delete;

  /// The access to a node; nodes are made in order.
  [[nodiscard]] NodeAccess& access(NodeId node);
  /// Some node of a cube with `nodes` nodes has a module as its program.
  [[nodiscard]] bool any(NodeId nodes) const;
  /// `firmware` runs on all other nodes.
  [[nodiscard]] Program& beside(Program& firmware);

  void start(NodePorts& ports, NodeId node) override;
  void woken(NodePorts& ports, NodeId node) override;
  void stop() override;

 private:
  class Service;
  NodePorts& machine_;
  CubeClock& clock_;
  std::vector<std::unique_ptr<Service>> services_;  ///< [node]
  Program* firmware_ = nullptr;
};

}  // namespace ecube
