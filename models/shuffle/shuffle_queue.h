// SPDX-License-Identifier: Apache-2.0
// The cost of a shuffle where the start-ups of a node's messages queue on its processor.
#pragma once

#include "models/shuffle/shuffle_workload.h"

namespace ecube {

/// Time of a workload, term by term: shuffle_cost() of `count`, or, where `parameters` say how start-ups queue, the sum
/// over the steps of its schedules. A step in which q dimensions are used at once takes queued_step_us() of q
/// exchanges; the excess over one exchange of the longest packet is ShuffleTerms::queued_startup_us. Algorithm A2, A2
/// squared and spreading have steps in which nodes send and receive different numbers of messages: there timeline_us()
/// gives the time. Local moves are those of the nodes that move most: alignment, synchronisation points, elements that
/// change places within a node.
[[nodiscard]] ShuffleTerms workload_cost(const ShuffleWorkload& workload, unsigned dim, const ShuffleCount& count,
                                         const ShuffleParameters& parameters);

/// The time of a workload by formula or, where there is no formula, counted in its schedules.
[[nodiscard]] ShuffleTerms workload_cost(const ShuffleWorkload& workload, unsigned dim,
                                         const ShuffleParameters& parameters);

/// The packet of least time among those that fit, and the time. Where start-ups overlap, all sizes are tried
/// (best_packet()), or, where there is no formula, 1, 2, 4, .. Where start-ups queue, the sizes that make up equal
/// shares are tried: the least B for each number of packets, above 64 packets every power of two. Of equals the largest
/// counts.
struct PacketChoice {
  std::uint32_t packet = 1;
  double us = 0;
};
[[nodiscard]] PacketChoice best_packet_choice(const ShuffleWorkload& workload, unsigned dim,
                                              const std::function<ShuffleParameters(std::uint64_t packet)>& parameters);

}  // namespace ecube
