// SPDX-License-Identifier: Apache-2.0
// `hull exchange` on several ports.
#pragma once

#include "testbench/exchange/hull/exchange_hull.h"

namespace ecube {

/// Faces by the equation of stages; crossovers are measured too where there is a bench. `question` must outlive it.
[[nodiscard]] std::unique_ptr<ExchangeHull> staged_hull(const ExchangeQuestion& question,
                                                        const ExchangeArguments& arguments, TestBench* bench);

}  // namespace ecube
