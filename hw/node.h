// SPDX-License-Identifier: Apache-2.0
// A node's place in the SystemC hierarchy of the event engine.
#pragma once

#include <systemc>

#include "hw/program/node_access.h"
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
      : sc_core::sc_module(name), router(HierarchyNames::router_part, access.id()), id_(access.id()) {
    program.bind(access);
  }
  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] const char* kind() const override { return "node"; }

  RouterModule router;
  /// A module that binds a port to this export is the node's program.
  sc_core::sc_export<NodeAccess> program{"program"};

 private:
  NodeId id_;
};

}  // namespace ecube
