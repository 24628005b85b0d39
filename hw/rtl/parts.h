// SPDX-License-Identifier: Apache-2.0
// Nodes of a clocked cube in RTL.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hw/clocked/node_parts.h"
#include "hw/rtl/library.h"

namespace ecube {

/// Largest cube: a router is verilated for each dimension.
inline constexpr unsigned rtl_max_dim = 8;

/// Why this machine cannot be run in RTL, naming the option; empty when it can.
[[nodiscard]] std::string rtl_refusal(const Machine& machine, unsigned dim);

/// Makes nodes in RTL, all or some, and the others in SystemC.
class RtlParts final : public clocked::NodeParts {
 public:
  /// `chosen` says for each node whether it is in RTL; if empty, all nodes are.
  explicit RtlParts(const RtlLibrary& library, std::vector<bool> chosen = {})
      : library_(library), chosen_(std::move(chosen)) {}

  [[nodiscard]] std::unique_ptr<clocked::RouterPins> make_router(const char* name, NodeId node,
                                                                 const clocked::Shape& shape) const override {
    return in_rtl(node) ? library_.make_router(name, shape) : NodeParts::make_router(name, node, shape);
  }
  [[nodiscard]] std::unique_ptr<clocked::InterfacePortPins> make_port(const char* name, NodeId node, unsigned number,
                                                                      const clocked::Shape& shape) const override {
    return in_rtl(node) ? library_.make_port(name, node, number) : NodeParts::make_port(name, node, number, shape);
  }

 private:
  [[nodiscard]] bool in_rtl(NodeId node) const { return chosen_.empty() || chosen_[node]; }

  const RtlLibrary& library_;
  std::vector<bool> chosen_;
};

}  // namespace ecube
