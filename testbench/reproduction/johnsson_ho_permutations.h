// SPDX-License-Identifier: Apache-2.0
// The permutations of Johnsson & Ho's tables.
#pragma once

#include <span>

#include "models/shuffle/dimension_permutation.h"

namespace ecube {

/// Mixed constituents of the given orders, each with a storage dimension of its own.
[[nodiscard]] inline DimensionPermutation mixed_constituents(std::span<const unsigned> orders) {
  std::vector<DimensionPermutation::Cycle> cycles;
  unsigned first = 0;
  for (unsigned j = 0; j < orders.size(); ++j) {
    DimensionPermutation::Cycle& cycle = cycles.emplace_back();
    for (unsigned i = orders[j]; i-- > 0;) cycle.push_back({.storage = false, .bit = first + i});
    cycle.push_back({.storage = true, .bit = j});
    first += orders[j];
  }
  return {cycles, {}};
}

/// `count` real constituents of one order.
[[nodiscard]] inline DimensionPermutation real_constituents(unsigned order, unsigned count) {
  std::vector<DimensionPermutation::Cycle> cycles;
  for (unsigned j = 0; j < count; ++j) {
    DimensionPermutation::Cycle& cycle = cycles.emplace_back();
    for (unsigned i = order; i-- > 0;) cycle.push_back({.storage = false, .bit = j * order + i});
  }
  return {cycles, {}};
}

}  // namespace ecube
