// SPDX-License-Identifier: Apache-2.0
// Which algorithm, packet and number of ports a shuffle takes least time with.
#pragma once

#include <optional>
#include <vector>

#include "testbench/shuffle_request.h"

namespace ecube {

/// An algorithm with its best packet, or the one asked for, over its best number of ports.
struct ShuffleChoice {
  ShuffleWorkload workload;
  ShuffleCount count;
  double us = 0;
  bool has_formula = true;  ///< else counted in the schedule
  bool measured = false;    ///< `route`, which has no equation
};

/// Every algorithm that is for this permutation and these ports or fewer, and the fastest form of each other method,
/// the fastest first.
[[nodiscard]] std::vector<ShuffleChoice> shuffle_choices(const ShuffleWorkload& permutation,
                                                         std::optional<std::uint32_t> packet, unsigned dim,
                                                         const PacketParameters& parameters);

/// Whether a permutation is small enough to measure `route` for it.
[[nodiscard]] bool measures_route(const ShuffleWorkload& permutation, unsigned dim);

/// Every packet straight to its node has no equation, so it is measured on `bench`: in whole messages, then in half as
/// long ones for as long as that is faster. Puts it where it belongs among `choices`.
void add_measured_route(std::vector<ShuffleChoice>& choices, const ShuffleWorkload& permutation,
                        std::optional<std::uint32_t> packet, unsigned dim, const Machine& machine, TestBench& bench);

}  // namespace ecube
