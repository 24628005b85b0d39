// SPDX-License-Identifier: Apache-2.0
// The complete exchange as an experiment: `run exchange`, and runs of studies and reports.
#pragma once

#include <memory>

#include "testbench/exchange/exchange_request.h"
#include "testbench/run/experiment.h"

namespace ecube {

/// InputError for whatever is wrong with the options.
[[nodiscard]] std::unique_ptr<Experiment> exchange_run(const ExchangeArguments& arguments, Benches& benches);
/// The options of `run exchange`.
[[nodiscard]] std::unique_ptr<RunRequest> exchange_run_request();

}  // namespace ecube
