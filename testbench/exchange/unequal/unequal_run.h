// SPDX-License-Identifier: Apache-2.0
// `run`, `predict` and `best exchange --sizes`: blocks that differ in size, beside the equation for equal ones.
#pragma once

#include <memory>

#include "testbench/exchange/exchange_request.h"
#include "testbench/run/experiment.h"

namespace ecube {

[[nodiscard]] std::unique_ptr<Experiment> unequal_exchange_run(const ExchangeArguments& arguments, Benches& benches);
[[nodiscard]] int predict_unequal_exchange(const ExchangeArguments& arguments);
[[nodiscard]] int best_unequal_exchange(const ExchangeArguments& arguments);

}  // namespace ecube
