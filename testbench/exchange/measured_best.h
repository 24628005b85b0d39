// SPDX-License-Identifier: Apache-2.0
// `best exchange --measure`.
#pragma once

#include "testbench/exchange/exchange_request.h"

namespace ecube {

/// The largest dimension of measured runs.
inline constexpr std::int64_t max_measured_best_dim = 10;

/// Runs partitions on every schedule, synchronised and not, and lists them by measured time beside their predictions.
/// Returns the exit status.
[[nodiscard]] int measured_best(const ExchangeArguments& arguments);

}  // namespace ecube
