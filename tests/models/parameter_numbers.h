// SPDX-License-Identifier: Apache-2.0
// Parameters of equations as lists of numbers, which compare at once and print when they differ.
#pragma once

#include "models/combine/combine_cost.h"
#include "models/exchange/exchange_cost.h"
#include "tests/test.h"

namespace ecube {

/// lambda, lambda0, tau, delta, delta_hop, rho, barrier, short bytes, lambda and delta_hop of short messages.
inline std::vector<double> numbers(const ExchangeParameters& p) {
  return {p.lambda_us,       p.lambda0_us, p.tau_us_per_byte, p.delta_us,        p.delta_hop_us,
          p.rho_us_per_byte, p.barrier_us, p.short_bytes,     p.lambda_short_us, p.delta_hop_short_us};
}

/// alpha without items, of few items and of more, and beta.
inline std::vector<double> numbers(const NeighbourCost& p) {
  return {p.alpha_zero_us, p.alpha_short_us, p.alpha_us, p.beta_us_per_item};
}

}  // namespace ecube
