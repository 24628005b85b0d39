// SPDX-License-Identifier: Apache-2.0
// Which algorithms are for which cycles.
#pragma once

#include "models/shuffle/shuffle_workload.h"

namespace ecube {

/// Whether the algorithms are for such cycles: concurrent AAPC for constituents of one order, A2 for cycles of two
/// dimensions or more, and A2 squared for nodes that use two of them at once.
inline bool fits(const ShuffleWorkload& workload, unsigned dim) {
  for (const DimensionPermutation& stage : stages_of(workload)) {
    const Factors factors = factor(stage);
    for (const Constituent& mixed : factors.mixed) {
      const bool one_order = mixed.order() == factors.mixed.front().order();
      if (workload.mixed == MixedAlgorithm::aapc_concurrent && !one_order) return false;
    }
    for (const Constituent& real : factors.real) {
      if (is_a2(workload.real) && real.order() < 2) return false;
    }
    if (workload.ports.engines == 1 && !real_parts(factors, workload, dim).rounds.empty()) return false;
  }
  return true;
}

}  // namespace ecube
