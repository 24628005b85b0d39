// SPDX-License-Identifier: Apache-2.0
// The parts in SystemC.
#include "hw/clocked/node_parts.h"

#include "hw/clocked/interface_port.h"
#include "hw/clocked/router.h"
#include "hw/clocked/worm_port.h"
#include "hw/clocked/worm_router.h"

namespace ecube::clocked {

std::unique_ptr<RouterPins> NodeParts::make_router(const char* name, NodeId /*node*/, const Shape& shape) const {
  if (shape.worms) return std::make_unique<WormRouter>(name, shape);
  return std::make_unique<Router>(name, shape);
}

std::unique_ptr<InterfacePortPins> NodeParts::make_port(const char* name, NodeId node, unsigned number,
                                                        const Shape& shape) const {
  if (shape.worms) return std::make_unique<WormPort>(name, node, number, shape.buffer);
  return std::make_unique<InterfacePort>(name, node, number, shape);
}

}  // namespace ecube::clocked
