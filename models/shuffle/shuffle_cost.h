// SPDX-License-Identifier: Apache-2.0
// The predicted cost of a generalised shuffle: steps, start-ups and time, and lower bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/shuffle/dimension_permutation.h"
#include "models/shuffle/shuffle_schedule.h"
#include "models/uncontended/timeline.h"

namespace ecube {

/// A packet of n elements exchanged with a neighbour takes tau + n t_c (Johnsson & Ho 1991, section 3).
struct ShuffleParameters {
  double tau_us = 0;
  double tc_us_per_element = 0;
  double rho_us_per_element = 0;  ///< for moving an element within its node
  std::string source = "given";   ///< "fitted" or "given"
  /// The processor's share of tau where the start-ups of a node's messages queue; empty where they do not queue.
  std::optional<ProcessorTimes> processor{};
};

/// Element exchanges in sequence, packets in sequence, and elements moved within a node.
struct ShuffleCount {
  std::uint64_t steps = 0;
  std::uint64_t startups = 0;
  std::uint64_t moved = 0;

  ShuffleCount& operator+=(const ShuffleCount& other) {
    steps += other.steps;
    startups += other.startups;
    moved += other.moved;
    return *this;
  }
};

struct ShuffleTerms {
  double startup_us = 0;
  double transmission_us = 0;
  double local_us = 0;
  /// Time by which steps in several dimensions are longer than one exchange, because start-ups and receipts queue on
  /// the node's processor.
  double queued_startup_us = 0;

  [[nodiscard]] double total() const { return startup_us + transmission_us + local_us + queued_startup_us; }
};

[[nodiscard]] ShuffleTerms shuffle_cost(const ShuffleCount& count, const ShuffleParameters& parameters);

// Counts of the algorithms for K = `elements` and packets of B = `packet`.

/// Mixed constituents of these orders. One-port: sigma_r K/2 steps, sigma_r ceil(K / 2B) start-ups (Table 1).
/// Pipelined: K/2 + (sigma - 1) B steps, ceil(K / 2B) + sigma - 1 start-ups for one constituent (Table 1); for several,
/// the steps of pipelined_steps() in packets, for which 2^beta B has to divide K. Concurrent: concurrent_steps() with
/// K/2B in place of K/2, each of B elements (Tables 1 and 2, corrected). By AAPC: the steps of aapc_steps() in packets,
/// the last of which may be short; each step counts as a whole packet. By concurrent AAPC, which needs constituents of
/// one order, the steps of concurrent_aapc_steps() (Table 2; section 4.1.2).
[[nodiscard]] ShuffleCount mixed_count(MixedAlgorithm algorithm, std::span<const std::uint32_t> orders,
                                       std::uint64_t elements, std::uint64_t packet);
/// Real constituents: (sigma + 1) K/2 steps, (sigma + 1) ceil(K / 2B) start-ups on one port; (sigma + 1) ceil(K / 2
/// sigma B) packets on n, all counted as whole packets (Table 3, A1).
[[nodiscard]] ShuffleCount a1_count(std::uint32_t order, std::uint64_t elements, std::uint64_t packet, bool one_port);
/// K/2 + max(K/2, sigma) steps with B = 1, and with packets the same of packets of B (A1, pipelined).
[[nodiscard]] ShuffleCount a1_pipelined_count(std::uint32_t order, std::uint64_t elements, std::uint64_t packet);

/// sigma K steps and sigma ceil(K / B) start-ups on one port, with ceil(K / sigma) in place of K on n (A2).
[[nodiscard]] ShuffleCount a2_count(std::uint32_t order, std::uint64_t elements, std::uint64_t packet, bool one_port);
/// `cycles` = beta real 2-cycles at once by A2 squared. With M = ceil(K / 2 beta): beta M + B steps, ceil(beta M / B) +
/// 1 start-ups where 2B <= M, which is K/2 + B and ceil(K / 2B) + 1 where 2 beta divides K (Table 3 for one 2-cycle,
/// for several the abstract, section 4.2 and conclusion). Larger packets leave slots empty: (2 beta - 1) B + M steps
/// and 2 beta + 1 start-ups for B < M, 2 beta M and 2 beta from B = M on, the least start-ups there are.
[[nodiscard]] ShuffleCount a2x2_count(std::uint64_t cycles, std::uint64_t elements, std::uint64_t packet);

/// Bringing K elements of one node to 2^x, K/2^x to each, or back: K - K/2^x steps on one port, in x packet sequences,
/// each with half of the elements that are left. On n ports x parts of the elements cross the dimensions in different
/// orders: (K - K/2^x) / x where x divides K/2^x.
[[nodiscard]] ShuffleCount spread_count(unsigned extend, std::uint64_t elements, std::uint64_t packet, bool one_port);

// The packet size B of least time by the equations, where start-ups and elements balance. B is not rounded, and not
// limited to 1 .. K/2.

/// sqrt(K tau / 2 (sigma - 1) t_c): pipelined, one constituent of order sigma >= 2.
[[nodiscard]] double best_pipelined_packet(std::uint32_t order, std::uint64_t elements,
                                           const ShuffleParameters& parameters);
/// min(sqrt(K tau / 4 t_c), K / 2 (sigma_r + 1)): concurrent, with sets.
[[nodiscard]] double best_concurrent_packet(std::uint32_t order, std::uint64_t elements,
                                            const ShuffleParameters& parameters);
/// sqrt(K tau / 2 t_c): A2 squared of one 2-cycle (Table 3). Of `cycles` = beta > 1 at once: the same up to M/2, M =
/// K / 2 beta; beyond, M/2, or M where tau > (beta - 1/2) M t_c.
[[nodiscard]] double best_a2x2_packet(std::uint64_t cycles, std::uint64_t elements,
                                      const ShuffleParameters& parameters);

/// tau at which A1 and A2, with packets without bound, take the same time: (sigma - 1) K t_c / 2 on one port, (1 - 1 /
/// sigma) K t_c / 2 on n (section 4.2). Above it A2 is faster.
[[nodiscard]] double a1_a2_break_even_us(std::uint32_t order, std::uint64_t elements, bool one_port,
                                         double tc_us_per_element);

/// `--params` of the shuffle: tc (us per element) and tau (us per packet), and rho (us per element) where wanted.
[[nodiscard]] ShuffleParameters parse_shuffle_parameters(std::string_view text);

}  // namespace ecube
