// SPDX-License-Identifier: Apache-2.0
// The partition and number of ports with which a complete exchange takes least time.
#pragma once

#include <functional>

#include "testbench/exchange/exchange_trials.h"

namespace ecube {

/// The partitions with the least predicted time on all ports of the machine, on fewer and on one, the fastest first.
[[nodiscard]] std::vector<ExchangeCandidate> exchange_choices(const ExchangeQuestion& question, Bytes bytes,
                                                              bool quiet);

/// The features of a machine that the equation of the exchange leaves out.
[[nodiscard]] std::vector<std::string> exchange_gaps(const Machine& machine, unsigned dim, Bytes block,
                                                     const Partition& partition, BlockOrder order = BlockOrder::high);
[[nodiscard]] std::vector<std::string> exchange_gaps_of_all(const Machine& machine, unsigned dim, Bytes block);

/// Whether the partitions, on every number of ports, are few and short enough to run them all.
[[nodiscard]] bool measures_exchanges(const ExchangeArguments& arguments, const RunSetup& setup);

/// Runs all candidates as typed on the xor schedule; the least measured time comes first.
[[nodiscard]] std::vector<ExchangeCandidate> measured_exchanges(TestBench& bench, const ExchangeArguments& arguments,
                                                                const RunSetup& setup);

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

}  // namespace ecube
