// SPDX-License-Identifier: Apache-2.0
// RunSetup::router = mixed_router: routers that do not agree on an order of dimensions.
#pragma once

#include <bit>
#include <memory>

#include "hw/clocked/mirrored_router.h"

namespace ecube {

/// Routers of circuits that take the lowest dimension first at nodes whose label has an even number of ones, and the
/// highest first at all other nodes. Neighbours differ, so circuits can wait for each other in a ring.
class MixedRouters final : public clocked::NodeParts {
 public:
  [[nodiscard]] std::unique_ptr<clocked::RouterPins> make_router(const char* name, NodeId node,
                                                                 const clocked::Shape& shape) const override {
    if (std::popcount(node) % 2 == 0) return NodeParts::make_router(name, node, shape);
    return std::make_unique<clocked::MirroredRouter>(name, shape);
  }
};

}  // namespace ecube
