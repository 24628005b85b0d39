// SPDX-License-Identifier: Apache-2.0
// `run`, `predict` and `best exchange --sizes`: blocks that differ in size, beside the equation for equal ones.
#pragma once

#include <memory>

#include "models/exchange/unequal_exchange_cost.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/run/experiment.h"

namespace ecube {

/// The sizes as typed: zipf:EXPONENT, uniform, or a file. InputError for what is none of them, for a cube above
/// max_unequal_dim, and for options that equal blocks only have.
[[nodiscard]] BlockSizes block_sizes_of(const ExchangeArguments& arguments, const Machine& machine, unsigned dim);
[[nodiscard]] bool sizes_from_file(const ExchangeArguments& arguments);

[[nodiscard]] std::unique_ptr<Experiment> unequal_exchange_run(const ExchangeArguments& arguments, Benches& benches);
[[nodiscard]] int predict_unequal_exchange(const ExchangeArguments& arguments);
[[nodiscard]] int best_unequal_exchange(const ExchangeArguments& arguments);

}  // namespace ecube
