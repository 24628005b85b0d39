// SPDX-License-Identifier: Apache-2.0
// The commands about the complete exchange, and what they print.
#pragma once

#include <string>
#include <vector>

#include "testbench/exchange_experiment.h"

namespace ecube {

/// Options as typed, before any is checked.
struct ExchangeArguments {
  std::string machine = "ideal";
  std::vector<std::string> set;
  std::int64_t dim = 4;
  std::string ports;
  std::string startups;
  std::int64_t bytes = 16;
  std::string partition = "direct";
  std::string order = "high";
  std::string schedule = "xor";
  std::string barrier;
  std::string pairwise_sync = "on";
  std::string protocol;
  std::string identity_shuffle;
  std::string payload = "bytes";
  std::string hierarchy = "auto";
  std::string jitter = "0 cycles";
  std::int64_t seed = 1;
  bool json = false;
};

/// `run exchange`. Returns the exit status; throws InputError.
int run_exchange_command(const ExchangeArguments& arguments);

/// `predict exchange`, with parameters fitted on the machine. Returns the exit status; throws InputError.
int predict_exchange_command(const ExchangeArguments& arguments);

}  // namespace ecube
