// SPDX-License-Identifier: Apache-2.0
// `hull exchange` and `best exchange` on several ports.
#pragma once

#include "testbench/exchange/exchange_recommendation.h"
#include "testbench/exchange/hull/exchange_hull.h"

namespace ecube {

/// Faces by the equation of stages; crossovers are measured too where there is a bench. `question` must outlive it.
[[nodiscard]] std::unique_ptr<ExchangeHull> staged_hull(const ExchangeQuestion& question,
                                                        const ExchangeArguments& arguments, TestBench* bench);
/// The best partition in stages, beside Direct, Standard and the best on one port. Returns the exit status.
[[nodiscard]] int staged_best(const ExchangeArguments& arguments, const ExchangeQuestion& question,
                              const TriedExchanges& by_machine);

}  // namespace ecube
