// SPDX-License-Identifier: Apache-2.0
// The routers and ports that are plugged into the sockets of a node.
#pragma once

#include <memory>

#include "hw/clocked/interface_port_pins.h"
#include "hw/clocked/router_pins.h"

namespace ecube::clocked {

/// Makes the routers and ports of nodes, here in SystemC. Another design overrides these functions to make its own
/// parts, for all nodes or for some.
class NodeParts {
 public:
  NodeParts() = default;
  virtual ~NodeParts() = default;
  NodeParts(const NodeParts&) = delete;
  NodeParts& operator=(const NodeParts&) = delete;

  /// The router of `node`; for worms it must be a WormRouterPins.
  [[nodiscard]] virtual std::unique_ptr<RouterPins> make_router(const char* name, NodeId node,
                                                                const Shape& shape) const;
  /// Port `number` of `node`; for circuits it must be a CircuitPortPins.
  [[nodiscard]] virtual std::unique_ptr<InterfacePortPins> make_port(const char* name, NodeId node, unsigned number,
                                                                     const Shape& shape) const;
};

}  // namespace ecube::clocked
