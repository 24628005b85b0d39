// SPDX-License-Identifier: Apache-2.0
// The recommendation of `best exchange` where the equation leaves out something of the machine.
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
      candidates;  ///< run on the machine, the best first; none where there would be too many

  [[nodiscard]] bool measured() const { return !candidates.empty() && candidates.front().measured_us.has_value(); }
};

/// Runs partitions over every number of ports on the bench that `bench` gives for a dimension, where the equation
/// leaves out something and the partitions together send few enough messages. InputError for whatever is wrong with the
/// options.
[[nodiscard]] TriedExchanges tried_exchanges(const ExchangeArguments& arguments,
                                             const std::function<TestBench&(unsigned dim)>& bench);

/// Replaces the equation's recommendation by the measured one, and adds "leaves_out".
void add_tried(nlohmann::ordered_json& json, const ExchangeArguments& arguments, const TriedExchanges& tried);
/// Prints lines below the equation's; none where the equation leaves out nothing.
void print_tried(const ExchangeArguments& arguments, const TriedExchanges& tried);

}  // namespace ecube
