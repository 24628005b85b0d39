// SPDX-License-Identifier: Apache-2.0
// The algorithm, packet and number of ports with which a shuffle takes least time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/shuffle/shuffle_request.h"

namespace ecube {

struct ShuffleChoice {
  ShuffleWorkload workload;
  ShuffleCount count{};
  double us = 0;
  bool has_formula = true;  ///< else counted in the schedule
  bool measured = false;    ///< for `route`, which has no equation, and where an equation leaves something out
  std::optional<double> predicted_us{};  ///< of a measured choice, where there is an equation
};

/// Every algorithm that suits these ports or fewer, and the fastest form of each other method; the fastest first.
[[nodiscard]] std::vector<ShuffleChoice> shuffle_choices(const ShuffleWorkload& permutation,
                                                         std::optional<std::uint32_t> packet, unsigned dim,
                                                         const PacketParameters& parameters, const Machine& machine);

[[nodiscard]] bool measures_route(const ShuffleWorkload& permutation, unsigned dim);

/// Measures `route` on `bench`, since sending every packet straight to its node has no equation: in whole messages,
/// then in half as long ones for as long as that is faster. Small problems try all these packets over every number of
/// ports. Inserts the result in order among `choices`.
void add_measured_route(std::vector<ShuffleChoice>& choices, const ShuffleWorkload& permutation,
                        std::optional<std::uint32_t> packet, unsigned dim, const Machine& machine, TestBench& bench);

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
