// SPDX-License-Identifier: Apache-2.0
// What `best exchange` says where the equation leaves out something of the machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "testbench/exchange/exchange_choice.h"

namespace ecube {

/// Empty where the equation describes the machine.
struct TriedExchanges {
  std::vector<std::string> leaves_out;
  std::vector<ExchangeCandidate>
      candidates;  ///< run on the machine, the best first; none where these would be too many

  [[nodiscard]] bool measured() const { return !candidates.empty() && candidates.front().measured_us.has_value(); }
};

/// Runs partitions over every number of ports on the bench that `bench` gives for a dimension, where the equation
/// leaves out something and they send few enough messages together. InputError for whatever is wrong with the options.
[[nodiscard]] TriedExchanges tried_exchanges(const ExchangeArguments& arguments,
                                             const std::function<TestBench&(unsigned dim)>& bench);

/// Puts what was measured in the place of what the equation recommends, and adds what it leaves out.
void add_tried(nlohmann::ordered_json& json, const ExchangeArguments& arguments, const TriedExchanges& tried);
/// Lines below those of the equation; none where it leaves out nothing.
void print_tried(const ExchangeArguments& arguments, const TriedExchanges& tried);

}  // namespace ecube
