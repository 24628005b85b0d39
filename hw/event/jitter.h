// SPDX-License-Identifier: Apache-2.0
// Jitter: how much later the program of a node starts, and how much longer each of its start-ups takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/contract/run.h"
#include "models/machine/random.h"

namespace ecube::event {

/// The random numbers of all nodes: the first of a node is for the start of its program, the others for its start-ups.
class Jitter {
 public:
  void reset(const RunConditions& conditions, std::size_t nodes) {
    conditions_ = conditions;
    draws_.assign(conditions.jitter == 0 ? 0 : nodes, 0);
  }
  [[nodiscard]] Cycles next(NodeId node) {
    if (conditions_.jitter == 0) return 0;
    return up_to(draw(conditions_.seed, node, draws_[node]++), conditions_.jitter);
  }

 private:
  RunConditions conditions_;
  std::vector<std::uint32_t> draws_;  ///< [node], with jitter only
};

}  // namespace ecube::event
