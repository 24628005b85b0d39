// SPDX-License-Identifier: Apache-2.0
// What is plugged into the sockets of a node.
#pragma once

#include <memory>

#include "hw/clocked/interface_port_pins.h"
#include "hw/clocked/router_pins.h"

namespace ecube::clocked {

/// Makes the routers and ports of nodes. These are in SystemC; another design overrides what it has its own of, for all
/// nodes or for some.
class NodeParts {
 public:
  NodeParts() = default;
  virtual ~NodeParts() = default;
  NodeParts(const NodeParts&) = delete;
  NodeParts& operator=(const NodeParts&) = delete;

  /// The router of `node`: of worms, one with WormRouterPins.
  [[nodiscard]] virtual std::unique_ptr<RouterPins> make_router(const char* name, NodeId node,
                                                                const Shape& shape) const;
  /// Port `number` of `node`: of circuits, one with CircuitPortPins.
  [[nodiscard]] virtual std::unique_ptr<InterfacePortPins> make_port(const char* name, NodeId node, unsigned number,
                                                                     const Shape& shape) const;
};

}  // namespace ecube::clocked
