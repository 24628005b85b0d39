// SPDX-License-Identifier: Apache-2.0
// A node of the cube: what its program sees, and its place in the SystemC hierarchy.
#pragma once

#include <systemc>

#include "hw/network_interface.h"

namespace ecube {

/// The machine's side of the node contract: hands every request to the interfaces under this node's number.
class NodeAccess final : public NodePort {
 public:
  NodeAccess(NetworkInterfaces& interfaces, const Machine& machine, const unsigned& dim, NodeId id)
      : interfaces_(&interfaces), machine_(&machine), dim_(&dim), id_(id) {}

  [[nodiscard]] NodeId id() const override { return id_; }
  [[nodiscard]] unsigned dim() const override { return *dim_; }
  [[nodiscard]] Cycles now() const override { return interfaces_->now(); }
  [[nodiscard]] double now_us() const override { return machine_->us(static_cast<double>(now())); }
  [[nodiscard]] const Machine& machine() const override { return *machine_; }
  void start_send(Operation& operation) override { interfaces_->start_send(id_, operation); }
  void start_receive(Operation& operation) override { interfaces_->start_receive(id_, operation); }
  void start_exchange(Operation& operation) override { interfaces_->start_exchange(id_, operation); }
  void start_compute(Operation& operation) override { interfaces_->start_compute(id_, operation); }
  void finished(std::exception_ptr error) override { interfaces_->finished(id_, error); }

 private:
  NetworkInterfaces* interfaces_;
  const Machine* machine_;
  const unsigned* dim_;
  NodeId id_;
};

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
