// SPDX-License-Identifier: Apache-2.0
// Which algorithm, packet and number of ports a shuffle takes least time with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/shuffle/shuffle_request.h"

namespace ecube {

/// An algorithm with its best packet, or the one asked for, over its best number of ports.
struct ShuffleChoice {
  ShuffleWorkload workload;
  ShuffleCount count{};
  double us = 0;
  bool has_formula = true;               ///< else counted in the schedule
  bool measured = false;                 ///< `route`, which has no equation, and others where that is not enough
  std::optional<double> predicted_us{};  ///< of what is measured, where there is an equation
};

/// Every algorithm that is for this permutation and these ports or fewer, and the fastest form of each other method,
/// the fastest first.
[[nodiscard]] std::vector<ShuffleChoice> shuffle_choices(const ShuffleWorkload& permutation,
                                                         std::optional<std::uint32_t> packet, unsigned dim,
                                                         const PacketParameters& parameters);

/// The same algorithms over every number of ports, in the packets of least predicted time and in those of 1, 2, 3, 4,
/// 6, 8, 12, .. elements, or in the one asked for; and `route` likewise. All are run on `bench`: the fastest form of
/// each, the fastest first. Nothing where they send too many messages, or elements, to run them all.
[[nodiscard]] std::vector<ShuffleChoice> measured_shuffles(const ShuffleWorkload& permutation,
                                                           std::optional<std::uint32_t> packet, unsigned dim,
                                                           const PacketParameters& parameters, const Machine& machine,
                                                           TestBench& bench);

/// Whether a permutation is small enough to measure `route` for it.
[[nodiscard]] bool measures_route(const ShuffleWorkload& permutation, unsigned dim);

/// Every packet straight to its node has no equation, so it is measured on `bench`: in whole messages, then in half as
/// long ones for as long as that is faster, or where that is little in all of these over every number of ports. Puts it
/// where it belongs among `choices`.
void add_measured_route(std::vector<ShuffleChoice>& choices, const ShuffleWorkload& permutation,
                        std::optional<std::uint32_t> packet, unsigned dim, const Machine& machine, TestBench& bench);

/// What `best shuffle` recommends, first, and what it holds that against.
struct BestShuffles {
  std::vector<ShuffleChoice> candidates;
  std::vector<std::string> leaves_out;  ///< of the equation; empty where it describes the machine
  bool all_measured = false;
};

/// Whether `best_shuffles` runs anything on a bench for the dimension.
[[nodiscard]] bool measures_shuffles(const ShuffleWorkload& permutation, unsigned dim, const Machine& machine);
[[nodiscard]] BestShuffles best_shuffles(const ShuffleWorkload& permutation, std::optional<std::uint32_t> packet,
                                         unsigned dim, const PacketParameters& parameters, const Machine& machine,
                                         TestBench& bench);

}  // namespace ecube
