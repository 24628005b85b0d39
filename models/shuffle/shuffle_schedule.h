// SPDX-License-Identifier: Apache-2.0
// The step and dimension of every exchange of a local pair of elements: the schedules of Johnsson & Ho 1991, section 4.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/shuffle/dimension_permutation.h"

namespace ecube {

/// Algorithms for mixed constituents (Johnsson & Ho 1991, section 4.1).
enum class MixedAlgorithm : std::uint8_t { one_port, pipelined, concurrent, aapc, aapc_concurrent };

/// One exchange of one row: every node exchanges one element of the pair with its neighbour in dimension a_index of
/// constituent `constituent`.
struct RowEntry {
  std::uint32_t step = 0;         ///< counted from 1, as in the paper's figures
  std::uint32_t constituent = 0;  ///< j
  std::uint32_t index = 1;        ///< i of a_i, 1 .. sigma^j
  bool extra = false;             ///< the control is v, not a_0
  /// The first exchange with v, or with the extra dimension of A1: the control does not hold the value of a dimension
  /// yet, so the exchange is not complemented.
  bool fresh = false;
};

/// A row of the schedule: a local pair, or one of the rows of a set.
struct ScheduleRow {
  std::vector<RowEntry> entries;  ///< in order of step
  std::optional<std::uint32_t> set{};
  /// Of its set: the pair with a_0 = half before the synchronisation, the pair with v = half after it.
  std::uint32_t half = 0;
  std::uint32_t lane = 0;  ///< within its half: the values of the controls less their complements, in a block of AAPC
};

/// Locations whose rows start in a dimension other than the first (section 4.1.1, pipelining with arbitrary starting
/// dimension): four, in two rows, where one constituent does; 2^(beta + 1) in rows of all constituents for AAPC.
struct SpecialSet {
  std::uint32_t constituents = 1;  ///< bit j: constituent j starts elsewhere
  std::uint32_t start = 1;         ///< s: the exchanges with v are in dimensions a_s .. a_sigma, then come a_1 .. a_s
  std::uint32_t sync_after = 0;    ///< the synchronisation point comes after this step
};

struct RowSchedule {
  std::vector<ScheduleRow> rows;
  std::vector<SpecialSet> sets;
  std::uint32_t steps = 0;
};

/// One exchange at a time: for each dimension all rows, sigma_r K/2 steps (Johnsson & Ho 1991, Table 1).
[[nodiscard]] RowSchedule one_port_schedule(std::span<const std::uint32_t> orders, std::uint32_t rows);

/// Every row begins with the first dimension of a constituent and goes through each constituent without pause:
/// max(K/2 + max sigma^j - 1, ceil(K / 2 beta) + sigma_r - 1) steps for K/2 = `rows` (Table 2, corrected: one formula
/// for constituents of equal and of different orders). For beta >= 3 and K/2 < sigma_r that is a lower bound, and the
/// best of the blocks that are tried may take more steps: orders 1, 4 and 4 with K = 16 need 12, not 11.
[[nodiscard]] RowSchedule pipelined_schedule(std::span<const std::uint32_t> orders, std::uint32_t rows);

/// The pipelined schedule with at most `ports` exchanges in a step; rows that are furthest ahead go first.
[[nodiscard]] RowSchedule limited_schedule(std::span<const std::uint32_t> orders, std::uint32_t rows,
                                           std::uint32_t ports);

/// Some rows begin in other dimensions: max(K/2, sigma_r + 1) + 2 steps if some sigma^j >= 4, or the pipelined schedule
/// where it is no longer (Theorem 1, its first row corrected to "sigma_r <= 3 or K <= 8"; Table 2).
[[nodiscard]] RowSchedule concurrent_schedule(std::span<const std::uint32_t> orders, std::uint32_t rows);

/// Based on all-to-all personalised communication (AAPC): dimension i of all constituents with at least i dimensions,
/// then dimension i + 1. Rows go through AAPC i in blocks of b_i, in whose b_i steps each row takes another
/// constituent. For constituents of one order every b_i is beta: beta ceil(K / 2 beta) + sigma_r - beta steps (section
/// 4.1.2). For different orders b_i is beta_i, the number of constituents in AAPC i, if beta_i divides b_(i-1), else
/// b_(i-1), because rows come to AAPC i in blocks of b_(i-1): K/2 + sigma_r - beta_max steps where each beta_i divides
/// the one before and beta divides K/2.
[[nodiscard]] RowSchedule aapc_schedule(std::span<const std::uint32_t> orders, std::uint32_t rows);

/// The same with the concurrent schedule over blocks of L = 2^(beta - 1) rows, which have to make up `rows`: max(K/2 +
/// 2 L, L (sigma + 3)) steps, or aapc_schedule() where it is no longer. For beta <= 2, L is beta. For larger beta, rows
/// in which all constituents start elsewhere come in sets of 2^beta, and 2 beta such rows are too few (README.md). A
/// schedule of K/2 + 2 beta steps needs rows in which one constituent starts elsewhere; aapc_of_three() has such rows.
[[nodiscard]] RowSchedule concurrent_aapc_schedule(std::uint32_t beta, std::uint32_t order, std::uint32_t rows);

/// Algorithm A1 for a real constituent of order `order`: as a mixed constituent whose control is an extra dimension,
/// and which goes through a_1, .., a_sigma and a_1 once more (section 4.2): (sigma + 1) K/2 steps on one port. On n
/// ports, (sigma + 1) ceil(K / 2 sigma) steps: the rows in sigma parts, each of which begins in another dimension.
[[nodiscard]] RowSchedule a1_schedule(std::uint32_t order, std::uint32_t rows, bool one_port);
/// On n ports, K/2 + max(K/2, sigma) steps: the second exchange in a_1 waits until all rows have begun.
[[nodiscard]] RowSchedule a1_pipelined_schedule(std::uint32_t order, std::uint32_t rows);

/// Sets SpecialSet::sync_after: the first step after which both rows of a set have finished with v, neither has begun
/// with a_0 of the set's constituents, and both have made equal progress in all constituents. std::logic_error if there
/// is none.
void synchronise_sets(RowSchedule& schedule);

/// The formula of pipelined_schedule(): a dimension serves a row at a time, and a row goes through all dimensions.
[[nodiscard]] std::uint64_t least_pipelined_steps(std::span<const std::uint32_t> orders, std::uint64_t rows);

/// Steps of these schedules by formula; of pipelined ones counted where the formula is a lower bound.
[[nodiscard]] std::uint64_t pipelined_steps(std::span<const std::uint32_t> orders, std::uint64_t rows);
[[nodiscard]] std::uint64_t concurrent_steps(std::span<const std::uint32_t> orders, std::uint64_t rows);
[[nodiscard]] std::uint64_t aapc_steps(std::span<const std::uint32_t> orders, std::uint64_t rows);
[[nodiscard]] std::uint64_t concurrent_aapc_steps(std::uint64_t beta, std::uint64_t order, std::uint64_t rows);

/// Constituents and their order in aapc_of_three().
inline constexpr std::uint32_t aapc_of_three_beta = 3;
inline constexpr std::uint32_t aapc_of_three_order = 4;

/// Whether aapc_of_three() has a schedule of `rows` rows.
[[nodiscard]] bool has_aapc_of_three(std::uint64_t rows);

/// Three constituents of order 4 in `rows` + 6 steps, K/2 + 2 beta of Johnsson & Ho 1991, section 4.1.2; nothing where
/// has_aapc_of_three() is false. Every row goes through AAPCs one after another, which have at most one dimension of
/// each constituent. In each set of two rows only one constituent starts elsewhere and takes one exchange more, so the
/// others are absent from one AAPC of the row. Found by a SAT solver (README.md).
[[nodiscard]] std::optional<RowSchedule> aapc_of_three(std::uint32_t rows);

}  // namespace ecube
