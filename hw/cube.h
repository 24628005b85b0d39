// SPDX-License-Identifier: Apache-2.0
// The hypercube as a SystemC module that other designs can instantiate.
#pragma once

#include <string>
#include <systemc>

#include "hw/event/engine.h"
#include "hw/program/foreign_programs.h"
#include "models/machine/hierarchy_names.h"

namespace ecube {

/// A router. Its state is a row of the cube's tables, advanced by the cube's one process.
class RouterModule : public sc_core::sc_module {
 public:
  RouterModule(const sc_core::sc_module_name& name, NodeId id) : sc_core::sc_module(name), id_(id) {}
  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] const char* kind() const override { return "router"; }

 private:
  NodeId id_;
};

/// A node, with its router.
class NodeModule : public sc_core::sc_module {
 public:
  NodeModule(const sc_core::sc_module_name& name, NodeAccess& access)
      : sc_core::sc_module(name), router(HierarchyNames::router_part, access.id()) {
    program.bind(access);
  }
  [[nodiscard]] NodeId id() const { return router.id(); }
  [[nodiscard]] const char* kind() const override { return "node"; }

  RouterModule router;
  /// A module that binds a port to this export is the node's program.
  sc_core::sc_export<NodeAccess> program{"program"};
};

/// A circuit-switched machine with its programs: a binary cube, or the topology that `machine` names. Time is counted
/// in cycles of `machine.clock_hz`; sc_time shows it, rounded to the kernel's resolution.
///
/// Elaborate once, run many times: reset() prepares any machine with no more nodes than 2^dim.
///
///     ecube::Cube cube("cube", 4);
///     cube.reset(machine, 4);
///     cube.load(program);
///     sc_core::sc_start();          // or sc_start(time), among other modules
class Cube : public sc_core::sc_module, public Links, public CubeRun {
 public:
  Cube(const sc_core::sc_module_name& name, unsigned dim, Hierarchy hierarchy = Hierarchy::full);

  /// Cycle 0 again, for another run. Ends the previous program. `dim` is the dimension of the cube, unless `machine`
  /// names a topology. Throws std::invalid_argument for more nodes than have been elaborated.
  void reset(const Machine& machine, unsigned dim, const RunConditions& conditions = {});
  /// A node of the hierarchy. Throws std::invalid_argument where there is none, as in a flat hierarchy.
  [[nodiscard]] NodeModule& node(NodeId id);
  void load(Program& program) override;

  /// Notified when all programs have ended, or nothing can move any more.
  [[nodiscard]] const sc_core::sc_event& finished() const { return finished_; }
  [[nodiscard]] RunResult result() const override;

  void observe(Observer* observer) { engine_.observe(observer); }
  /// See Engine::ask_features; for tests.
  void ask_features(bool ask) { engine_.ask_features(ask); }

  [[nodiscard]] const Engine& engine() const { return engine_; }
  [[nodiscard]] const Machine& machine() const { return engine_.machine(); }
  [[nodiscard]] const Topology& topology() const override { return engine_.topology(); }
  [[nodiscard]] LinkStatistics statistics(LinkId link) const override { return engine_.statistics(link); }
  [[nodiscard]] std::optional<LinkId> find(const std::string& name) const override {
    return nodes_.size() == 0 ? std::nullopt : find_in(this->name(), name);
  }
  [[nodiscard]] const char* kind() const override { return "cube"; }

 private:
  void advance();
  void work();
  void end();
  void schedule(Cycles cycle);
  void wake(NodeId node, Cycles at) override;

  unsigned elaborated_dim_;
  Engine engine_;
  sc_core::sc_vector<NodeModule> nodes_{"nodes"};
  sc_core::sc_event finished_{"finished"};
  bool fresh_ = true;  ///< nothing has been reset yet: a flat cube has no tables before its first run
  bool begun_ = false;
};

}  // namespace ecube
