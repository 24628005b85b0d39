// SPDX-License-Identifier: Apache-2.0
// Concurrent all-to-all personalised communication (AAPC) of three constituents in K/2 + 2 beta steps.
#pragma once

#include <cstdint>
#include <optional>

#include "models/shuffle/shuffle_schedule.h"

namespace ecube {

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
