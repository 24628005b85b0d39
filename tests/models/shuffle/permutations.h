// SPDX-License-Identifier: Apache-2.0
// Permutations for the tests of shuffles.
#pragma once

#include "models/shuffle/dimension_permutation.h"
#include "tests/test.h"

namespace ecube {

/// A cycle over `order` dimensions from `first` on, with a storage dimension if it is mixed.
inline DimensionPermutation::Cycle cycle_of(unsigned first, unsigned order, std::optional<unsigned> storage = {}) {
  DimensionPermutation::Cycle cycle;
  for (unsigned i = order; i-- > 0;) cycle.push_back({.storage = false, .bit = first + i});
  if (storage) cycle.push_back({.storage = true, .bit = *storage});
  return cycle;
}

/// Cycles of 1 to `longest` dimensions, some of them complemented, over all but about `left_out` in three of the
/// processor dimensions p0 .. and storage dimensions s0 ..
inline DimensionPermutation random_permutation(std::mt19937_64& random, unsigned processor, unsigned storage,
                                               unsigned left_out = 0, std::size_t longest = 5) {
  std::vector<AddressDimension> dims;
  for (unsigned i = 0; i < processor + storage; ++i) {
    if (random() % 3 < left_out) continue;
    dims.push_back({.storage = i >= processor, .bit = i >= processor ? i - processor : i});
  }
  std::shuffle(dims.begin(), dims.end(), random);
  std::vector<DimensionPermutation::Cycle> cycles;
  std::vector<AddressDimension> complemented;
  for (std::size_t at = 0; at < dims.size();) {
    const std::size_t length = std::min<std::size_t>(1 + random() % longest, dims.size() - at);
    const auto begin = dims.begin() + static_cast<std::ptrdiff_t>(at);
    const DimensionPermutation::Cycle cycle(begin, begin + static_cast<std::ptrdiff_t>(length));
    at += length;
    if (length == 1 && random() % 2 == 0) continue;  // a cycle of one is there only to be complemented
    for (const AddressDimension& dimension : cycle) {
      if (length == 1 || random() % 4 == 0) complemented.push_back(dimension);
    }
    cycles.push_back(cycle);
  }
  return {std::move(cycles), std::move(complemented)};
}

}  // namespace ecube
