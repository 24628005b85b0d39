// SPDX-License-Identifier: Apache-2.0
// The partition and number of ports with which a complete exchange takes least time.
#pragma once

#include "testbench/exchange/exchange_trials.h"

namespace ecube {

/// The partitions with the least predicted time on all ports of the machine, on fewer and on one, the fastest first.
[[nodiscard]] std::vector<ExchangeCandidate> exchange_choices(const ExchangeQuestion& question, Bytes bytes,
                                                              bool quiet);

/// The features of a machine that the equation of the exchange leaves out.
[[nodiscard]] std::vector<std::string> exchange_gaps(const Machine& machine, unsigned dim, Bytes block,
                                                     const Partition& partition);
[[nodiscard]] std::vector<std::string> exchange_gaps_of_all(const Machine& machine, unsigned dim, Bytes block);

/// Whether the partitions, on every number of ports, are few and short enough to run them all.
[[nodiscard]] bool measures_exchanges(const ExchangeArguments& arguments, const RunSetup& setup);

/// Runs all candidates as typed on the xor schedule; the least measured time comes first.
[[nodiscard]] std::vector<ExchangeCandidate> measured_exchanges(TestBench& bench, const ExchangeArguments& arguments,
                                                                const RunSetup& setup);

}  // namespace ecube
