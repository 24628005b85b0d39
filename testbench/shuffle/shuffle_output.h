// SPDX-License-Identifier: Apache-2.0
// JSON and notes that all commands of the shuffle share.
#pragma once

#include <nlohmann/json.hpp>

#include "testbench/shuffle/shuffle_request.h"

namespace ecube {

/// "workload" of the JSON output, on a cube of `dim` dimensions.
[[nodiscard]] nlohmann::ordered_json shuffle_json(const ShuffleWorkload& workload, unsigned dim);
/// "predicted": the equation, or the counts of the schedule, with terms and parameters.
[[nodiscard]] nlohmann::ordered_json shuffle_prediction_json(const ShuffleTerms& terms, const ShuffleCount& count,
                                                             const ShuffleParameters& p, double bound_us,
                                                             bool has_formula);
/// Prints how real cycles of two dimensions run together, where some do.
void print_two_cycles(const ShuffleWorkload& workload, unsigned dim);

}  // namespace ecube
