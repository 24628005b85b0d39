// SPDX-License-Identifier: Apache-2.0
// The predicted time of a complete exchange whose blocks differ in size: nodes followed from step to step.
#pragma once

#include "models/exchange/block_sizes.h"
#include "models/exchange/exchange_cost.h"

namespace ecube {

/// Largest dimension for which every node is followed.
inline constexpr unsigned max_unequal_dim = 10;

struct UnequalExchangeCost {
  double us = 0;                     ///< when the last node ends
  double equal_us = 0;               ///< of the equation, whose blocks all have the mean number of bytes
  std::vector<double> phase_ends{};  ///< when the last node ends each phase, in us
  Bytes longest_message = 0;
  Bytes moved_bytes = 0;  ///< over all messages of all nodes
};

/// In a step both partners begin when the later of them has ended its step before. A message of m bytes over h hops
/// takes lambda + tau m + delta + delta_hop h (ExchangeParameters, with the parameters of short and empty messages
/// where there are such), and the step the longer of its two messages; with synchronisation, a message without bytes
/// before it. A phase ends with the permutation of the blocks that the node then has, where the equation charges one;
/// barriers are as in the equation. With blocks of one size of at least one byte all nodes end together, at the time of
/// exchange_cost(); messages without bytes have a start-up of their own here, and that of others in the equation.
///
/// The equation differs in two ways. It has no node that waits for a partner with more bytes: with Direct every step
/// takes as long as the longest message of those who wait for one another. And its phases move the mean: over several
/// phases, messages of many blocks come nearer to it than single blocks do, which is in favour of more phases.
[[nodiscard]] UnequalExchangeCost unequal_exchange_cost(const Partition& partition, const BlockSizes& sizes,
                                                        const ExchangeParameters& parameters,
                                                        const ExchangeOptions& options);

/// The partition of least unequal_exchange_cost(); of equals the one with fewest phases.
[[nodiscard]] Partition best_unequal_partition(const BlockSizes& sizes, const ExchangeParameters& parameters,
                                               const ExchangeOptions& options);

}  // namespace ecube
