// SPDX-License-Identifier: Apache-2.0
// A node's place in the SystemC hierarchy.
#pragma once

#include <systemc>

#include "models/cube.h"

namespace ecube {

/// A router in the hierarchy. Its state is a row of the cube's arrays, advanced by the cube's one process.
class RouterModule : public sc_core::sc_module {
 public:
  RouterModule(const sc_core::sc_module_name& name, NodeId id) : sc_core::sc_module(name), id_(id) {}
  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] const char* kind() const override { return "router"; }

 private:
  NodeId id_;
};

/// A node in the hierarchy, with its router.
class NodeModule : public sc_core::sc_module {
 public:
  NodeModule(const sc_core::sc_module_name& name, NodeId id)
      : sc_core::sc_module(name), router("router", id), id_(id) {}
  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] const char* kind() const override { return "node"; }

  RouterModule router;

 private:
  NodeId id_;
};

}  // namespace ecube
