// SPDX-License-Identifier: Apache-2.0
// The commands about the complete exchange, and what they print.
#pragma once

#include <string>
#include <vector>

#include "testbench/exchange_experiment.h"
#include "testbench/run_arguments.h"

namespace ecube {

/// Options of the exchange as typed, before any is checked.
struct ExchangeArguments {
  RunArguments run;
  std::int64_t bytes = 16;
  std::string partition = "direct";
  std::string order = "high";
  std::string schedule = "xor";
  std::string pairwise_sync = "on";
  std::string identity_shuffle;
  std::string payload = "bytes";
};

/// `run exchange`. Returns the exit status; throws InputError.
int run_exchange_command(const ExchangeArguments& arguments);

/// `predict exchange`, with parameters fitted on the machine. Returns the exit status; throws InputError.
int predict_exchange_command(const ExchangeArguments& arguments);

}  // namespace ecube
