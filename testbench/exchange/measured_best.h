// SPDX-License-Identifier: Apache-2.0
// `best exchange --measure`.
#pragma once

#include "testbench/exchange/exchange_request.h"

namespace ecube {

/// The machine is asked up to this dimension.
inline constexpr std::int64_t max_measured_best_dim = 10;

/// Runs partitions on every schedule, synchronised and not, and lists them by measured time beside their predictions.
/// The exit status.
[[nodiscard]] int measured_best(const ExchangeArguments& arguments);

}  // namespace ecube
