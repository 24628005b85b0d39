// SPDX-License-Identifier: Apache-2.0
// Dimension permutations as products of simpler ones, with which Johnsson & Ho 1991 compare their algorithms.
#pragma once

#include <cstdint>
#include <vector>

#include "models/shuffle/dimension_permutation.h"

namespace ecube {

/// A permutation as successive transpositions, each of which exchanges disjoint pairs of dimensions, as a matrix
/// transposition does (section 6). A cycle is shifted by shifting each of its halves, then exchanging the last
/// dimensions of the two: ceil(log2 sigma) rounds for a cycle of sigma dimensions.
[[nodiscard]] std::vector<DimensionPermutation> transpositions(const DimensionPermutation& permutation);

/// A permutation as two all-to-all personalised communications (section 5). The first brings every processor dimension
/// of the cycles into a storage dimension that is in no cycle, the second from there to the dimension that takes its
/// value. InputError where `elements` have too few storage dimensions besides those of the cycles.
[[nodiscard]] std::vector<DimensionPermutation> two_aapcs(const DimensionPermutation& permutation,
                                                          std::uint64_t elements);

}  // namespace ecube
