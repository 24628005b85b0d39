// SPDX-License-Identifier: Apache-2.0
// Jitter: how much later the program of a node starts, and how much longer each of its start-ups takes.
#pragma once

#include <cstdint>

#include "models/contract/run.h"
#include "models/machine/random.h"

namespace ecube::clocked {

/// The random numbers of one node: the first is for the start of its program, the others for its start-ups.
class Jitter {
 public:
  void reset(const RunConditions& conditions, NodeId node) {
    conditions_ = conditions;
    node_ = node;
    count_ = 0;
  }
  /// Rule 4.12.
  [[nodiscard]] Cycles next() {
    if (conditions_.jitter == 0) return 0;
    return up_to(draw(conditions_.seed, node_, count_++), conditions_.jitter);
  }

 private:
  RunConditions conditions_;
  NodeId node_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace ecube::clocked
