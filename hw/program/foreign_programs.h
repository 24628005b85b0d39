// SPDX-License-Identifier: Apache-2.0
// The run of a cube: programs that are SystemC modules, beside firmware on the other nodes, in simulation time.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "hw/program/node_access.h"
#include "models/contract/run.h"

namespace ecube {

/// The run of a cube: its programs, and its cycles in simulation time, counted from the start of the run. Where modules
/// are bound to some of the nodes, it is itself the program that a machine runs.
class CubeRun : protected Program {
 public:
  /// Called at intervals with the cycle reached; returning false interrupts the run.
  using Progress = std::function<bool(Cycles)>;
  void on_progress(Progress progress) { progress_ = std::move(progress); }
  /// Starts `program`, with cycle 0 at the current simulation time, on all nodes but those that have a module as their
  /// program. The modules start as well. `program` must outlive the run.
  virtual void load(Program& program) = 0;
  /// load() and simulate to the end, if there is no other module to simulate.
  RunResult run(Program& program);
  [[nodiscard]] virtual RunResult result() const = 0;
  /// Ends the program and forgets it; the statistics stay.
  void unload();
  /// The last edge that is not after the current simulation time.
  [[nodiscard]] Cycles edge_reached() const;
  /// Calls Program::woken() for `node` at edge `at`, the one after edge_reached().
  virtual void wake(NodeId node, Cycles at) = 0;

 protected:
  CubeRun();
  ~CubeRun() override;
  /// The access to a node of `machine`, to which operations of modules are passed; nodes are made in order.
  [[nodiscard]] NodeAccess& access(NodePorts& machine, NodeId node);
  /// Some node of a cube with `nodes` nodes has a module as its program.
  [[nodiscard]] bool any_module(NodeId nodes) const;
  /// The program of a run in which `firmware` runs on all nodes that have no module.
  [[nodiscard]] Program& beside(Program& firmware);
  virtual void simulate() { sc_core::sc_start(); }
  /// Cycle 0 again, without a program.
  void reset(const Machine& machine);
  /// Cycle 0 is now.
  void begin_run() {
    started_ = sc_core::sc_time_stamp();
    alone_ = false;
  }
  /// An edge has been simulated.
  void make_progress() {
    constexpr std::uint64_t edges_between = 64;
    if (++edges_ % edges_between == 0 && progress_ && !progress_(scheduled_)) interrupted_ = true;
  }
  /// From now until an edge. InputError where simulation time cannot be counted so far.
  [[nodiscard]] sc_core::sc_time until(Cycles edge) const;
  [[nodiscard]] Cycles last_cycle() const { return last_cycle_; }

  Program* program_ = nullptr;
  sc_core::sc_event wake_{"wake"};
  Cycles scheduled_ = 0;          ///< the edge being simulated, or to be simulated next
  bool alone_ = false;            ///< no other module is simulated: simulated time need not advance cycle by cycle
  std::exception_ptr failure_{};  ///< of a run of the cube alone
  bool idle_ = false;             ///< nothing is scheduled: only a program that is a module can act
  bool foreign_ = false;          ///< some program is a module
  bool interrupted_ = false;

 private:
  class Service;
  void start(NodePorts& ports, NodeId node) override;
  void woken(NodePorts& ports, NodeId node) override;
  void stop() override;
  [[nodiscard]] sc_core::sc_time time_of(Cycles edge) const;

  std::vector<std::unique_ptr<Service>> services_;  ///< [node]
  Program* firmware_ = nullptr;
  Progress progress_;
  std::uint64_t edges_ = 0;  ///< simulated
  double clock_hz_ = 1;
  Cycles last_cycle_ = 0;  ///< that simulation time can be counted to
  sc_core::sc_time started_;
};

}  // namespace ecube
